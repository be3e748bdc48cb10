import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hark import __version__, paths
from hark.api.shapes.system import Health
from hark.cli.main import run
from hark.model.errors import Exit
from tests.unit.cli.canned import CannedServer, answer, refusal
from tests.unit.cli.samples import START, session

HARK = Path(sys.executable).parent / "hark"
Serve = Callable[..., CannedServer]
HEALTH = Health(
    status="ok",
    version=__version__,
    pid=42,
    started_at=START,
    sessions=1,
    tmux_version="3.4",
    database="/state/hark.db",
    last_event_seq=20_000,
)


@pytest.fixture
def closed(serve: Serve) -> Serve:
    """A server whose socket is closed to others, as the daemon's is."""

    def start(*answers: bytes) -> CannedServer:
        server = serve(*answers)
        paths.socket_path().chmod(0o600)
        return server

    return start


def findings(capsys: pytest.CaptureFixture[str]) -> dict[tuple[str, str], dict[str, Any]]:
    told = json.loads(capsys.readouterr().out)
    return {(one["check"], one["about"]): one for one in told["findings"]}


@pytest.fixture(autouse=True)
def user(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home))


def test_without_a_daemon_the_rest_is_looked_at_and_none_is_started(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--json"]) == Exit.OK

    found = findings(capsys)
    assert found["tmux", ""]["level"] == "ok"
    assert found["daemon", ""]["level"] == "ok"
    assert not (home / "run/hark.sock").exists()


def test_a_fresh_machine_has_nothing_to_mend(tmp_path: Path) -> None:
    """An empty home directory, no agents, no daemon yet, and hardly a variable in the environment."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tmux").symlink_to(shutil.which("tmux") or "tmux")
    (programs / "vi").symlink_to("/bin/sh")
    (programs / "hark").symlink_to(HARK)
    (tmp_path / "user").mkdir()
    variables = {"HOME": str(tmp_path / "user"), "PATH": str(programs)}

    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as runtime:
        variables["XDG_RUNTIME_DIR"] = runtime  # A daemon of this user's own must not be asked.
        done = subprocess.run([HARK, "doctor", "--json"], env=variables, capture_output=True, text=True, timeout=60)

    told = json.loads(done.stdout)
    assert [one for one in told["findings"] if one["level"] != "ok"] == []
    assert (done.returncode, done.stderr) == (Exit.OK, "")
    assert list((tmp_path / "user").iterdir()) == []


def test_a_problem_is_exit_code_1_and_says_how_to_mend_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "config").mkdir()
    (home / "config/config.toml").write_text("colour = 3")

    assert run(["doctor"]) == Exit.FAILURE

    lines = capsys.readouterr().out.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("problem ")]
    assert lines[at] == "problem   settings: there is no setting 'colour'"
    assert lines[at + 1].strip().startswith("settings are: ")


def test_sessions_are_asked_for_their_hooks_and_only_the_newest_events_are_read(
    closed: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = {
        "seq": 9,
        "at": START,
        "kind": "hook",
        "session_id": "5e551011",
        "message_id": None,
        "data": {"event": "Stop"},
    }
    events = answer({"events": [heard], "last_seq": 20_000})
    server = closed(answer(HEALTH), answer({"sessions": [session(airlock="/a.sock")]}), events)

    assert run(["doctor", "--json"]) == Exit.OK

    found = findings(capsys)
    assert found["session-hooks", "backend"]["level"] == "ok"
    assert ("session-airlock", "backend") not in found
    assert server.requests[2].line == "GET /events?after=10000&limit=10000 HTTP/1.1"


def test_one_session_alone(closed: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = closed(answer(HEALTH), answer(session()), answer({"events": [], "last_seq": 0}))

    assert run(["doctor", "back/end", "--json"]) == Exit.OK

    assert server.requests[1].line == "GET /sessions/back%2Fend HTTP/1.1"
    assert {about for check, about in findings(capsys) if check.startswith("session-")} == {"backend"}


def test_inside_a_session_everything_is_looked_at_that_an_agent_may_see(
    closed: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    closed(answer(HEALTH), answer({"sessions": [session()]}), refusal("not-permitted", 403, "an agent may not read"))

    assert run(["doctor", "--json"]) == Exit.OK

    found = findings(capsys)
    assert found["sessions", ""]["level"] == "ok"
    assert found["sessions", ""]["detail"].endswith("an agent may not read")
    assert found["tmux", ""]["level"] == "ok"


def test_a_session_that_is_not_there(closed: Serve) -> None:
    closed(answer(HEALTH), refusal("session-not-found", 404))

    assert run(["doctor", "nobody"]) == Exit.NOT_FOUND


def test_a_daemon_of_another_version_is_a_problem(closed: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    other = {"status": "ok", "version": "0.0.9", "pid": 42, "sessions": 0, "last_event_seq": 0}
    closed(answer(other), answer({"sessions": []}), answer({"events": [], "last_seq": 0}))

    assert run(["doctor"]) == Exit.FAILURE
    assert "hark daemon restart" in capsys.readouterr().out
