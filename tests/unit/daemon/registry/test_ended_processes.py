"""A process that has ended is not alive, even if its parent has not taken note of it yet."""

import os
import subprocess
import sys

from hark.daemon.registry.endings import _is_alive
from tests.support.terminals import wait_until


def test_a_process_that_nobody_has_reaped_is_not_alive() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    try:
        wait_until(lambda: not _is_alive(ended.pid), 60, "the end of the process")
        assert ended.returncode is None, "nobody has waited for it"
    finally:
        ended.wait()


def test_this_process_is_alive() -> None:
    assert _is_alive(os.getpid())
