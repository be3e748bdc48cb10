"""A text that the agent does not take steps aside after `max_attempts`, its sender is told, and what waits behind it goes on."""

from __future__ import annotations

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, Fields, RunningHark
from tests.support.terminals import wait_until

WORD = "unwelcome"
DRAFT = "half a draft"


def refusing(hark: RunningHark, how: str, *, attempts: int = 3, name: str = "a") -> Agent:
    hark.set(max_attempts=str(attempts))
    return Agent(hark, name, "--refuse", how, WORD)


def statuses(message: Fields) -> list[str]:
    return [receipt["status"] for receipt in message["receipts"]]


# What the agent does with the text, and what becomes of the message: it is dead where its text is known to be out of the box.
ENDS = {"drop": "dead", "garble": "dead", "say": "dead", "ignore-enter": "uncertain"}


@pytest.mark.parametrize("how", ENDS)
def test_a_text_that_the_agent_does_not_take_steps_aside(hark: RunningHark, how: str) -> None:
    agent = refusing(hark, how)
    sender = Agent(hark, "sender")

    refused = agent.send(f"an {WORD} text", "--from", "sender", "--notify-on-failure")
    behind = agent.send("what waits behind it")

    assert hark.wait_end(refused) == ENDS[how]
    assert "submitted" not in statuses(hark.message(refused))
    wait_until(lambda: any(refused in body for body in sender.bodies()), DEADLINE_S, "a notice", sender.bodies)
    hark.wait_reached(behind, "completed")
    assert agent.bodies() == ["what waits behind it"]


def test_a_draft_is_back_after_every_attempt(hark: RunningHark) -> None:
    agent = refusing(hark, "garble")
    with agent.human() as human:
        human.type(DRAFT)
        agent.wait_box(DRAFT)

        refused = agent.send(f"an {WORD} text")
        behind = agent.send("what waits behind it")

        assert hark.wait_end(refused) == "dead"
        hark.wait_reached(behind, "completed")
        agent.wait_box(DRAFT)


def test_a_text_that_cannot_be_taken_out_is_uncertain_and_no_longer_in_the_way(hark: RunningHark) -> None:
    agent = refusing(hark, "keep")

    refused = agent.send(f"an {WORD} text")
    behind = agent.send("what waits behind it")

    assert hark.wait_end(refused) == "uncertain", hark.message(refused)
    hark.wait_status(behind, "held", "draft")


def test_one_text_among_many_keeps_none_of_the_others_from_arriving(hark: RunningHark) -> None:
    agent = refusing(hark, "drop", attempts=1)
    hark.ok("hold", "a")
    texts = ["first", "second", f"an {WORD} text", "fourth"]
    ids = [agent.send(text) for text in texts]

    hark.ok("release", "a")

    ends = [hark.wait_end(message_id) for message_id in ids]
    # An agent that draws the end of a turn while our paste vanishes leaves open whether somebody has submitted it.
    assert ends in (["completed", "completed", end, "completed"] for end in ("dead", "uncertain"))
    assert agent.bodies() == ["first", "second", "fourth"]


def test_what_holds_a_session_up_is_no_attempt(hark: RunningHark) -> None:
    hark.set(max_attempts="1", input_poll_interval="0.1")
    agent = Agent(hark, "a", "--ask-at-start", "ls")

    message_id = agent.send("patient")
    hark.wait_status(message_id, "held", "dialog")
    agent.wait_event("ready")
    hark.tmux("send-keys", "-t", agent.pane, "2")

    assert hark.wait_reached(message_id, "completed")["attempts"] == 1


def test_a_dead_message_is_tried_again_when_somebody_asks(hark: RunningHark) -> None:
    agent = refusing(hark, "drop", attempts=2)
    refused = agent.send(f"an {WORD} text")
    assert hark.wait_end(refused) == "dead"

    hark.ok("retry", refused)

    wait_until(lambda: statuses(hark.message(refused)).count("dead") == 2, DEADLINE_S, "it to be given up again")
