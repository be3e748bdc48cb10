"""A home that belongs to somebody else, as under `sudo` or `su`: every command says so, with a hint and its exit code."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.model.errors import Exit
from tests.integration.airlock.running import Running
from tests.integration.end_to_end.running import DEADLINE_S, HARK, clean_environment

AS_A_NORMAL_USER = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []
"""root may open everything, unless it gives that right away."""


@pytest.fixture(params=["HOME", "HARK_HOME"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    yield clean_environment() | {request.param: str(closed)}
    closed.chmod(0o700)


COMMANDS = (
    "ls",
    "send a hi",
    "new -d -- cat",
    "adopt %0",
    "attach a",
    "logs",
    "stats",
    "events",
    "daemon start",
    "daemon stop",
    "serve",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_it_may_not_use_and_what_to_do(environment: dict[str, str], command: str) -> None:
    words = [*AS_A_NORMAL_USER, HARK, *command.split()]
    finished = subprocess.run(
        words,
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )

    assert "closed" in finished.stderr
    assert "Permission denied" in finished.stderr
    assert "hint: " in finished.stderr
    assert "unexpected" not in finished.stderr
    # `hark serve` meets its settings first.
    assert finished.returncode == (Exit.USAGE if command == "serve" else Exit.NOT_ALLOWED)
    assert finished.stdout == ""


def test_the_same_for_programs(environment: dict[str, str]) -> None:
    words = [*AS_A_NORMAL_USER, HARK, "ls", "--json"]
    finished = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False)

    problem = json.loads(finished.stderr)
    assert (finished.returncode, problem["code"]) == (Exit.NOT_ALLOWED, "state-not-writable")
    assert problem["hint"]


def test_hark_run_runs_the_program_all_the_same(environment: dict[str, str]) -> None:
    words = [*AS_A_NORMAL_USER, HARK, "run", "--", "sh", "-c", "echo plainly; exit 7"]
    with Running(words, environment=environment) as running:
        assert running.wait_end() == 7

        assert b"running sh without hark" in running.seen
        assert b"plainly" in running.seen
