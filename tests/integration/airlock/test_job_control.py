"""Ctrl-Z behind the airlock is Ctrl-Z without it: a real shell gets its terminal back, and `fg` brings the agent back."""

import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.integration.airlock.running import AIRLOCK, DEADLINE_S, Client, Recorded, Running
from tests.integration.airlock.test_agent import is_alive
from tests.support.terminals import wait_until

# Raw mode, its own answer to Ctrl-Z, and its own words before it stops and after it goes on. "q" ends it with status 5.
AGENT = """
import os, signal, sys, termios, tty
usual = termios.tcgetattr(0)
def work():
    tty.setraw(0, termios.TCSANOW)
    os.write(1, b"\\x1b[?2004hREADY%dx%d\\r\\n" % os.get_terminal_size(0))
work()
while (key := os.read(0, 1)) != b"q":
    if key == b"\\x1a":
        os.write(1, b"\\x1b[?2004lSUSPENDED\\r\\n")
        termios.tcsetattr(0, termios.TCSANOW, usual)
        {stop}
        work()
    else:
        os.write(1, b"<" + key + b">")
sys.exit(5)
"""

WAYS = {
    "the whole group by SIGTSTP": "os.kill(0, signal.SIGTSTP)",
    "itself by SIGTSTP": "os.kill(os.getpid(), signal.SIGTSTP)",
    "the whole group by SIGSTOP": "os.kill(0, signal.SIGSTOP)",
    "itself by SIGSTOP": "os.kill(os.getpid(), signal.SIGSTOP)",
}


class Shell(Running):
    """bash on a terminal, with job control. What a human sees of it is `seen`, from a mark on."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._mark = 0
        super().__init__(["env", "PS1=$ ", "bash", "--norc", "--noprofile", "-i"], environment=environment)

    def enter(self, line: str) -> None:
        self.type(line.encode() + b"\n")

    def wait_next(self, text: bytes) -> None:
        """Until the text is shown after the one that was waited for before."""

        def place() -> int:
            return self.seen.find(text, self._mark) + 1

        wait_until(place, DEADLINE_S, f"{text!r} on the terminal", lambda: self.seen[self._mark :])
        self._mark = place() - 1 + len(text)


@pytest.fixture
def shell() -> Iterator[Shell]:
    with Shell() as running:
        running.wait_next(b"$ ")
        yield running


def behind(directory: Path, program: str) -> str:
    (directory / "agent.py").write_text(program)
    return f"{' '.join(AIRLOCK)} --socket {directory}/s -- {AIRLOCK[0]} -ISE {directory}/agent.py"


def suspend_resume_and_quit(shell: Shell) -> None:
    """Suspends `AGENT` twice, each time resizes the terminal and brings the agent back, and lets it quit with its status."""
    for columns in (81, 82):
        shell.type(b"a\x1a")
        shell.wait_next(b"<a>")
        shell.wait_next(b"SUSPENDED")
        shell.wait_next(b"Stopped")
        shell.wait_next(b"$ ")
        shell.enter("echo still $((40 + 2)); jobs -s | wc -l")
        shell.wait_next(b"still 42\r\n1\r\n")
        shell.resize(columns, 24)
        shell.enter("fg")
        shell.wait_next(f"READY{columns}x24".encode())
    shell.type(b"bq")
    shell.wait_next(b"<b>")
    shell.wait_next(b"$ ")
    shell.enter("echo status $?")
    shell.wait_next(b"status 5\r\n")


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_z_gives_the_shell_its_terminal_and_fg_brings_the_agent_back(
    shell: Shell, tmp_path: Path, way: str
) -> None:
    shell.enter(behind(tmp_path, AGENT.format(stop=WAYS[way])))
    shell.wait_next(b"READY80x24")

    suspend_resume_and_quit(shell)


def test_ctrl_z_stops_a_program_that_leaves_it_to_the_terminal(shell: Shell, tmp_path: Path) -> None:
    shell.enter(f"{' '.join(AIRLOCK)} --socket {tmp_path}/s -- cat")
    shell.enter("one")
    shell.wait_next(b"one\r\none\r\n")

    shell.type(b"\x1a")
    shell.wait_next(b"Stopped")
    shell.enter("fg")
    shell.wait_next(b"fg\r\n")
    shell.enter("two")
    shell.wait_next(b"two\r\ntwo\r\n")
    shell.type(b"\x04")
    shell.wait_next(b"$ ")
    shell.enter("echo status $?")
    shell.wait_next(b"status 0\r\n")


def test_a_stopped_job_that_the_shell_kills_ends(shell: Shell, tmp_path: Path) -> None:
    shell.enter(behind(tmp_path, AGENT.format(stop=WAYS["itself by SIGTSTP"])))
    shell.wait_next(b"READY")
    with Client(tmp_path / "s") as client:
        agent, airlock = client.facts()["agent_pid"], client.facts()["airlock_pid"]
    shell.type(b"\x1a")
    shell.wait_next(b"Stopped")

    shell.enter("kill %1")

    wait_until(lambda: not is_alive(agent), DEADLINE_S, "the agent to end")
    wait_until(lambda: not is_alive(airlock), DEADLINE_S, "the airlock to end")
    shell.enter("true")
    shell.wait_next(b"Terminated")


def test_a_stop_signal_from_outside_stops_both(shell: Shell, tmp_path: Path) -> None:
    shell.enter(behind(tmp_path, AGENT.format(stop="pass")))
    shell.wait_next(b"READY")
    with Client(tmp_path / "s") as client:
        airlock = client.facts()["airlock_pid"]

    os.kill(airlock, signal.SIGTSTP)

    shell.wait_next(b"Stopped")
    shell.enter("fg")
    shell.wait_next(b"fg\r\n")
    shell.type(b"c")
    shell.wait_next(b"<c>")


def test_an_agent_that_nobody_could_continue_goes_on_at_once() -> None:
    with Recorded(AGENT.format(stop=WAYS["itself by SIGSTOP"])) as recorded:
        recorded.type(b"\x1ax")

        recorded.wait_seen(b"<x>")


def test_nothing_is_written_to_an_agent_that_has_stopped() -> None:
    with Recorded() as recorded, recorded.client() as watcher, recorded.client() as client:
        assert watcher.call(op="watch")["status"] is None
        hold = client.hold()

        os.kill(client.facts()["agent_pid"], signal.SIGSTOP)

        assert watcher.hear() == {"event": "stopped"}
        assert client.write(hold, b"no")["error"] == "agent-stopped"
        client.release(hold)
        client.wait_facts(is_stopped=True, hold=None)
        assert client.call(op="hold", seconds=1)["error"] == "agent-stopped"
        recorded.type(b"key")
        os.kill(recorded.process.pid, signal.SIGCONT)
        recorded.wait_input(b"key")


def test_an_agent_goes_on_when_the_one_who_would_continue_it_is_gone() -> None:
    with Recorded() as recorded, recorded.client() as client:
        with recorded.client() as watcher:
            watcher.call(op="watch")
            os.kill(client.facts()["agent_pid"], signal.SIGSTOP)
            assert watcher.hear() == {"event": "stopped"}

        recorded.type(b"key")

        recorded.wait_input(b"key")


@pytest.mark.parametrize(("end", "status"), [("exit 3", 3 << 8), ("kill -TERM $$", signal.SIGTERM)])
def test_a_watcher_is_told_how_the_agent_has_ended_while_its_last_words_are_there(
    tmp_path: Path, end: str, status: int
) -> None:
    command = [*AIRLOCK, "--socket", str(tmp_path / "s"), "--watched", "--", "sh", "-c", f"printf last; {end}"]
    with Running(command) as running:
        running.wait_seen(b"last")

        with Client(tmp_path / "s") as watcher:
            told = watcher.call(op="watch")
            ended = told["status"] if told["status"] is not None else watcher.hear()["status"]
            assert running.process.poll() is None

        assert ended == status
        running.wait_end()


def test_a_keeper_that_is_killed_takes_nothing_along_but_the_agent() -> None:
    with Recorded() as recorded, recorded.client() as client:
        agent = client.facts()["agent_pid"]
        keeper = int(Path(f"/proc/{agent}/stat").read_text().rpartition(")")[2].split()[1])

        os.kill(keeper, signal.SIGKILL)

        wait_until(lambda: not is_alive(agent), DEADLINE_S, "the agent to be hung up")
        assert recorded.wait_end() == -signal.SIGKILL
        assert recorded.is_restored
