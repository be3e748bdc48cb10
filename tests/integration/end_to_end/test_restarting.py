"""`hark daemon restart` and an upgrade keep everything; an older daemon is named, and renewed by the next command."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import hark as package
from hark import __version__
from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until

OLD = "0.0.9"


def instance(hark: RunningHark) -> str:
    return str(hark.api("GET", "/healthz").json["instance"])


def readies(hark: RunningHark) -> int:
    return len([line for line in hark.log() if line["message"] == "ready"])


def begin(hark: RunningHark, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([HARK, *words], env=hark.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class OldHark:
    """A copy of the package with another version, which does not know a field of today's requests."""

    def __init__(self, hark: RunningHark) -> None:
        self.hark = hark
        self.place = hark.home / "old"
        shutil.copytree(
            Path(package.__file__).parent, self.place / "hark", ignore=shutil.ignore_patterns("__pycache__")
        )
        self._replace("__init__.py", f'__version__ = "{__version__}"', f'__version__ = "{OLD}"')
        self._replace("api/shapes/sessions.py", "    has_signals:", "    had_signals:")
        self._replace("api/calls/sessions.py", "body.has_signals", "body.had_signals")

    def _replace(self, file: str, before: str, after: str) -> None:
        path = self.place / "hark" / file
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def start(self, *options: str) -> None:
        code = f"import sys; sys.path.insert(0, {str(self.place)!r}); from hark.cli.main import main; sys.exit(main())"
        self.hark.ok(
            "daemon",
            "start",
            *options,
            environment={"HARK_SERVE_COMMAND": shlex.join([sys.executable, "-c", code, "serve"])},
        )
        assert self.hark.api("GET", "/healthz").json["version"] == OLD


@pytest.fixture
def old(hark: RunningHark) -> OldHark:
    hark.environment["HARK_SERVE_COMMAND"] = f"{sys.executable} -m hark.cli.main serve"
    return OldHark(hark)


def test_a_restart_keeps_sessions_holds_queue_settings_and_pid(hark: RunningHark) -> None:
    hark.ok("daemon", "start", "-o", "max_text_bytes=1000")
    agent = Agent(hark)
    hark.ok("hold", "a")
    message_id = hark.ok("send", "-q", "a", "hello").strip()
    hark.wait_status(message_id, "held", "do-not-disturb")
    before, pid = instance(hark), hark.daemon_pid()

    assert hark.ok("daemon", "restart") == f"running, pid {pid}\n"

    assert instance(hark) != before
    assert (hark.daemon_pid(), readies(hark)) == (pid, 2)
    assert hark.refused("send", "a", "x" * 1001).code == "text-too-long"
    hark.wait_status(message_id, "held", "do-not-disturb")
    hark.ok("release", "a")
    hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["hello"]


def test_commands_that_wait_go_on_over_restarts(hark: RunningHark) -> None:
    agent = Agent(hark)
    hark.ok("hold", "a")
    waiting = [begin(hark, "send", "a", "hello", "--wait", "completed", "--json")]
    queue = "/sessions/a/send-queue"
    wait_until(lambda: hark.api("GET", queue).json["pending_count"] == 1, DEADLINE_S, "the message")
    waiting += [begin(hark, "wait", "a", "--for", "completed", "--json")]

    for _ in range(3):
        hark.ok("daemon", "restart")
    hark.ok("release", "a")

    said = [process.communicate(timeout=2 * DEADLINE_S) for process in waiting]
    assert [(process.returncode, error) for process, (_, error) in zip(waiting, said, strict=True)] == [(0, b"")] * 2
    assert json.loads(said[0][0])["status"] == "completed"
    assert agent.bodies() == ["hello"]
    assert readies(hark) == 4


def test_commands_that_come_during_a_restart_wait_for_it_and_start_no_other_daemon(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    pid = hark.daemon_pid()
    restarting = subprocess.Popen([HARK, "daemon", "restart"], env=hark.environment, stdout=subprocess.PIPE)
    others = [
        subprocess.Popen([HARK, "ls", "--json"], env=hark.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(10)
    ]

    said = [process.communicate(timeout=2 * DEADLINE_S) for process in others]
    restarting.communicate(timeout=2 * DEADLINE_S)

    assert [(process.returncode, error) for process, (_, error) in zip(others, said, strict=True)] == [(0, b"")] * 10
    assert restarting.returncode == 0
    assert (hark.daemon_pid(), readies(hark)) == (pid, 2)


def test_restarting_what_does_not_run_starts_it(hark: RunningHark) -> None:
    hark.ok("daemon", "restart")

    assert hark.daemon_pid() is not None


def test_a_daemon_that_is_too_old_to_replace_itself_is_stopped_and_started(hark: RunningHark, old: OldHark) -> None:
    old._replace("api/calls/system.py", 'path="/restart"', 'path="/nothing-yet"')
    old.start()

    hark.ok("daemon", "restart")

    assert hark.api("GET", "/healthz").json["version"] == __version__


def test_the_next_command_renews_an_older_daemon_and_keeps_what_it_had(hark: RunningHark, old: OldHark) -> None:
    old.start("-o", "max_text_bytes=1000")
    hark.ok("new", "-d", "-n", "a", "--", "cat", environment={"HARK_NO_AUTOSTART": "1"})
    hark.ok("hold", "a", environment={"HARK_NO_AUTOSTART": "1"})
    pid = hark.daemon_pid()

    [session] = hark.json("ls")["sessions"]

    health = hark.api("GET", "/healthz").json
    assert (health["version"], health["pid"], readies(hark)) == (__version__, pid, 2)
    assert (session["name"], session["do_not_disturb_since"] is not None) == ("a", True)
    assert hark.refused("send", "a", "x" * 1001).code == "text-too-long"
    assert readies(hark) == 2


def test_an_older_daemon_is_left_alone_where_the_settings_say_so_and_named_when_it_matters(
    hark: RunningHark, old: OldHark
) -> None:
    old.start("-o", "restart_on_upgrade=false")

    refusal = hark.refused("new", "-d", "--signals", "--", PROGRAM)

    assert (refusal.exit_code, refusal.code) == (2, "request-invalid")
    assert f"the running daemon ({OLD}) is older than this hark ({__version__})" in refusal.detail
    assert "unknown field `has_signals`" in refusal.detail
    assert "hark daemon restart" in refusal.hint
    hark.ok("daemon", "restart")
    hark.ok("new", "-d", "--signals", "--", PROGRAM)


def test_ten_commands_after_an_upgrade_renew_the_daemon_once(hark: RunningHark, old: OldHark) -> None:
    old.start()
    commands = [
        subprocess.Popen([HARK, "ls", "--json"], env=hark.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(10)
    ]

    said = [command.communicate(timeout=2 * DEADLINE_S) for command in commands]

    assert [(command.returncode, error) for command, (_, error) in zip(commands, said, strict=True)] == [(0, b"")] * 10
    wait_until(lambda: readies(hark) == 2, DEADLINE_S, "the new daemon")
    assert hark.json("daemon", "status")["version"] == __version__
    assert readies(hark) == 2


def test_a_program_that_cannot_be_run_replaces_nothing(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    before = instance(hark)

    answer = hark.api("POST", "/restart", {"command": ["/no/such/hark", "serve"]})

    assert (answer.status, answer.json["code"]) == (422, "request-invalid")
    assert instance(hark) == before


def test_a_program_that_fails_at_its_start_is_followed_by_another(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    hark.api("POST", "/restart", {"command": ["false"]})

    # The first answers may still come from the daemon that is about to be replaced.
    wait_until(lambda: hark.json("ls") == {"sessions": []} and readies(hark) == 2, DEADLINE_S, "another daemon")
    hark.kill_daemon(signal.SIGTERM)
