"""Urgent messages to real agents: the turn ends by proof, the message goes in, no draft is harmed, and what the agent puts back is
not lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S, START_DEADLINE_S
from tests.support.terminals import wait_until

# kind, whether it is reached by its own API
WAYS = (("claude", False), ("gemini", False), ("codex", False), ("codex", True), ("opencode", True))
DRAFT = "half a thought"
SHOWS_WHOLE_LINES = ("codex",)


@pytest.fixture(scope="module", params=WAYS, ids=[kind + (" by its API" if own else "") for kind, own in WAYS])
def both(request: pytest.FixtureRequest) -> Iterator[tuple[Delivering, Human]]:
    kind, is_native = request.param
    with delivering(kind, is_native=is_native) as running:
        running.deliver("warm up")
        running.wait_bodies("warm up", deadline_s=START_DEADLINE_S)
        running.wait_ready()
        with running.human() as person:
            person.wait_attached(DEADLINE_S)
            running.wait_ready()
            yield running, person


@pytest.fixture
def agent(both: tuple[Delivering, Human]) -> Delivering:
    running = both[0]
    wait_until(
        lambda: not is_anything_on_its_way(running) and phase(running) != "busy",
        60.0,
        "it to be idle",
        lambda: running.screen().text,
    )
    return running


def is_anything_on_its_way(agent: Delivering) -> bool:
    """Whether a message waits, or is with the agent and its turn has not ended. An interrupted agent may have put one back, and it
    is sent again."""
    sent = agent.hark.api("GET", "/sessions/a/messages?limit=1000").json["messages"]
    return any(message["status"] in ("queued", "held", "staged", "submitted", "acknowledged") for message in sent)


def phase(agent: Delivering) -> str:
    """As far as its hooks or its API tell."""
    return str(agent.hark.session("a")["phase"])


def begin(agent: Delivering, text: str, output: str = "") -> str:
    """A turn that is well under way; with some output, where the agent shows it as it comes."""
    message_id = agent.deliver(text)
    wait_until(lambda: agent.arrivals(message_id), DEADLINE_S, "the prompt at the model", agent.stand_in.submitted)
    if agent.launch.kind in SHOWS_WHOLE_LINES:
        wait_until(lambda: phase(agent) == "busy", DEADLINE_S, "it at work", lambda: agent.screen().text)
    elif output:
        wait_until(lambda: output in agent.screen().text, DEADLINE_S, "some output", lambda: agent.screen().text)
    return message_id


def urgent(agent: Delivering, text: str) -> dict[str, Any]:
    sent: dict[str, Any] = agent.hark.json("send", "a", text, "--urgent")
    agent.hark.wait_reached(sent["id"], "submitted")
    wait_until(lambda: agent.arrivals(sent["id"]), DEADLINE_S, "it at the model", lambda: agent.screen().text)
    return dict(agent.hark.message(sent["id"]))


def was_interrupted(message: dict[str, Any]) -> bool:
    return any(receipt["detail"] == "hark tells the running turn to end" for receipt in message["receipts"])


def test_a_running_turn_is_interrupted(agent: Delivering) -> None:
    begin(agent, "first [[busy=20]]", "part 3 of 200")

    message = urgent(agent, "STOP")

    assert was_interrupted(message)
    assert len(agent.arrivals(message["id"])) == 1
    assert agent.bodies()[-1] == "STOP"
    agent.wait_ready()


def test_a_draft_beside_a_running_turn_survives(agent: Delivering, both: tuple[Delivering, Human]) -> None:
    human = both[1]
    begin(agent, "second [[busy=21]]", "part 3 of 210")
    human.type(DRAFT)
    # An agent at work never stands still: that the end of the draft is there must do.
    wait_until(lambda: DRAFT in agent.screen().cursor_row, DEADLINE_S, "the draft", lambda: agent.screen().text)

    message = urgent(agent, "STOP beside a draft")

    agent.wait_draft(DRAFT)
    human.press("Enter")
    wait_until(lambda: DRAFT in agent.prompts(), DEADLINE_S, "the draft at the model", agent.stand_in.submitted)
    assert was_interrupted(message), agent.hark.ok("show", message["id"])
    agent.wait_ready()


def test_what_an_agent_gives_back_before_it_has_answered_arrives_after_all(agent: Delivering) -> None:
    first = begin(agent, "third [[think=20]]")

    message = urgent(agent, "STOP before a word")

    assert was_interrupted(message)
    assert len(agent.arrivals(message["id"])) == 1
    final = agent.hark.message(first)
    details = [receipt["detail"] for receipt in final["receipts"]]
    if any("put it back into the box" in detail for detail in details):
        wait_until(
            lambda: len(agent.arrivals(first)) == 2, DEADLINE_S, "it at the model again", agent.stand_in.submitted
        )
    assert "third" not in agent.screen().cursor_row
    agent.wait_ready()


def test_into_an_idle_agent_nothing_is_pressed_but_the_message(agent: Delivering) -> None:
    message = urgent(agent, "now")

    assert not was_interrupted(message)
    agent.wait_ready()
