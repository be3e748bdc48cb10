"""The keeper, with scripts in the place of Codex: what it starts, what it falls back to, what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.agents.codex import server
from tests.support.terminals import wait_until

DEADLINE_S = 20.0
PYTHON = sys.executable

# `app-server … --listen unix://PATH` listens elsewhere, puts a link there as Codex does, and lives on; anything else says how it was called, and ends when told to.
LISTENS = """\
#!{python}
import os, socket, sys, time
if sys.argv[1] == "app-server":
    open({directory!r} + "/server", "w").write(" ".join(map(str, [os.getpid(), *sys.argv[1:]])))
    where = socket.socket(socket.AF_UNIX)
    where.bind({directory!r} + "/real")
    open({directory!r} + "/real.lock", "w").close()
    os.symlink({directory!r} + "/real", sys.argv[-1].removeprefix("unix://"))
    where.listen()
    time.sleep(60)
print(" ".join(sys.argv[1:]), flush=True)
sys.exit(len(sys.stdin.read()))
"""
FAILS = """\
#!/bin/sh
[ "$1" = app-server ] && exit 2
echo "$*"
"""


@pytest.fixture
def directory() -> Iterator[Path]:
    """A socket's path has room for about 100 bytes."""
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp", ignore_cleanup_errors=True) as made:
        yield Path(made)


def codex(directory: Path, script: str) -> Path:
    program = directory / "codex"
    program.write_text(script.format(python=PYTHON, directory=str(directory)))
    program.chmod(0o700)
    return program


def begin(program: Path, socket: Path, *words: str) -> subprocess.Popen[str]:
    command = [PYTHON, "-ISE", server.__file__, "--socket", str(socket), "--", str(program), *words]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )


def server_of(directory: Path) -> tuple[int, list[str]]:
    pid, *words = (directory / "server").read_text().split(" ")
    return int(pid), words


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_agent_runs_on_a_server_of_its_own_and_takes_it_along(directory: Path) -> None:
    socket = directory / "door" / "codex.sock"
    agent = begin(codex(directory, LISTENS), socket, "-c", "a=1", "a prompt")
    assert agent.stdout
    assert agent.stdin

    assert agent.stdout.readline() == f"--remote unix://{socket} -c a=1 a prompt\n"
    pid, words = server_of(directory)
    assert words == ["app-server", "-c", "a=1", "--listen", f"unix://{socket}"]
    assert is_alive(pid)
    agent.communicate("xyz", timeout=DEADLINE_S)

    assert agent.returncode == 3
    wait_until(lambda: not is_alive(pid), DEADLINE_S, "the end of the server")
    wait_until(lambda: not socket.parent.exists(), DEADLINE_S, "a clean place")
    assert sorted(path.name for path in directory.iterdir()) == ["codex", "server"]


def test_without_a_server_the_agent_starts_as_it_was_typed(directory: Path) -> None:
    agent = begin(codex(directory, FAILS), directory / "door" / "codex.sock", "a prompt")

    output, _ = agent.communicate(timeout=DEADLINE_S)

    assert (output, agent.returncode) == ("a prompt\n", 0)
    wait_until(lambda: not (directory / "door").exists(), DEADLINE_S, "a clean place")


def test_an_agent_that_is_killed_takes_its_server_along(directory: Path) -> None:
    agent = begin(codex(directory, LISTENS), directory / "door" / "codex.sock")
    assert agent.stdout
    agent.stdout.readline()
    pid, _ = server_of(directory)

    agent.kill()

    agent.communicate(timeout=DEADLINE_S)
    wait_until(lambda: not is_alive(pid), DEADLINE_S, "the end of the server")


def test_a_keeper_that_is_killed_takes_the_server_along(directory: Path) -> None:
    agent = begin(codex(directory, LISTENS), directory / "door" / "codex.sock")
    assert agent.stdout
    agent.stdout.readline()
    pid, _ = server_of(directory)
    keeper = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

    os.kill(keeper, signal.SIGKILL)

    wait_until(lambda: not is_alive(pid), DEADLINE_S, "the end of the server")
    agent.communicate("", timeout=DEADLINE_S)
    assert agent.returncode == 0


def test_a_program_that_is_not_there_is_said_to_be_missing(directory: Path) -> None:
    agent = begin(directory / "nothing", directory / "door" / "codex.sock")

    output, _ = agent.communicate(timeout=DEADLINE_S)

    assert agent.returncode == 127
    assert "No such file" in output


def test_settings_that_both_must_know_are_told_to_both() -> None:
    words = ["-m", "x", "-c", "a=1", "--config=b=2", "--enable", "f", "--disable=g", "resume"]

    assert server.shared_settings(words) == ["-c", "a=1", "--config=b=2", "--enable", "f", "--disable=g"]
