"""`hark run` outside tmux is the plain program: to the shell, to the terminal, and to whoever looks at it afterwards."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.airlock.running import Running
from tests.integration.airlock.test_agent import is_alive
from tests.integration.airlock.test_job_control import AGENT, WAYS, Shell, suspend_resume_and_quit
from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until


@pytest.fixture
def shell(hark: RunningHark) -> Iterator[Shell]:
    hark.ok("ls")
    with Shell(hark.environment | {"COLORTERM": "truecolor"}) as running:
        running.wait_next(b"$ ")
        yield running


@pytest.fixture(scope="module")
def empty() -> Iterator[RunningHark]:
    """A daemon that never gets a session, for all tests that open none."""
    with RunningHark() as running:
        running.ok("ls")
        yield running


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def write_agent(hark: RunningHark, way: str = "itself by SIGTSTP") -> str:
    (hark.home / "agent.py").write_text(AGENT.format(stop=WAYS[way]))
    return f"{HARK} run -n here -- python3 {hark.home}/agent.py"


def one_session(hark: RunningHark) -> str:
    [session] = hark.json("ls")["sessions"]
    return str(session["name"])


@pytest.mark.parametrize("call", ["--version", "mcp list", "-p hello", "--print=hello", "-pc", "doctor"])
def test_a_call_that_opens_no_session_is_the_plain_program(empty: RunningHark, call: str) -> None:
    claude = script(empty.home / "claude", 'echo "got $*"; tty; exit 7')
    with Shell(empty.environment) as shell:
        shell.wait_next(b"$ ")

        shell.enter(f"tty; {HARK} run -- {claude} {call}; echo status $?")

        terminal = os.ttyname(shell.line).encode()
        shell.wait_next(terminal + b"\r\n")
        shell.wait_next(f"got {call}\r\n".encode())
        shell.wait_next(terminal + b"\r\nstatus 7\r\n")
    assert empty.json("ls", "--all")["sessions"] == []


@pytest.mark.parametrize(
    ("end", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -KILL $$", 137)]
)
def test_status_and_last_words_are_given_back_and_no_session_is_left(
    hark: RunningHark, shell: Shell, end: str, status: int
) -> None:
    words = r"printf '\033[?1049hdrawn\033[?1049l\033[38;2;1;2;3mResume this session with\033[0m: é'"
    program = script(hark.home / "program", f"{words}; {end}")

    shell.enter(f"{HARK} run -- {program}; echo; echo status $?")

    shell.wait_next(b"\x1b[38;2;1;2;3mResume this session with")
    shell.wait_next(": é".encode())
    shell.wait_next(b"$ ")
    shell.enter(f"{HARK} run -- {program} >&2; echo status $?")
    shell.wait_next(f"status {status}\r\n".encode())
    wait_until(lambda: hark.json("ls")["sessions"] == [], DEADLINE_S, "the session to be gone")
    assert b"[exited]" not in shell.seen


def test_a_program_that_is_not_there_is_told_as_the_shell_tells_it(hark: RunningHark, shell: Shell) -> None:
    shell.enter(f"{HARK} run -- no-such-program; echo status $?")

    shell.wait_next(b"status 127\r\n")


def test_without_a_daemon_the_agent_runs_all_the_same(hark: RunningHark) -> None:
    environment = hark.environment | {"HARK_NO_AUTOSTART": "1"}
    program = script(hark.home / "program", "tty; exit 6")
    with Shell(environment) as shell:
        shell.wait_next(b"$ ")

        shell.enter(f"{HARK} run -- {program}; echo status $?")

        shell.wait_next(os.ttyname(shell.line).encode() + b"\r\nstatus 6\r\n")


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_z_gives_the_shell_its_terminal_and_fg_brings_the_agent_back(
    hark: RunningHark, shell: Shell, way: str
) -> None:
    shell.enter(write_agent(hark, way))
    shell.wait_next(b"READY80x24")

    suspend_resume_and_quit(shell)

    assert hark.json("ls")["sessions"] == []


def test_a_suspended_session_gets_nothing_and_its_draft_is_there_afterwards(hark: RunningHark, shell: Shell) -> None:
    log = hark.home / "log"
    shell.enter(f"{HARK} run -n here -- {PROGRAM} --log {log}")
    wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent", lambda: shell.seen)
    shell.type(b"half a dra")
    shell.wait_next(b"half a dra")

    shell.type(b"\x1a")
    shell.wait_next(b"Stopped")
    shell.wait_next(b"$ ")
    message = hark.ok("send", "-q", "here", "hello").strip()
    hark.wait_status(message, "held", "agent-not-running")
    shell.enter("fg")

    hark.wait_status(message, "completed")
    assert "half a dra" in hark.tmux("capture-pane", "-p", "-t", hark.session("here")["pane_id"])


def test_bg_leaves_the_terminal_to_the_shell(hark: RunningHark, shell: Shell) -> None:
    shell.enter(write_agent(hark))
    shell.wait_next(b"READY")
    shell.type(b"\x1a")
    shell.wait_next(b"Stopped")
    shell.wait_next(b"$ ")

    shell.enter("bg")
    shell.wait_next(b"$ ")
    shell.enter("echo still $((40 + 2))")
    shell.wait_next(b"still 42\r\n")
    shell.enter("fg")

    shell.wait_next(b"READY")
    shell.type(b"q")
    shell.wait_next(b"$ ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_to_hark_run_is_a_signal_to_the_agent(hark: RunningHark, shell: Shell, number: signal.Signals) -> None:
    ready = hark.home / "ready"
    program = script(hark.home / "program", f"ulimit -c 0; echo up; touch {ready}; while :; do sleep 0.1; done")
    shell.enter(f"{HARK} run -- {program}")
    wait_until(ready.exists, DEADLINE_S, "the program", lambda: shell.seen)
    shell.wait_next(b"up")

    wait_until(lambda: run_pid(str(program)), DEADLINE_S, "hark run")
    os.kill(run_pid(str(program)), number)
    shell.wait_next(b"$ ")
    shell.enter("echo status $?")

    shell.wait_next(f"status {128 + number}\r\n".encode())


def run_pid(program: str) -> int:
    """The process that is `hark run` of the program; 0 if there is none."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"run" in words and program.encode() in words:
                return int(entry.name)
    return 0


def test_a_closed_terminal_ends_the_agent_as_it_would_end_the_plain_program(hark: RunningHark) -> None:
    hark.ok("ls")
    pid = hark.home / "pid"
    program = script(hark.home / "program", f"echo $$ > {pid}.new; mv {pid}.new {pid}; while :; do sleep 0.1; done")
    with Running([HARK, "run", "--", str(program)], environment=hark.environment) as running:
        wait_until(pid.exists, DEADLINE_S, "the program", lambda: running.seen)

        running.hang_up()

        wait_until(lambda: not is_alive(int(pid.read_text())), DEADLINE_S, "the agent to end")
        wait_until(lambda: hark.json("ls")["sessions"] == [], DEADLINE_S, "the session to be gone")


# `hark run` as a slow machine would run it: its session has begun, and it asks for the airlock only after the signal was sent.
SLOW_RUN = """
import sys, time
from pathlib import Path
from hark.cli.starting_agents import outside_tmux as foreground
from hark.cli.main import main
connect = foreground._connect
def connect_late(path):
    while not Path(sys.argv[3] + ".sent").exists():
        time.sleep(0.01)
    return connect(path)
foreground._connect = connect_late
main()
"""


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_that_comes_while_the_agent_starts_is_the_agents(hark: RunningHark, number: signal.Signals) -> None:
    hark.ok("ls")
    pid, sent = hark.home / "pid", hark.home / "program.sent"
    program = script(hark.home / "program", f"echo $$ > {pid}.new; mv {pid}.new {pid}; while :; do sleep 0.1; done")

    with Running([sys.executable, "-c", SLOW_RUN, "run", "--", str(program)], environment=hark.environment) as running:
        wait_until(pid.exists, DEADLINE_S, "the program", lambda: running.seen)
        os.kill(running.process.pid, number)
        sent.touch()

        wait_until(lambda: not is_alive(int(pid.read_text())), DEADLINE_S, "the agent to end")
        wait_until(lambda: hark.json("ls")["sessions"] == [], DEADLINE_S, "the session to be gone")


def test_detaching_leaves_the_agent_running_and_says_how_to_come_back(hark: RunningHark, shell: Shell) -> None:
    shell.enter(write_agent(hark))
    shell.wait_next(b"READY")

    shell.type(b"\x02d")

    shell.wait_next(b"hark attach here")
    shell.wait_next(b"$ ")
    shell.enter("echo status $?")
    shell.wait_next(b"status 0\r\n")
    assert one_session(hark) == "here"
