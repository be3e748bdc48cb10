"""`hark run` of a real agent's call that opens no session prints what the agent prints, and leaves no session behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.launch import NOWHERE, Launch, launch_claude, launch_codex, launch_gemini, launch_opencode
from tests.integration.airlock.running import Running
from tests.integration.end_to_end.running import HARK, RunningHark

LAUNCHES: dict[str, Callable[[Path, str], Launch]] = {
    "claude": launch_claude,
    "codex": launch_codex,
    "gemini": launch_gemini,
    "opencode": launch_opencode,
}
CALLS = [("claude", "mcp", "list"), *((name, "--version") for name in LAUNCHES)]


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_call_that_opens_no_session_is_the_plain_program(tmp_path: Path, call: tuple[str, ...]) -> None:
    name, *arguments = call
    launch = LAUNCHES[name](tmp_path, NOWHERE)
    command = [launch.command[0], *arguments]
    with RunningHark() as hark:
        hark.ok("ls")
        environment = hark.environment | launch.environment
        with Running(command, environment=environment) as plain:
            status = plain.wait_end()
        with Running([HARK, "run", "--", *command], environment=environment) as behind:
            assert behind.wait_end() == status

        assert plain.seen
        assert behind.seen == plain.seen
        assert hark.json("ls", "--all")["sessions"] == []
