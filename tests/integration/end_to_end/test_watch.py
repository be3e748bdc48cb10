"""hark watch: any command on a terminal of its own, which goes on whatever happens to the daemon."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.integration.end_to_end.test_signals import Printing, missed, printing, signals, wait_signals
from tests.support.terminals import wait_until

__all__ = ["printing"]
MARKER = "--<[hark:needs_input:from far]>--"


class Person:
    """Somebody at a terminal, in whose shell a command runs."""

    def __init__(self, hark: RunningHark, *command: str, **environment: str) -> None:
        self._command = command
        self._environment = hark.environment | environment
        self._seen = b""

    @contextmanager
    def sits(self) -> Iterator[Person]:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(self._command[0], self._command, self._environment)
        os.set_blocking(self.terminal, False)
        self.resize(24, 80)
        try:
            yield self
        finally:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self.terminal)

    def resize(self, rows: int, columns: int) -> None:
        termios.tcsetwinsize(self.terminal, (rows, columns))

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def seen(self) -> str:
        try:
            while data := os.read(self.terminal, 65536):
                self._seen += data
        except OSError:
            pass
        return self._seen.decode(errors="replace")

    def wait_seen(self, text: str, count: int = 1) -> None:
        wait_until(lambda: self.seen().count(text) >= count, DEADLINE_S, f"{text!r} to be seen", self.seen)


def watch(hark: RunningHark, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return hark.run("watch", *arguments, environment=environment)


def test_configured_namespaces_are_heard_from_the_environment_and_from_the_file(hark: RunningHark) -> None:
    script = "echo '--<[mine:completed:one]>--'; echo '--<[hark:completed:two]>--'"

    by_environment = watch(hark, "--", "sh", "-c", script, HARK_SIGNAL_NAMESPACES="mine, other")
    config = hark.home / "config/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('signal_namespaces = "mine"\n')
    by_file = watch(hark, "--", "sh", "-c", script)

    for done in (by_environment, by_file):
        assert "signal completed: one" in done.stderr
        assert "two" not in done.stderr


def test_a_near_miss_is_said_and_for_a_session_it_is_logged(printing: Printing) -> None:
    line = "schmux:completed:no brackets at all"

    alone = watch(printing.hark, "--", "echo", line)
    watch(printing.hark, "-n", "p", "--", "echo", line)

    assert f"potential missed signal: {line}" in alone.stderr
    wait_until(lambda: line in missed(printing.hark), 20, "the near miss in the log", printing.hark.log)


def test_the_name_is_checked_before_the_command_is_started(hark: RunningHark, tmp_path: Path) -> None:
    made = tmp_path / "made"

    done = watch(hark, "-n", "nosuch", "--", "touch", str(made))

    assert done.returncode == 3
    assert "nosuch" in done.stderr
    assert not made.exists()


def test_a_signal_of_a_watched_command_is_one_of_a_terminal(printing: Printing) -> None:
    watch(printing.hark, "-n", "p", "--", "echo", MARKER)

    wait_signals(printing.hark, ("needs_input", "from far"))
    assert printing.hark.session("p")["signal_source"] == "terminal"


def test_a_command_goes_on_without_a_daemon_and_what_it_announces_is_told_when_the_daemon_is_back(
    printing: Printing, tmp_path: Path
) -> None:
    hark, script = printing.hark, tmp_path / "script"
    script.write_text(
        f"echo begun; read line; echo '{MARKER}'; read line; echo '--<[hark:error:second]>--'; read line; exit 7\n"
    )
    command = f"{HARK} watch -n p -- sh {script}; echo status=$?"
    with Person(hark, "sh", "-c", command, HARK_NO_AUTOSTART="1").sits() as person:
        person.wait_seen("begun")
        hark.ok("daemon", "stop")
        person.type("1\r")
        person.wait_seen("the command goes on")
        person.type("2\r")
        person.wait_seen("second")
        hark.ok("daemon", "start")

        wait_signals(hark, ("needs_input", "from far"), ("error", "second"))
        person.type("3\r")
        person.wait_seen("status=7")
        assert person.seen().count("hark watch: ") == 1


def test_a_command_is_started_and_ends_as_usual_with_no_daemon_at_all(hark: RunningHark) -> None:
    done = watch(hark, "-n", "p", "--", "sh", "-c", "echo words; exit 4", HARK_NO_AUTOSTART="1")

    assert (done.returncode, done.stdout) == (4, "words\r\n")
    assert "the daemon is not running; the command goes on" in done.stderr


def test_a_session_that_ends_meanwhile_does_not_end_the_command(printing: Printing, tmp_path: Path) -> None:
    script = f"read line; echo '{MARKER}'; read line; exit 5"
    with Person(
        printing.hark, "sh", "-c", f'{HARK} watch -n p -- sh -c "echo begun; {script}"; echo status=$?'
    ).sits() as person:
        person.wait_seen("begun")
        printing.hark.ok("kill", "p")
        person.type("1\r")
        person.wait_seen("from far")
        person.type("2\r")

        person.wait_seen("status=5")


def test_the_commands_window_follows_the_persons(hark: RunningHark) -> None:
    script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.1; done"
    with Person(hark, HARK, "watch", "--", "sh", "-c", script).sits() as person:
        person.wait_seen("24 80")
        person.resize(33, 111)

        person.wait_seen("33 111")


def test_ctrl_c_and_the_jobs_of_a_shell_work_as_without_us(hark: RunningHark) -> None:
    with Person(hark, HARK, "watch", "--", "sh", "-i").sits() as person:
        person.type("PS1=; trap 'echo caught' INT; echo ready$((1+1)); sleep 60\r")
        person.wait_seen("ready2")
        person.type("\x03")
        person.wait_seen("caught")
        person.type("sleep 60\r")
        wait_until(lambda: "sleep 60" in running(), DEADLINE_S, "the sleep")
        person.type("\x1a")
        person.wait_seen("Stopped")
        assert "no job control" not in person.seen()


def test_a_command_that_is_stopped_gives_the_terminal_back_and_goes_on_when_we_do(hark: RunningHark) -> None:
    script = "echo begun; read line; echo got-$line"
    with Person(hark, "sh", "-i").sits() as person:
        person.type(f"PS1=; {HARK} watch -- sh -c '{script}'; echo over\r")
        person.wait_seen("begun\r")
        person.type("\x1a")
        person.wait_seen("Stopped")
        person.type("echo back$((20+1))\r")
        person.wait_seen("back21")
        person.type("fg\r")
        person.type("words\r")

        person.wait_seen("got-words")


def test_a_signal_that_ends_the_command_is_its_exit_code(hark: RunningHark) -> None:
    assert watch(hark, "--", "sh", "-c", "kill -TERM $$").returncode == 128 + signal.SIGTERM
    assert watch(hark, "--", "hark-no-such-program").returncode == 127


def test_a_large_paste_into_a_command_that_does_not_read_yet_wedges_nothing(hark: RunningHark) -> None:
    gate = hark.home / "gate"
    script = "stty raw -echo; echo begun; while [ ! -e $0 ]; do echo busy; sleep 0.2; done; head -c 200000 | wc -c"
    with Person(hark, HARK, "watch", "--", "sh", "-c", script, str(gate)).sits() as person:
        person.wait_seen("begun")
        pasting = Pasting(person, 200_000)
        wait_until(lambda: pasting.go_on() or person.seen().count("busy") > 3, DEADLINE_S, "output beside the paste")
        gate.touch()

        wait_until(lambda: pasting.go_on() and "200000" in person.seen(), DEADLINE_S, "all of it", person.seen)


class Pasting:
    def __init__(self, person: Person, size: int) -> None:
        self._person = person
        self._left = b"x" * size

    def go_on(self) -> bool:
        """True when all is written."""
        try:
            while self._left:
                self._left = self._left[os.write(self._person.terminal, self._left[:4096]) :]
        except BlockingIOError:
            self._person.seen()
        return not self._left


def test_a_command_in_its_own_pane_is_not_heard_twice(printing: Printing) -> None:
    printing.do(f"{HARK} watch -- echo '{MARKER}'; echo over")
    printing.wait_shown("over")
    printing.print("--<[hark:completed:the end]>--")

    wait_signals(printing.hark, ("needs_input", "from far"), ("completed", "the end"))
    assert len(signals(printing.hark)) == 2


def running() -> str:
    return subprocess.run(["ps", "-ax", "-o", "args="], capture_output=True, text=True, check=True).stdout
