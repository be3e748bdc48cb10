"""The answer to a sender says the truth about sessions that are held, busy, asking, in copy mode or gone."""

from __future__ import annotations

from typing import Any

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until


def estimate(agent: Agent, **fields: object) -> str:
    """Sends a message without a process for it, and answers when it is delivered, as the daemon says."""
    answer = agent.hark.api("POST", f"/sessions/{agent.name}/send", {"text": "hello"} | fields)
    return str(answer.json["estimated_delivery"])


def phase(agent: Agent) -> Any:
    return agent.hark.session(agent.name)["phase"]


def test_the_first_message_to_a_held_session_waits_for_its_release(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.ok("hold", "a")

    assert estimate(agent) == "waiting_for_do_not_disturb"
    assert estimate(agent, delivery_mode="urgent") == "waiting_for_do_not_disturb"


def test_a_busy_agent_that_is_typed_to_takes_it_as_its_next_turn(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send("[[busy=5]] work")
    wait_until(lambda: phase(agent) == "busy", DEADLINE_S, "the agent to be busy")

    assert estimate(agent) == "next_turn"


def test_a_busy_agent_that_is_typed_to_only_when_idle_is_waited_for(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    agent.send("[[busy=5]] work")
    wait_until(lambda: phase(agent) == "busy", DEADLINE_S, "the agent to be busy")

    assert estimate(agent) in ("waiting_for_idle", "waiting_for_busy")


def test_a_pane_in_copy_mode_is_seen_before_the_first_message_comes(hark: RunningHark) -> None:
    with PrivateTmux() as tmux:
        pane = tmux.new("cat")
        hark.ok("adopt", "-S", str(tmux.socket), "-n", "b", pane)
        tmux.run("copy-mode", "-t", pane)

        def is_named() -> bool:
            sent = hark.api("POST", "/sessions/b/send", {"text": "hello"}).json
            hark.api("POST", f"/messages/{sent['id']}/cancel")
            return bool(sent["estimated_delivery"] == "waiting_for_copy_mode")

        wait_until(is_named, DEADLINE_S, "the estimate to name the copy mode")


def test_a_gone_session_says_so(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.ok("kill", "a")
    hark.wait_gone("a")

    assert estimate(agent, queue=True) == "waiting_for_session_gone"
