import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hark import paths
from hark.cli.client import Client
from hark.cli.launch import daemon_environment, start_and_connect
from hark.model.errors import Exit, HarkError

STAND_IN = Path(__file__).with_name("stand_in_daemon.py")


@pytest.fixture(autouse=True)
def _allowed_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARK_NO_AUTOSTART")


def use_stand_in(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv("HARK_SERVE_COMMAND", f"{sys.executable} {STAND_IN} {how}")


def test_a_command_starts_the_daemon_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, "serving 1")

    assert Client().get("/healthz")["pid"] > 0


def test_two_commands_at_the_same_time_share_one_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, "serving 4")

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: Client().get("/healthz"), range(4)))

    assert len({health["pid"] for health in answers}) == 1


def test_a_stale_socket_is_no_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    paths.make_private(paths.runtime_dir())
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(paths.socket_path()))
    use_stand_in(monkeypatch, "serving 1")

    assert Client().get("/healthz")["pid"] > 0


def test_an_error_of_the_daemon_is_reported_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, "failing")

    with pytest.raises(HarkError) as caught:
        Client().get("/healthz")

    assert (caught.value.code, caught.value.detail, caught.value.hint) == (
        "tmux-missing",
        "there is no tmux",
        "install it",
    )


@pytest.mark.parametrize(
    "command",
    [
        f"{sys.executable} {STAND_IN} silent",  # ends without a word
        "/nonexistent/hark serve",  # cannot even be run
    ],
)
def test_a_daemon_that_cannot_start_points_to_its_log(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("HARK_SERVE_COMMAND", command)

    with pytest.raises(HarkError) as caught:
        Client().get("/healthz")

    assert caught.value.code == "daemon-not-started"
    assert str(paths.log_path()) in caught.value.hint
    assert caught.value.exit_code == Exit.UNREACHABLE


def test_a_daemon_that_reports_nothing_is_given_up_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, "mute")

    with pytest.raises(HarkError) as caught:
        start_and_connect(start_s=0.1)

    assert caught.value.code == "daemon-not-started"


def test_nothing_is_started_where_that_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, "failing")
    monkeypatch.setenv("HARK_NO_AUTOSTART", "1")

    with pytest.raises(HarkError) as caught:
        Client().get("/healthz")

    assert caught.value.code == "daemon-unreachable"


def test_a_socket_of_somebody_else_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    paths.make_private(paths.runtime_dir())
    paths.socket_path().write_text("")
    use_stand_in(monkeypatch, "failing")

    with pytest.raises(HarkError) as caught:
        Client().get("/healthz")

    assert caught.value.code == "directory-unsafe"


def test_the_daemon_does_not_learn_where_the_caller_sits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    caller = {"TMUX": "/s,1,0", "TMUX_PANE": "%1", "HARK_SESSION": "x", "PATH": "/bin", "HARK_HOME": "relative"}
    caller |= {"HARK_HOOKS": "1", "HARK_VISUAL": "emacs", "HARK_EDITOR": "vi"}

    assert daemon_environment(caller) == {"PATH": "/bin", "HARK_HOME": str(tmp_path / "relative")}
