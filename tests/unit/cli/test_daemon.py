import fcntl
import os
from collections.abc import Callable

import pytest

from hark import paths
from hark.api.shapes.system import Health
from hark.cli.daemon.daemon import is_lock_free, status_fields
from hark.cli.daemon.serve import parse_settings
from hark.cli.main import run
from hark.model.errors import Exit, HarkError
from tests.unit.cli.canned import CannedServer, answer
from tests.unit.cli.samples import START, later

HEALTH = Health(
    status="ok",
    version="0.1.0",
    pid=42,
    started_at=START,
    sessions=0,
    tmux_version="3.4",
    database="/state/hark.db",
    last_event_seq=0,
)
Serve = Callable[..., CannedServer]


def hold_lock() -> int:
    lock = os.open(paths.make_private(paths.state_dir()) / "hark.lock", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def test_the_lock_says_whether_a_daemon_lives() -> None:
    assert is_lock_free()  # there is no file yet

    lock = hold_lock()
    assert not is_lock_free()

    os.close(lock)
    assert is_lock_free()


def test_status_of_a_running_daemon(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    serve(answer(HEALTH))

    assert run(["daemon", "status"]) == Exit.OK

    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert list(shown) == ["pid", "version", "uptime", "socket", "database"]
    assert shown["socket"] == str(paths.socket_path())


def test_status_of_no_daemon(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["daemon", "status"]) == Exit.UNREACHABLE

    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "the daemon is not running\n")
    assert status_fields(None, "") == {"running": False, "socket": str(paths.socket_path())}


def test_uptime_is_since_the_start() -> None:
    health = {"started_at": START.isoformat(), "pid": 42}

    assert status_fields(health, later(7200).isoformat())["uptime"] == "2h"


def test_stopping_what_does_not_run_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["daemon", "stop"]) == Exit.OK

    assert capsys.readouterr().err == "the daemon is not running\n"


def test_stopping_waits_until_the_lock_is_free(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(answer({}, 202))
    lock = hold_lock()
    monkeypatch.setattr("hark.cli.daemon.daemon.sleep", lambda _: os.close(lock))

    assert run(["daemon", "stop"]) == Exit.OK

    assert server.requests[0].line == "POST /shutdown HTTP/1.1"
    assert capsys.readouterr().err == "the daemon has stopped\n"


def test_a_daemon_that_does_not_stop_is_a_timeout(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(answer({}, 202))
    lock = hold_lock()
    monkeypatch.setattr("hark.cli.daemon.daemon.STOP_S", 0.0)

    assert run(["daemon", "stop"]) == Exit.TIMED_OUT

    os.close(lock)


def test_settings_are_pairs() -> None:
    assert parse_settings(("a=1", "b=x=y", "c=")) == {"a": "1", "b": "x=y", "c": ""}
    for bad in ("a", "=1"):
        with pytest.raises(HarkError) as caught:
            parse_settings((bad,))
        assert caught.value.code == "config-invalid"
