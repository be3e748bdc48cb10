"""The script by which tmux sees that the daemon has ended, run by a real shell on real processes."""

import os
import subprocess

import pytest

from hark.terminal.holds import watch_script as watching
from hark.terminal.holds.watch_script import watch_script
from tests.integration.keyhold.stage import DEADLINE_S

LONGEST_S = 1.0
SAYS = "kill -9 $$"
"""The script that is watched for: the output of all that follows goes to nobody, so the shell says it by the way it ends."""
HAS_RUN = -9
HAS_NOT_RUN = 0


def ended_and_forgotten() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def run(process: int) -> int:
    script = watch_script(SAYS, LONGEST_S, process=process)
    return subprocess.run(["sh", "-c", script], timeout=DEADLINE_S, env={"PATH": os.environ["PATH"]}).returncode


def test_a_process_that_ended_before_the_first_look_has_ended() -> None:
    assert run(ended_and_forgotten()) == HAS_RUN


def test_a_process_whose_parent_has_not_asked_for_it_has_ended() -> None:
    with subprocess.Popen(["true"]) as unasked:
        os.waitid(os.P_PID, unasked.pid, os.WEXITED | os.WNOWAIT)
        assert run(unasked.pid) == HAS_RUN


def test_a_process_that_ends_meanwhile_has_ended() -> None:
    with subprocess.Popen(["sleep", str(LONGEST_S / 2)]) as ending:
        assert run(ending.pid) == HAS_RUN


def test_a_process_that_lives_has_not_ended() -> None:
    assert run(os.getpid()) == HAS_NOT_RUN


@pytest.mark.parametrize("strange", ["another container", "another user"])
def test_a_shell_that_cannot_see_us_runs_nothing(monkeypatch: pytest.MonkeyPatch, strange: str) -> None:
    if strange == "another container":
        monkeypatch.setattr(watching, "_namespace", lambda: "pid:[1]")
    else:
        monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert run(ended_and_forgotten()) == HAS_NOT_RUN
