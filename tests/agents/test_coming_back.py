"""Real agents that were killed come back in their conversation, and get what has waited for them once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agents.delivering import Delivering, delivering
from tests.agents.running import end_tree

KINDS = ("claude", "codex", "gemini", "opencode")
NATIVE = ("codex", "opencode")


@pytest.fixture(params=KINDS)
def agent(request: pytest.FixtureRequest) -> Iterator[Delivering]:
    with delivering(request.param, is_native=request.param in NATIVE, by_hook=True) as running:
        yield running


def test_a_killed_agent_comes_back_in_its_conversation_and_gets_its_queue_once(agent: Delivering) -> None:
    first = agent.send("the first message")
    agent.hark.wait_reached(first, "completed")
    before = agent.hark.session("a")
    end_tree(int(agent.tmux.read(agent.pane, "#{pane_pid}")))
    agent.hark.wait_gone("a")
    second = agent.send("the second message", "--queue")
    agent.hark.wait_status(second, "held", "session-gone")

    made = agent.restart()

    after = agent.hark.session("a")
    try:
        assert (after["id"], after["name"]) == (before["id"], "a")
        assert made["conversation"]
        agent.hark.wait_reached(second, "completed")
        turn = [one for one in agent.stand_in.received() if not one.is_side][-1]
        assert turn.holds("the second message")
        assert turn.position >= 1  # The model is told what was said before.
        assert [text for text in agent.bodies() if "second" in text] == ["the second message"]
        assert [text for text in agent.bodies() if "first" in text] == ["the first message"]
    finally:
        agent.hark.run("kill", "a")
