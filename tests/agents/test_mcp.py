"""Real agents with hark as their MCP server: they list its tools, and a tool knows which session calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

PIPE = str(Path(sys.executable).with_name("hark-mcp"))
WARM_UPS = 10
TOOLS = ("send", "check_inbox", "ack", "signal", "remind", "sessions", "wait")


@pytest.fixture(scope="module", params=("claude", "gemini"))
def agent(request: pytest.FixtureRequest) -> Iterator[Delivering]:
    with delivering(request.param, mcp=PIPE) as running:
        warm_up(running)
        yield running


def warm_up(agent: Delivering) -> None:
    """An agent is ready for its first prompt before it has connected to its servers, and tells nobody when it has."""
    for number in range(WARM_UPS):
        before = agent.bodies()
        agent.deliver(f"warm up {number}")
        agent.wait_bodies(*before, f"warm up {number}")
        agent.wait_ready()
        if listed(agent):
            return


def listed(agent: Delivering) -> set[str]:
    """The tools of hark that the agent offers to its model."""
    named = [tool for request in agent.stand_in.received() for tool in request.tools if "hark" in tool]
    return {own for own in TOOLS for tool in named if tool.endswith(f"_{own}")}


def test_the_model_is_offered_every_tool(agent: Delivering) -> None:
    assert listed(agent) == set(TOOLS)


def test_a_signal_comes_from_the_session_that_calls(agent: Delivering) -> None:
    agent.send('[[call=signal {"state": "needs_input", "text": "which one?"}]]')

    def session() -> dict[str, object]:
        return agent.hark.session("a")

    wait_until(lambda: session()["nudge_seq"] == 1, DEADLINE_S, "the signal", lambda: agent.screen().text)
    agent.wait_ready()


def test_an_inbox_message_is_fetched_and_acknowledged(agent: Delivering) -> None:
    message_id = agent.send("for the inbox", "--inbox")

    agent.send("[[call=check_inbox {}]]")
    agent.hark.wait_status(message_id, "submitted")
    agent.wait_ready()
    agent.send(f'[[call=ack {{"id": "{message_id}", "done": true}}]]')
    done = agent.hark.wait_status(message_id, "completed")

    assert [receipt["status"] for receipt in done["receipts"]] == [
        "queued",
        "submitted",
        "acknowledged",
        "completed",
    ]
    agent.wait_ready()
    assert "for the inbox" not in agent.bodies()
