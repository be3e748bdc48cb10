"""Real agents that were killed come back in their conversation, and get what has waited for them once."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from tests.agents.delivering import HARK, Delivering, delivering
from tests.agents.running import START_DEADLINE_S, end_tree, wait_ready

KINDS = ("claude", "codex", "gemini", "opencode")
NATIVE = ("codex", "opencode")


@pytest.fixture(params=KINDS)
def agent(request: pytest.FixtureRequest) -> Iterator[Delivering]:
    with delivering(request.param, is_native=request.param in NATIVE, by_hook=True) as running:
        yield running


def restart(agent: Delivering) -> dict[str, object]:
    settings = {name: value for name, value in agent.hark.environment.items() if name.startswith("HARK_")}
    finished = subprocess.run(
        [HARK, "restart", "--json", "a"],
        env=agent.launch.environment | settings,
        check=True,
        capture_output=True,
        timeout=START_DEADLINE_S,
    )
    return dict(json.loads(finished.stdout))


def test_a_killed_agent_comes_back_in_its_conversation_and_gets_its_queue_once(agent: Delivering) -> None:
    first = agent.send("the first message")
    agent.hark.wait_reached(first, "completed")
    before = agent.hark.session("a")
    end_tree(int(agent.tmux.read(agent.pane, "#{pane_pid}")))
    agent.hark.wait_gone("a")
    second = agent.send("the second message", "--queue")
    agent.hark.wait_status(second, "held", "session-gone")

    agent.hark.ok("hold", "a")  # Gemini CLI loses what comes while it starts.

    made = restart(agent)

    after = agent.hark.session("a")
    try:
        wait_ready(agent.tmux, after["pane_id"], agent.launch.kind)
        agent.hark.ok("release", "a")
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
