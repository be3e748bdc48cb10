"""Urgent messages: the running turn ends, the message goes in, and nobody's text is lost on the way."""

from __future__ import annotations

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def busy_agent(hark: RunningHark, *options: str) -> tuple[Agent, str]:
    agent = Agent(hark, "a", *options)
    first = agent.send("[[busy=60]] first")
    hark.wait_reached(first, "acknowledged")
    agent.wait_shown("busy")
    return agent, first


def test_an_urgent_message_interrupts_the_turn_and_says_so(hark: RunningHark) -> None:
    agent, first = busy_agent(hark)

    sent = hark.json("send", "a", "STOP", "--urgent")

    assert (sent["interrupted"], sent["queue_position"], sent["delivery_mode"]) == (True, 0, "urgent")
    assert sent["status"] in ("submitted", "acknowledged", "completed")
    hark.wait_reached(sent["id"], "completed")
    assert [event["event"] for event in agent.named("prompt", "interrupted")] == ["prompt", "interrupted", "prompt"]
    cut = hark.wait_status(first, "interrupted")
    assert cut["receipts"][-1]["detail"] == "its turn was interrupted for an urgent message"
    assert cut["completed_at"] is None


def test_into_an_idle_agent_nothing_but_the_message_is_pressed(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    sent = hark.json("send", "a", "now", "--urgent")

    assert sent["interrupted"] is False
    hark.wait_reached(sent["id"], "completed")
    assert agent.named("interrupted") == []


def test_the_draft_of_a_human_survives_an_interrupt(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark)
    with agent.human() as human:
        human.type("half a thou")
        agent.wait_box("half a thou")

        sent = hark.json("send", "a", "STOP", "--urgent")

        hark.wait_reached(sent["id"], "completed")
        agent.wait_box("half a thou")
        human.type("ght")
        agent.wait_box("half a thought")


def test_a_dialog_is_neither_approved_nor_denied_by_an_urgent_message(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send("[[ask=rm -rf /]][[busy=60]]")
    agent.wait_event("asked")

    sent = hark.json("send", "a", "STOP", "--urgent")

    assert (sent["status"], sent["interrupted"], sent["estimated_delivery"]) == ("held", False, "waiting_for_dialog")
    assert agent.named("approved", "denied", "interrupted") == []
    hark.tmux("send-keys", "-t", agent.pane, "2")
    hark.wait_reached(sent["id"], "completed")
    assert [event["event"] for event in agent.named("denied", "interrupted")] == ["denied", "interrupted"]


def test_a_prompt_of_ours_that_the_agent_gives_back_is_submitted_once_more(hark: RunningHark) -> None:
    agent, first = busy_agent(hark, "--gives-back")

    urgent = hark.json("send", "a", "STOP", "--urgent")["id"]

    hark.wait_reached(urgent, "completed")
    wait_until(lambda: len(agent.prompts()) == 3, DEADLINE_S, "three prompts", agent.prompts)
    assert [first in text for text in agent.prompts()] == [True, False, True]
    assert "STOP" in agent.prompts()[1]
    details = [receipt["detail"] for receipt in hark.message(first)["receipts"]]
    assert "its turn was interrupted before an answer, and the agent put it back into the box" in details
    agent.wait_box("")


def test_a_prompt_of_a_human_that_the_agent_gives_back_stays_in_the_box(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--gives-back")
    with agent.human() as human:
        human.type("[[busy=60]] my own")
        human.press("Enter")
        agent.wait_event("prompt")
        agent.wait_shown("busy")

        sent = hark.json("send", "a", "STOP", "--urgent")

        assert sent["interrupted"] is True
        hark.wait_reached(sent["id"], "completed")
        agent.wait_box("[[busy=60]] my own")
    assert len(agent.prompts()) == 2


def test_a_turn_is_interrupted_once_for_a_message_also_across_a_crash(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark)
    hark.ok("hold", "a")
    urgent = hark.json("send", "a", "STOP", "--urgent")
    assert (urgent["status"], urgent["estimated_delivery"]) == ("held", "waiting_for_do_not_disturb")
    hark.kill_daemon()

    hark.ok("release", "a")

    hark.wait_reached(urgent["id"], "completed")
    assert len(agent.named("interrupted")) == 1


def test_urgent_goes_before_everything_that_waits(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.ok("hold", "a")
    ids = [agent.send("one"), agent.send("two", "--important"), hark.json("send", "a", "three", "--urgent")["id"]]

    hark.ok("release", "a")

    for message_id in ids:
        hark.wait_reached(message_id, "completed")
    assert agent.bodies() == ["three", "two", "one"]
