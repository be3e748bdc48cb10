import shlex
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from hark.cli.main import run
from hark.cli.sessions.attach import attach_command
from hark.model.errors import Exit
from tests.unit.cli.canned import CannedServer, answer
from tests.unit.cli.samples import session

PANE = session(socket="/tmp/tmux-0/hark", pane_id="%3")


def test_outside_tmux_it_attaches() -> None:
    words, environment = attach_command(PANE, {"PATH": "/bin"})

    assert words == ["tmux", "-S", "/tmp/tmux-0/hark", "attach-session", "-t", "%3"]
    assert environment == {"PATH": "/bin"}


def test_inside_the_same_server_it_switches(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    pane = session(socket=str(tmp_path / "real/s"))

    words, environment = attach_command(pane, {"TMUX": f"{tmp_path}/link/s,12,0"})

    assert words[3:] == ["switch-client", "-t", "%3"]
    assert "TMUX" in environment


def test_inside_another_server_it_leaves_that_one_and_comes_back(tmp_path: Path) -> None:
    here = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(here)
        server.listen()
        words, environment = attach_command(PANE, {"TMUX": f"{here},12,0", "TMUX_PANE": "%9", "PATH": "/bin"})

    assert words[:5] == ["tmux", "-S", here, "detach-client", "-E"]
    assert "tmux -S /tmp/tmux-0/hark attach-session -t %3 ';' display-message" in shlex.split(words[5])[-1]
    assert shlex.split(words[5])[-1].endswith(f"exec tmux -S {here} attach-session -t %9")
    assert environment["TMUX"]


def test_a_server_that_has_ended_is_not_one_that_we_are_inside(tmp_path: Path) -> None:
    left_over = {"TMUX": f"{tmp_path}/s,12,0", "TMUX_PANE": "%9", "PATH": "/bin"}

    words, environment = attach_command(PANE, left_over)

    assert words[3] == "attach-session"
    assert environment == {"PATH": "/bin"}


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (session(state="gone"), Exit.NOT_FOUND),
        (session(), Exit.FAILURE),  # there is a pane to show, but no terminal to show it in
    ],
)
def test_what_cannot_be_shown_is_said(serve: Callable[..., CannedServer], found: dict[str, object], code: Exit) -> None:
    serve(answer(found))

    assert run(["attach", "backend"]) == code
