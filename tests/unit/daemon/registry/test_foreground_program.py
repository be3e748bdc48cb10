"""The program in the foreground of a terminal, on a terminal of the test's own."""

import os
import pty
import sys
from collections.abc import Iterator

import pytest

from hark.daemon.registry.foreground_program import foreground_command, working_directory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a /proc")


@pytest.fixture
def terminal() -> Iterator[tuple[str, int]]:
    """The name of a terminal in which `cat` is in the foreground, and the process id of `cat`."""
    pid, descriptor = pty.fork()
    if not pid:
        os.chdir("/")
        os.execvp("cat", ["cat", "-u"])
    os.write(descriptor, b"ready\n")
    seen = b""
    while b"ready\r\nready\r\n" not in seen:  # Its echo, and then its output: `cat` runs.
        seen += os.read(descriptor, 100)
    yield os.readlink(f"/proc/{pid}/fd/0"), pid
    os.close(descriptor)
    os.waitpid(pid, 0)


def test_the_command_line_of_the_foreground_process_is_found(terminal: tuple[str, int]) -> None:
    assert foreground_command(terminal[0]) == ("cat", "-u")


def test_the_directory_of_a_process_is_found(terminal: tuple[str, int]) -> None:
    assert working_directory(terminal[1]) == "/"


def test_what_is_no_terminal_or_no_process_is_no_error(tmp_path: os.PathLike[str]) -> None:
    assert foreground_command(os.path.join(tmp_path, "nothing")) is None
    assert foreground_command(os.fspath(tmp_path)) is None
    assert working_directory(2**31 - 1) == ""
