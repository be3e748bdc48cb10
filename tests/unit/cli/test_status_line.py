"""`hark status-line` as the program that a status line runs every second, and `hark next`, against a server with prepared answers."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hark import instance, paths
from hark.cli.main import run
from hark.inside import status_line
from tests.unit.cli.canned import CannedServer, answer
from tests.unit.cli.samples import START, session

HEAVY = ("click", "json", "socket", "pathlib", "msgspec", "hark.cli", "hark.model", "subprocess", "asyncio")


def plain(text: str, status: int = 200) -> bytes:
    body = text.encode()
    return f"HTTP/1.1 {status} X\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        (plain("2 need you · 5 working"), "2 need you · 5 working\n"),
        # There is nothing to say.
        (plain(""), ""),
        # An older daemon does not know the call.
        (plain("no such call", 404), ""),
        # The program on the socket is no daemon.
        (b"hello\r\n", ""),
        (b"", ""),
        (plain("")[:-4] + b"\r\n\r\n\xff", ""),
        # Nothing that comes from the socket drives the terminal.
        (plain("\x1b]0;title\x07 1 needs you\x9b2J"), "]0;title 1 needs you2J\n"),
    ],
)
def test_it_prints_the_daemons_words_or_nothing(
    given: bytes, printed: str, serve: Callable[..., CannedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(given)

    assert status_line.main() == 0
    assert capsys.readouterr() == (printed, "")


def test_it_prints_nothing_and_starts_nothing_if_no_daemon_runs(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HARK_NO_AUTOSTART")
    monkeypatch.setenv("HARK_SERVE_COMMAND", f"touch {home}/started")

    codes = (status_line.main(), run(["status-line"]), run(["status-line", "--json"]))

    assert codes == (0, 0, 0)
    assert '"needs": []' in capsys.readouterr().out
    assert not (home / "started").exists()


def test_it_does_not_wait_for_a_daemon_that_does_not_answer(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(status_line, "ANSWER_S", 0.05)
    paths.make_private(paths.runtime_dir())
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(paths.socket_path()))
        silent.listen()

        assert status_line.main() == 0

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("has_token", [False, True])
@pytest.mark.parametrize("has_home", [False, True])
@pytest.mark.parametrize("agent_socket", ["", "run/agent.sock", "/elsewhere/agent.sock"])
def test_it_finds_the_same_door_as_every_other_command(
    has_token: bool, has_home: bool, agent_socket: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_home:
        monkeypatch.delenv("HARK_HOME")
        monkeypatch.setenv("XDG_STATE_HOME", str(home))
    if has_token:
        monkeypatch.setenv("HARK_TOKEN", "secret")
    if agent_socket:
        monkeypatch.setenv("HARK_AGENT_SOCKET", str(home / agent_socket))

    path, token = status_line.door()

    wanted = instance.door()
    assert (path, token or None) == (str(wanted.path), wanted.token)


def test_a_status_line_imports_next_to_nothing(home: Path) -> None:
    code = "import sys; from hark.start import main; main(); print(*sys.modules, sep='\\n')"
    # -S and -E keep out what the machine's own Python loads at its start.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, "status-line"],
        env={"HARK_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = done.stdout.split()

    assert "hark.inside.status_line" in loaded
    assert not set(HEAVY) & set(loaded)


def test_every_other_command_goes_to_the_command_line(home: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "hark.start", "status-line", "--help"], capture_output=True, text=True)

    assert done.returncode == 0
    assert "Usage: hark status-line" in done.stdout


def needs(*names: str) -> bytes:
    listed = [
        {"session_id": name, "name": name, "why": "input", "since": START, "question": "\x1b[2J"} for name in names
    ]
    return answer({"needs": listed, "working": 0, "segment": ""})


@pytest.mark.parametrize(
    ("pane", "printed"),
    [
        # Outside of tmux, and in a pane that needs nobody.
        (None, "first"),
        ("%9", "first"),
        # The human is in the first session already.
        ("%1", "second"),
    ],
)
def test_next_chooses_the_first_session_where_the_human_is_not(
    pane: str | None,
    printed: str,
    serve: Callable[..., CannedServer],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if pane:
        monkeypatch.setenv("TMUX", "/tmp/tmux-0/hark,1,0")
        monkeypatch.setenv("TMUX_PANE", pane)
    serve(
        needs("first", "second"),
        answer(session(name="first", pane_id="%1")),
        answer(session(name="second", pane_id="%2")),
    )

    assert run(["next", "--print"]) == 0
    assert capsys.readouterr().out == f"{printed}\n"


def test_next_says_that_nobody_needs_you(
    serve: Callable[..., CannedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(needs(), needs())

    assert run(["next"]) == 1
    assert capsys.readouterr() == ("", "nobody needs you\n")
    assert run(["next", "--json"]) == 1
    assert capsys.readouterr().out == "null\n"
