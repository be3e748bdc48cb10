"""What is known of real agents without any hook: by what Claude Code writes about itself, by Gemini CLI's title."""

from __future__ import annotations

import os

import pytest

from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until


def phase(agent: Delivering) -> str:
    return str(agent.hark.session("a")["phase"])


def wait_phase(agent: Delivering, wanted: str) -> None:
    wait_until(lambda: phase(agent) == wanted, DEADLINE_S, f"{wanted}", lambda: (phase(agent), agent.screen().text))


@pytest.mark.skipif("HARK_TEST_MATRIX" not in os.environ, reason="`make agents` tries it")
@pytest.mark.parametrize("kind", ["claude", "gemini"])
def test_without_hooks_it_is_known_whether_an_agent_works_waits_or_is_idle(kind: str) -> None:
    with delivering(kind, is_adopted=True) as agent:
        wait_phase(agent, "idle")
        first = agent.deliver("hello [[busy=4]]")
        wait_phase(agent, "busy")
        agent.hark.wait_status(first, "completed")
        assert phase(agent) == "idle"
        statuses = [receipt["status"] for receipt in agent.hark.message(first)["receipts"]]
        # Claude Code's transcript names the message; a title names nothing.
        assert ("acknowledged" in statuses) is (kind == "claude")

        agent.deliver("[[tool=touch never]]")
        wait_phase(agent, "waiting")
        second = agent.send("behind it")
        agent.hark.wait_status(second, "held", "dialog")
        agent.wait_dialog()
        agent.tmux.press(agent.pane, "Escape")
        agent.hark.wait_status(second, "completed")
        wait_until(lambda: agent.bodies()[-1] == "behind it", DEADLINE_S, "it at the model", agent.bodies)
        assert not (agent.launch.directory / "never").exists()
