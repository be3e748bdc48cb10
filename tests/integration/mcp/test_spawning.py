"""An agent that is spawned over MCP runs in the environment of the session that has asked for it, never in the daemon's."""

from __future__ import annotations

import os
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.integration.mcp.conftest import new_session
from tests.integration.mcp.connecting import Connected, ToolFailed, parameters
from tests.support.terminals import wait_until


@pytest.fixture
def own() -> Iterator[RunningHark]:
    """A daemon of its own: what it was started with is part of the test."""
    with RunningHark() as hark:
        hark.ok("daemon", "start", environment={"SECRET_OF_THE_DAEMON": "1", "PATH": "/usr/bin:/bin"})
        yield hark


def put_agent(hark: RunningHark) -> Path:
    """A program of the demo agent's name that is only on the caller's PATH, and writes down its environment."""
    place = hark.home / "bin"
    place.mkdir()
    program = place / "hark-demo-agent"
    seen = shlex.quote(str(hark.home / "seen"))
    program.write_text(f"#!/bin/sh\nenv -0 > {seen}.tmp && mv {seen}.tmp {seen}\nexec {shlex.quote(PROGRAM)}\n")
    program.chmod(0o700)
    return place


@asynccontextmanager
async def caller(hark: RunningHark, session: str, environment: Mapping[str, str]) -> AsyncIterator[Connected]:
    """An agent of the session that has these variables."""
    pipe = parameters(hark, session).model_copy()
    pipe.env = dict(pipe.env or {}) | dict(environment)
    async with Client(pipe, mode="auto", read_timeout_seconds=DEADLINE_S) as client:
        yield Connected(client)


async def spawn(hark: RunningHark, session: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of the agent that was started."""
    async with caller(hark, session, environment) as agent:
        await agent.call("spawn", agent="demo", task="begin", name="spawned")
    seen = hark.home / "seen"
    wait_until(seen.exists, DEADLINE_S, "the agent to start", hark.log)
    return dict(pair.split("=", 1) for pair in seen.read_text().split("\0") if pair)


async def test_the_spawned_agent_has_the_callers_path_and_variables(own: RunningHark) -> None:
    session = new_session(own, "caller")
    place = put_agent(own)
    mine = {
        "PATH": f"{place}:{os.environ['PATH']}",
        "API_KEY": "sk-mine é\n2",
        "CLAUDECODE": "1",
        "TMUX_PANE": "%77",
    }

    environment = await spawn(own, session, mine)

    assert environment["PATH"] == mine["PATH"]
    assert environment["API_KEY"] == mine["API_KEY"]
    assert environment["HARK_SESSION"] == own.session("spawned")["id"]
    assert "CLAUDECODE" not in environment
    assert environment["TMUX_PANE"] == own.session("spawned")["pane_id"]
    assert "SECRET_OF_THE_DAEMON" not in environment
    assert "sk-mine" not in (own.state / "hark.log").read_text()


async def test_an_agent_that_is_not_on_the_callers_path_is_not_found(own: RunningHark) -> None:
    session = new_session(own, "caller")
    put_agent(own)

    async with caller(own, session, {"PATH": "/usr/bin:/bin"}) as agent:
        with pytest.raises(ToolFailed) as failed:
            await agent.call("spawn", agent="demo", task="begin")

    assert (failed.value.code, "PATH" in failed.value.hint) == ("request-invalid", True)


# whatever a client says there that is no environment: no agent may come of it that could not be started
STRANGE: tuple[object, ...] = (None, "text", [], {"A": 1}, {"A\0": "b"}, {"": "x"}, {"A=B": "c"}, {"HARK_SESSION": "x"})


@pytest.mark.parametrize("said", STRANGE)
async def test_what_is_no_environment_is_left_out(own: RunningHark, said: object) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "spawn",
            "arguments": {"agent": "nothing", "task": "x"},
            "_meta": {"hark/environment": said},
        },
    }
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

    answer = own.api("POST", "/mcp", body, headers)

    assert answer.json["result"]["structuredContent"]["code"] == "agent-unknown"


def test_over_http_an_agent_has_what_its_caller_gives_and_the_usual_path(own: RunningHark) -> None:
    seen = own.home / "seen"
    body = {"command": ["sh", "-c", f"env -0 > {seen}.tmp && mv {seen}.tmp {seen} && exec cat"], "name": "plain"}

    assert own.api("POST", "/sessions", body | {"environment": {"MINE": "1"}}).status == 201

    wait_until(seen.exists, DEADLINE_S, "the program to start", own.log)
    environment = dict(pair.split("=", 1) for pair in seen.read_text().split("\0") if pair)
    assert (environment["MINE"], environment["PATH"]) == ("1", "/usr/bin:/bin")
    assert "SECRET_OF_THE_DAEMON" not in environment
