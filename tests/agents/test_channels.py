"""Deliveries by an agent's own API, from `hark send` to the end of the turn: no key, no look at the draft."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

KINDS = ("codex", "opencode")
DRAFT = "a draft of\ntwo lines"


@pytest.fixture(scope="module", params=KINDS)
def both(request: pytest.FixtureRequest) -> Iterator[tuple[Delivering, Human]]:
    with delivering(request.param, is_native=True) as running, running.human() as person:
        person.wait_attached(DEADLINE_S)
        running.wait_ready()
        warm_up(running)
        yield running, person


def warm_up(agent: Delivering) -> None:
    """Send messages until one goes by the agent's own API. Which conversation the pane shows is certain only after the first prompt of
    some agents, and hark looks for it every two seconds; a quick agent takes several typed messages in that time."""
    ends_at, number = time.monotonic() + DEADLINE_S, 0
    while True:
        text = f"warm up {number}"
        message_id = agent.deliver(text)
        wait_until(lambda text=text: text in agent.bodies(), DEADLINE_S, text)  # type: ignore[misc]
        agent.wait_ready()
        if ("submitted", "native") in by(agent, message_id):
            return
        assert time.monotonic() < ends_at, f"not by its own API: {by(agent, message_id)}"
        number += 1


def by(agent: Delivering, message_id: str) -> list[tuple[str, str | None]]:
    return [(receipt["status"], receipt["channel"]) for receipt in agent.hark.message(message_id)["receipts"]]


def test_a_message_beside_a_draft_is_acknowledged_and_completed_by_its_id(both: tuple[Delivering, Human]) -> None:
    agent, human = both
    human.paste(DRAFT)
    agent.wait_draft(DRAFT)
    before = agent.screen()

    message_id = agent.send("beside a draft")

    agent.hark.wait_status(message_id, "completed")
    assert [told for told in by(agent, message_id) if told[0] != "held"][-4:] == [
        ("staged", "native"),
        ("submitted", "native"),
        ("acknowledged", None),
        ("completed", None),
    ]
    assert agent.bodies()[-1] == "beside a draft"
    assert agent.screen().cursor_x == before.cursor_x
    human.type("X", keys_per_second=5)
    agent.wait_draft(DRAFT + "X")
    human.press("Enter")
    wait_until(lambda: DRAFT + "X" in agent.prompts(), DEADLINE_S, "the draft at the model", agent.stand_in.submitted)
    agent.wait_ready()


def test_messages_to_a_busy_agent_are_turns_of_their_own_in_order(both: tuple[Delivering, Human]) -> None:
    agent, _ = both
    before = agent.bodies()

    ids = [agent.send(text) for text in ("busy [[busy=2]]", "next", "last")]

    for message_id in ids:
        agent.hark.wait_status(message_id, "completed")
    assert agent.bodies() == [*before, "busy [[busy=2]]", "next", "last"]
    ends = [agent.hark.message(message_id)["completed_at"] for message_id in ids]
    starts = [agent.hark.message(message_id)["acknowledged_at"] for message_id in ids]
    assert starts[1] >= ends[0]
    assert starts[2] >= ends[1]


def test_a_first_message_that_was_typed_is_acknowledged_by_the_agents_own_record() -> None:
    with delivering("opencode", is_native=True) as agent:
        [secret] = (agent.hark.home / "run/native").glob("*/secret")
        kept = secret.rename(secret.with_name("kept"))
        message_id = agent.deliver("typed, and acknowledged")
        kept.rename(secret)

        agent.hark.wait_status(message_id, "completed")

        statuses = [told for told in by(agent, message_id) if told[0] != "held"]
        assert statuses[-3:] == [("submitted", "terminal"), ("acknowledged", None), ("completed", None)]


def test_the_first_message_to_a_fresh_agent_goes_by_its_own_api_beside_a_draft() -> None:
    with delivering("opencode", is_native=True) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent.wait_ready()
        human.paste(DRAFT)
        agent.wait_draft(DRAFT)

        message_id = agent.send("the very first")

        agent.hark.wait_status(message_id, "completed")
        told = by(agent, message_id)
        assert ("staged", "native") in told
        assert ("submitted", "terminal") not in told
        human.type("X", keys_per_second=5)
        agent.wait_draft(DRAFT + "X")
        human.press("Enter")
        wait_until(lambda: agent.prompts() == [DRAFT + "X"], DEADLINE_S, "the draft", agent.stand_in.submitted)
