import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hark import __version__, paths
from hark.diagnosis.daemon import look_at_airlocks, look_at_daemon
from hark.diagnosis.finding import Level
from hark.model.errors import HarkError

UNREACHABLE = HarkError("daemon-unreachable", "the daemon is not running")
HEALTH: dict[str, Any] = {"version": __version__, "pid": 42, "sessions": 3}


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as made:
        monkeypatch.setenv("HARK_HOME", made)
        paths.make_private(paths.runtime_dir())
        yield Path(made)


def leave_socket(path: Path) -> None:
    """As a process that was killed leaves it."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


@pytest.mark.parametrize(
    ("health", "failure", "is_lock_free", "level", "words"),
    [
        (HEALTH, None, False, Level.OK, "pid 42, 3 sessions"),
        (HEALTH | {"version": "0.0.9"}, None, False, Level.PROBLEM, "version 0.0.9"),
        (None, UNREACHABLE, True, Level.WARNING, "not running"),
        (None, UNREACHABLE, False, Level.PROBLEM, "does not answer"),
        (
            None,
            HarkError("directory-unsafe", "not a socket of yours", "look"),
            True,
            Level.PROBLEM,
            "not a socket of yours",
        ),
    ],
)
def test_a_daemon_answers_and_is_this_version(
    health: dict[str, Any] | None, failure: HarkError | None, is_lock_free: bool, level: Level, words: str
) -> None:
    paths.make_private(paths.state_dir())
    paths.database_path().touch()

    found = next(look_at_daemon(health, failure, is_lock_free=is_lock_free))

    assert found.level is level
    assert words in found.detail
    assert (found.hint == "") is (level is Level.OK)


def test_a_daemon_that_has_never_run_is_not_missed() -> None:
    found = list(look_at_daemon(None, UNREACHABLE, is_lock_free=True))

    assert [(one.check, one.level) for one in found] == [("daemon", Level.OK)]


def test_the_socket_of_a_daemon_that_has_died_is_noticed() -> None:
    leave_socket(paths.socket_path())

    found = list(look_at_daemon(None, UNREACHABLE, is_lock_free=True))

    assert [one.check for one in found] == ["daemon", "socket"]
    assert found[1].level is Level.WARNING


def test_a_socket_that_others_may_use_is_a_problem() -> None:
    leave_socket(paths.socket_path())
    paths.socket_path().chmod(0o666)

    found = list(look_at_daemon(HEALTH, None, is_lock_free=False))

    assert [(one.check, one.level) for one in found] == [("daemon", Level.OK), ("socket", Level.PROBLEM)]


def test_airlock_sockets_are_told_apart(home: Path) -> None:
    known, dead, alive = (home / f"{name}.sock" for name in ("known", "dead", "alive"))
    leave_socket(known)
    leave_socket(dead)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(alive))
        listener.listen()

        found = list(look_at_airlocks(home, [str(known)]))

    assert [(one.level, one.hint.split()[0]) for one in found] == [(Level.WARNING, "rm"), (Level.WARNING, "its")]
    assert found[0].hint == f"rm {dead}"
    assert str(alive) in found[1].detail


def test_no_strange_airlock_is_well(home: Path) -> None:
    leave_socket(home / "known.sock")

    assert [one.level for one in look_at_airlocks(home, [str(home / "known.sock")])] == [Level.OK]
    assert [one.level for one in look_at_airlocks(home / "none", [])] == [Level.OK]
