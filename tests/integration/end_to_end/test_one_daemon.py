"""One database has one daemon, whatever the environment of whoever calls; and everybody finds it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark import instance
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until

LOGIN, CRON = "r1", "r2"
"""Two runtime directories of one user."""


class XdgHark(RunningHark):
    """Without HARK_HOME: the state and the runtime directory come from XDG variables."""

    def __init__(self) -> None:
        super().__init__()
        del self.environment["HARK_HOME"]
        for name in (LOGIN, CRON):
            (self.home / name).mkdir(mode=0o700)
        self.state = self.home / "s/hark"
        self.socket = self.home / LOGIN / "hark/hark.sock"
        self.database = self.state / "hark.db"
        self.runtime_lock = self.home / LOGIN / "hark/hark.lock"
        self.tmux_socket = self.home / "tmux"
        self.environment |= {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "s"),
            "XDG_CONFIG_HOME": str(self.home / "c"),
            "XDG_RUNTIME_DIR": str(self.home / LOGIN),
            "HARK_TMUX_SOCKET": str(self.tmux_socket),
            "HARK_SERVE_COMMAND": f"{sys.executable} -m hark.cli.main serve",
        }

    def other(self, runtime: str = CRON) -> dict[str, str]:
        return {"XDG_RUNTIME_DIR": str(self.home / runtime)}


@pytest.fixture
def xdg() -> Iterator[XdgHark]:
    with XdgHark() as running:
        yield running


def ready_pids(hark: RunningHark) -> list[int]:
    return [line["pid"] for line in hark.log() if line["message"] == "ready"]


@pytest.mark.parametrize("runtime", [CRON, "not-there", ""], ids=["another", "not there", "none"])
def test_whoever_has_another_runtime_directory_reaches_the_same_daemon(xdg: XdgHark, runtime: str) -> None:
    Agent(xdg)
    pid = xdg.daemon_pid()
    elsewhere = xdg.other(runtime) if runtime else {"XDG_RUNTIME_DIR": ""}
    xdg.ok("hold", "a")

    message_id = xdg.ok("send", "-q", "a", "hello", environment=elsewhere).strip()

    assert xdg.wait_status(message_id, "held", "do-not-disturb")
    assert xdg.json("daemon", "status", environment=elsewhere)["pid"] == pid
    assert xdg.json("daemon", "status", environment=elsewhere)["socket"] == str(xdg.socket)
    assert ready_pids(xdg) == [pid]
    xdg.ok("release", "a")
    xdg.wait_status(message_id, "completed")


def test_a_second_daemon_on_the_same_database_is_refused(xdg: XdgHark) -> None:
    xdg.ok("daemon", "start")

    second = xdg.run("serve", environment=xdg.other())

    assert second.returncode == 1
    assert f"another hark daemon runs already with this database (pid {xdg.daemon_pid()} on " in second.stderr
    assert str(xdg.socket) in second.stderr
    assert not (xdg.home / CRON / "hark/hark.sock").exists()
    assert ready_pids(xdg) == [xdg.daemon_pid()]


def test_a_daemon_of_another_database_does_not_take_the_first_ones_socket(xdg: XdgHark) -> None:
    xdg.ok("daemon", "start")
    before = xdg.socket.stat().st_ino

    refused = xdg.run("serve", environment={"XDG_STATE_HOME": str(xdg.home / "s2")})

    assert refused.returncode == 1
    assert f"a hark daemon of another database has its sockets in {xdg.socket.parent}" in refused.stderr
    assert xdg.socket.stat().st_ino == before
    assert xdg.json("ls") == {"sessions": []}


def test_twenty_starts_at_once_from_two_runtime_directories_make_one_daemon(xdg: XdgHark) -> None:
    commands = [
        subprocess.Popen(
            [HARK, "ls", "--json"],
            env=xdg.environment | xdg.other(LOGIN if number % 2 else CRON),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(20)
    ]

    said = [command.communicate(timeout=2 * DEADLINE_S) for command in commands]

    assert [(command.returncode, error) for command, (_, error) in zip(commands, said, strict=True)] == [(0, b"")] * 20
    assert len(ready_pids(xdg)) == 1
    assert xdg.json("daemon", "status")["pid"] == ready_pids(xdg)[0]
    xdg.ok("daemon", "stop", environment=xdg.other())


def test_after_a_kill_the_next_command_starts_a_daemon_wherever_it_is(xdg: XdgHark) -> None:
    xdg.ok("daemon", "start")
    xdg.kill_daemon()
    assert xdg.socket.exists()

    xdg.ok("ls", environment=xdg.other())

    assert len(ready_pids(xdg)) == 2
    assert xdg.json("daemon", "status")["socket"] == str(xdg.home / CRON / "hark/hark.sock")
    xdg.ok("daemon", "stop")
    assert (xdg.home / CRON / "hark/hark.lock").exists()


def test_hooks_of_agents_with_another_runtime_directory_reach_the_daemon(xdg: XdgHark) -> None:
    xdg.ok("daemon", "start")
    environment = xdg.environment | xdg.other()
    xdg.ok("new", "-d", "-n", "a", "--", "hark-demo-agent", environment=environment | {"PATH": _path()})

    message_id = xdg.ok("send", "-q", "a", "hello").strip()

    # Only the agent's own hook acknowledges.
    xdg.wait_status(message_id, "completed")


def _path() -> str:
    return f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def test_a_socket_that_vanished_is_bound_again(hark: RunningHark) -> None:
    agent = Agent(hark)
    pid = hark.daemon_pid()
    for name in ("hark.sock", "hooks.sock", "pipes.sock", "hark.lock"):
        (hark.home / "run" / name).unlink()

    assert hark.json("ls")["sessions"][0]["name"] == "a"

    assert hark.json("daemon", "status")["pid"] == pid
    wait_until(
        lambda: all((hark.home / "run" / name).exists() for name in ("hark.sock", "hooks.sock", "pipes.sock")),
        DEADLINE_S,
        "the sockets to be bound again",
        hark.log,
    )
    assert ready_pids(hark) == [pid]
    agent.send_and_wait("hello", "completed")
    Agent(hark, "b").send_and_wait("hello", "completed")


def test_a_runtime_directory_that_vanished_as_a_whole_is_made_again(xdg: XdgHark) -> None:
    """As at logout and the next login."""
    xdg.ok("daemon", "start")
    pid = xdg.daemon_pid()
    shutil.rmtree(xdg.home / LOGIN)
    (xdg.home / LOGIN).mkdir(mode=0o700)

    assert xdg.json("ls") == {"sessions": []}

    assert ready_pids(xdg) == [pid]
    assert (xdg.socket.parent.stat().st_mode & 0o777, xdg.socket.stat().st_mode & 0o777) == (0o700, 0o600)
    assert xdg.daemon_pid() == pid


def test_waiting_clients_go_on_while_the_socket_is_bound_again(hark: RunningHark) -> None:
    agent = Agent(hark)
    hark.ok("hold", "a")
    message_id = hark.ok("send", "-q", "a", "hello").strip()
    waiting = subprocess.Popen(
        [HARK, "wait", "a", "--for", "completed"], env=hark.environment, stderr=subprocess.PIPE, text=True
    )
    hark.socket.unlink()
    wait_until(hark.socket.exists, DEADLINE_S, "the socket")

    hark.ok("release", "a")

    _, said = waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 0, said
    assert said.endswith(": a\n")
    assert agent.bodies() == ["hello"]
    assert hark.message(message_id)["status"] == "completed"


def test_stopping_works_when_the_socket_is_gone(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    pid = hark.daemon_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that it cannot bind its socket again
    hark.socket.unlink()
    stopping = subprocess.Popen([HARK, "daemon", "stop"], env=hark.environment, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: _is_pending(pid, signal.SIGTERM), DEADLINE_S, "the signal")

    os.kill(pid, signal.SIGCONT)

    _, said = stopping.communicate(timeout=DEADLINE_S)
    assert (stopping.returncode, said) == (0, "the daemon has stopped\n")
    assert hark.daemon_pid() is None


def _is_pending(pid: int, number: signal.Signals) -> bool:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(fields["ShdPnd"], 16) >> (number - 1) & 1)


def test_a_stopping_daemon_leaves_a_socket_that_is_not_its_own(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    pid = hark.daemon_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    hark.socket.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(hark.socket))
        other.listen()
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGCONT)
        wait_until(lambda: hark.daemon_pid() is None, DEADLINE_S, "the daemon to end")

        assert hark.socket.exists()
        refused = hark.run("serve")

    assert refused.returncode == 1
    assert f"another program listens on {hark.socket}" in refused.stderr
    assert hark.socket.exists()


def test_a_socket_of_another_program_in_the_place_of_ours_is_left_alone_and_told(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    hark.socket.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(hark.socket))
        other.listen()

        wait_until(
            lambda: [line for line in hark.log() if line["message"] == "cannot be reached"], DEADLINE_S, "a log line"
        )

    [line] = [line for line in hark.log() if line["message"] == "cannot be reached"]
    assert str(hark.socket) in line["detail"]
    # When the other one has ended, its file is a dead one, and the daemon can be reached again.
    assert hark.json("ls") == {"sessions": []}


def test_a_daemon_that_cannot_be_seen_from_here_is_told_and_no_second_one_starts(
    xdg: XdgHark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that has the state directory, and not the runtime directory."""
    xdg.ok("daemon", "start")
    pid = xdg.daemon_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    xdg.socket.unlink()
    try:
        refusal = xdg.refused("ls", environment=xdg.other())
    finally:
        os.kill(pid, signal.SIGCONT)

    assert (refusal.exit_code, refusal.code) == (6, "daemon-unreachable")
    assert f"pid {pid} on {socket.gethostname()}" in refusal.detail
    assert str(xdg.socket) in refusal.detail
    assert "HARK_HOME" in refusal.hint
    assert ready_pids(xdg) == [pid]


def test_a_daemon_whose_lock_was_removed_ends_and_says_why(hark: RunningHark) -> None:
    process = subprocess.Popen([HARK, "serve"], env=hark.environment, stderr=subprocess.PIPE)
    try:
        wait_until(hark.socket.exists, DEADLINE_S, "the socket")
        assert instance.parse((hark.state / "hark.lock").read_bytes()) is not None
        (hark.state / "hark.lock").unlink()

        process.communicate(timeout=DEADLINE_S)
    finally:
        process.kill()
        process.wait()

    assert process.returncode == 1
    [line] = [line for line in hark.log() if line["message"] == "cannot go on"]
    assert (line["level"], "hark.lock was removed" in line["detail"]) == ("critical", True)
    assert not hark.socket.exists()
    assert hark.json("ls") == {"sessions": []}
