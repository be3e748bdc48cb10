"""An agent behind the airlock lives as it would without it."""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.airlock.running import AIRLOCK, DEADLINE_S, Recorded, Running
from tests.support.terminals import clean_environment, wait_until

PRINT = """
import os, random, sys, tty
tty.setraw(0)
os.write(1, b"READY")
os.read(0, 1)
data = random.Random(1).randbytes(5_000_000) + bytes(range(256))
while data:
    data = data[os.write(1, data):]
"""
PRINTED = random.Random(1).randbytes(5_000_000) + bytes(range(256))

READ_LATER = """
import os, sys, time, tty
tty.setraw(0)
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(1, b"READY")
while not os.path.exists(sys.argv[1] + ".go"):
    time.sleep(0.01)
while data := os.read(0, 65536):
    os.write(record, data.hex().encode() + b"\\n")
"""

SHOW_SIZE = """
import os, signal
def show(*_):
    os.write(1, b"<%dx%d>" % os.get_terminal_size(0))
signal.signal(signal.SIGWINCH, show)
os.write(1, b"READY")
show()
while True:
    signal.pause()
"""

HEAR_SIGNALS = """
import os, signal
def hear(number, _):
    os.write(1, b"<%d>" % number)
    if number == signal.SIGTERM:
        os._exit(7)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, hear)
os.write(1, b"READY")
while True:
    signal.pause()
"""

HEAR_HANG_UP = """
import os, signal, sys
signal.signal(signal.SIGHUP, {action})
os.write(1, b"READY")
while True:
    signal.pause()
"""

# What a shell does with a job: it gives it the terminal, and takes the terminal back when the job stops. SIGUSR1 is its `fg`.
SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
while os.WIFSTOPPED(status := os.waitpid(job, os.WUNTRACED)[1]):
    os.tcsetpgrp(0, os.getpid())
    os.write(1, b"<stopped>")
    signal.sigwait([signal.SIGUSR1])
    os.tcsetpgrp(0, job)
    os.killpg(job, signal.SIGCONT)
os._exit(os.waitstatus_to_exitcode(status))
"""


def behind(socket: Path, *command: str) -> list[str]:
    return [*AIRLOCK, "--socket", str(socket), "--", *command]


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_every_byte_reaches_the_agent_unchanged() -> None:
    with Recorded() as recorded:
        typed = bytes(range(256)) * 4

        recorded.type(typed)

        recorded.wait_input(typed)


def test_all_that_the_agent_prints_is_shown_before_the_airlock_ends() -> None:
    with Recorded(PRINT) as recorded:
        recorded.type(b"x")

        assert recorded.wait_end() == 0

        assert hashlib.sha256(recorded.seen).digest() == hashlib.sha256(b"READY" + PRINTED).digest()


def test_while_nobody_reads_the_terminal_requests_are_answered_and_no_output_is_lost() -> None:
    with Recorded(PRINT) as recorded, recorded.client() as client:
        recorded.look_away()
        recorded.type(b"x")
        wait_until(lambda: client.facts()["output_bytes"] > 10, DEADLINE_S, "the agent to print")

        hold = client.hold()
        assert client.facts()["hold"] == hold
        assert client.facts()["output_bytes"] < len(PRINTED)
        client.release(hold)
        recorded.look()

        assert recorded.wait_end() == 0
        assert recorded.seen == b"READY" + PRINTED


def test_keys_wait_for_an_agent_that_does_not_read() -> None:
    with Recorded(READ_LATER) as recorded, recorded.client() as client:
        typed = bytes(range(256)) * 800

        recorded.type(typed)
        wait_until(lambda: client.facts()["unread_bytes"] > 100_000, DEADLINE_S, "the keys to be kept")
        Path(f"{recorded.record}.go").touch()

        recorded.wait_input(typed)
        assert client.facts()["unread_bytes"] == 0


def test_a_reply_of_the_terminal_that_waits_alone_does_not_count_as_unread() -> None:
    """Codex leaves a focus report unread that comes while it returns from its editor, until the next key."""
    with Recorded(READ_LATER) as recorded, recorded.client() as client:
        recorded.type(b"\x1b[O\x1b[I")
        wait_until(lambda: client.facts()["last_passed_age_s"] is not None, DEADLINE_S, "the reports to be passed on")
        assert client.facts()["unread_bytes"] == 0

        recorded.type(b"k")
        wait_until(lambda: client.facts()["unread_bytes"] == 7, DEADLINE_S, "the key behind them to be counted")
        recorded.type(b"\x1b[O")
        wait_until(lambda: client.facts()["unread_bytes"] == 10, DEADLINE_S, "the report behind the key to be counted")


def test_more_keys_than_are_kept_in_memory_wait_in_the_terminal() -> None:
    with Recorded(READ_LATER) as recorded, recorded.client() as client:
        hold = client.hold()
        client.write(hold, b"w" * 1_100_000)
        client.release(hold)

        recorded.type(b"typed")
        assert client.facts()["held_bytes"] == 0
        Path(f"{recorded.record}.go").touch()

        recorded.wait_input(b"w" * 1_100_000 + b"typed")


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("kill -TERM $$", -signal.SIGTERM),
        ("kill -KILL $$", -signal.SIGKILL),
        ("kill -HUP $$", -signal.SIGHUP),
        ("sleep 60 & exit 4", 4),  # somebody else still has the terminal open
    ],
)
def test_the_airlock_ends_as_the_agent_did(end: str, status: int, tmp_path: Path) -> None:
    with Running(behind(tmp_path / "s", "sh", "-c", f"printf last; {end}")) as running:
        assert running.wait_end() == status

        assert running.seen == b"last"
        assert running.is_restored
        assert not (tmp_path / "s").exists()


def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    with Running(behind(tmp_path / "s", "no-such-command")) as running:
        assert running.wait_end() == 127

        assert b"hark-airlock: no-such-command: No such file or directory" in running.seen
        assert running.is_restored


def test_the_agent_finds_the_same_signals_directory_and_terminal_settings(tmp_path: Path) -> None:
    # TPGID and the like differ; signal dispositions, the environment, the directory and stty's view must not.
    look = "grep ^Sig[IB] /proc/self/status; pwd; umask; env | grep -v '^_='; stty -a"
    with Running(["sh", "-c", look]) as bare:
        bare.wait_end()
    with Running(behind(tmp_path / "s", "sh", "-c", look)) as wrapped:
        wrapped.wait_end()

    assert b"SigIgn" in bare.seen
    assert wrapped.seen == bare.seen


def test_the_agent_has_the_terminals_size_and_hears_of_a_change() -> None:
    with Recorded(SHOW_SIZE) as recorded, recorded.client() as client:
        recorded.wait_seen(b"<80x24>")

        recorded.resize(101, 33)

        recorded.wait_seen(b"<101x33>")
        facts = client.facts()
        assert (facts["columns"], facts["rows"]) == (101, 33)


def test_signals_are_passed_on_and_the_agent_decides() -> None:
    with Recorded(HEAR_SIGNALS) as recorded:
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            recorded.process.send_signal(number)
            recorded.wait_seen(b"<%d>" % number)
        recorded.process.send_signal(signal.SIGTERM)

        assert recorded.wait_end() == 7
        assert recorded.is_restored


@pytest.mark.parametrize("action", ["signal.SIG_DFL", "signal.SIG_IGN", "lambda *_: os._exit(0)"])
def test_no_agent_outlives_its_terminal(action: str) -> None:
    with Recorded(HEAR_HANG_UP.format(action=action)) as recorded:
        with recorded.client() as client:
            agent = client.facts()["agent_pid"]

        recorded.hang_up()

        recorded.process.wait(DEADLINE_S)
        wait_until(lambda: not is_alive(agent), DEADLINE_S, "the agent to end")
        assert not recorded.socket.exists()


def test_an_agent_that_stops_in_a_pane_is_continued_at_once() -> None:
    with Recorded() as recorded, recorded.client() as client:
        os.kill(client.facts()["agent_pid"], signal.SIGSTOP)

        recorded.type(b"still here")

        recorded.wait_input(b"still here")


def test_an_agent_that_stops_below_a_shell_gives_the_terminal_back_and_goes_on_when_continued() -> None:
    with Recorded(before=[sys.executable, "-ISE", "-c", SHELL, *AIRLOCK]) as recorded:
        with recorded.client() as client:
            agent = client.facts()["agent_pid"]
        assert not recorded.is_restored

        os.kill(agent, signal.SIGSTOP)
        recorded.wait_seen(b"<stopped>")
        assert recorded.is_restored
        recorded.process.send_signal(signal.SIGUSR1)
        wait_until(lambda: not recorded.is_restored, DEADLINE_S, "the terminal to be the agent's again")

        recorded.type(b"back<quit>")
        recorded.wait_input(b"back<quit>")
        assert recorded.wait_end() == 0
        assert recorded.is_restored


def test_without_a_terminal_the_agent_runs_all_the_same(tmp_path: Path) -> None:
    finished = subprocess.run(
        behind(tmp_path / "s", "sh", "-c", "stty size; printf done; exit 5"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=clean_environment(),
        timeout=DEADLINE_S,
        check=False,
    )

    assert (finished.returncode, finished.stdout, finished.stderr) == (5, b"24 80\r\ndone", b"")


def test_without_a_socket_the_agent_becomes_the_process_itself() -> None:
    with Running([*AIRLOCK, "--", "sh", "-c", "echo pid $$; exit 6"]) as running:
        assert running.wait_end() == 6

        assert running.seen == b"pid %d\r\n" % running.process.pid


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--help"], 0), (["--socket", "/tmp/x"], 2)])
def test_without_a_command_it_says_how_it_is_called(arguments: list[str], status: int) -> None:
    finished = subprocess.run([*AIRLOCK, *arguments], capture_output=True, timeout=DEADLINE_S, check=False)

    assert finished.returncode == status
    assert finished.stderr.startswith(b"usage: hark-airlock")


BREAK = """
import importlib.util, sys
specification = importlib.util.spec_from_file_location("airlock", sys.argv.pop(1))
airlock = importlib.util.module_from_spec(specification)
specification.loader.exec_module(airlock)
def fail(*_):
    raise RuntimeError("a defect")
airlock.{part} = fail
airlock.main()
"""


AWAIT_END = """
import importlib.util, os, sys
specification = importlib.util.spec_from_file_location("airlock", sys.argv.pop(1))
airlock = importlib.util.module_from_spec(specification)
specification.loader.exec_module(airlock)
make_raw = airlock.Terminal.make_raw
def wait(terminal):
    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    make_raw(terminal)
airlock.Terminal.make_raw = wait
airlock.main()
"""


def test_an_agent_that_ends_before_the_airlock_looks_is_not_waited_for(tmp_path: Path) -> None:
    before = [sys.executable, "-ISE", "-c", AWAIT_END, AIRLOCK[-1], "--socket", str(tmp_path / "s"), "--"]
    with Running([*before, "sh", "-c", "printf last; exit 3"]) as running:
        assert running.wait_end() == 3

        assert running.seen == b"last"
        assert running.is_restored


@pytest.mark.parametrize("part", ["Airlock._release", "Airlock._facts", "Airlock._timeout_s"])
def test_a_defect_of_the_airlock_costs_the_agent_nothing(part: str) -> None:
    before = [sys.executable, "-ISE", "-c", BREAK.format(part=part), AIRLOCK[-1]]
    with Recorded(before=before) as recorded:
        typed = b"" if part == "Airlock._timeout_s" else b"held"
        if typed:
            with recorded.client() as client:
                hold = client.hold()
                recorded.type(typed)
                client.ask(op="write", hold=hold, data="")
                client.hear()
                client.ask(op=part.rpartition("_")[2], hold=hold)
                recorded.wait_seen(b"hark-airlock: RuntimeError('a defect')")

        recorded.type(b" and more<quit>")

        recorded.wait_input(typed + b" and more<quit>")
        assert recorded.wait_end() == 0
        assert recorded.is_restored
