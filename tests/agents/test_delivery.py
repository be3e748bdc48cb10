"""Deliveries into real agents: the message exact and once, the draft and its cursor as they were, dialogs untouched."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

WORDS = " ".join(f"word{number}" for number in range(30))
KINDS = ("claude", "codex", "gemini")

# name, the draft, keys that move its cursor, and the draft with an X where the cursor is
DRAFTS = (
    ("one line", "a draft of one line", (), "a draft of one lineX"),
    ("cursor in the middle", "a draft of one line", ("Left",) * 8, "a draft of Xone line"),
    ("three lines, one empty", "first line\n\nthird line", (), "first line\n\nthird lineX"),
    ("cursor on the first line", "first line\nsecond line", ("Up",), "first lineX\nsecond line"),
    ("wrapped", WORDS, ("Left",) * 6, WORDS[:-6] + "X" + WORDS[-6:]),
    ("wide", "日本語 and a 漢字 at the end", ("Left",) * 13, "日本語 and a X漢字 at the end"),
)


def pause(seconds: float) -> None:
    """A human's, between two keys."""
    threading.Event().wait(seconds)


@pytest.fixture(scope="module", params=KINDS)
def both(request: pytest.FixtureRequest) -> Iterator[tuple[Delivering, Human]]:
    with delivering(request.param) as running:
        running.deliver("warm up")
        running.wait_bodies("warm up")
        running.wait_ready()
        with running.human() as person:
            person.wait_attached(DEADLINE_S)
            running.wait_ready()
            yield running, person


@pytest.fixture
def agent(both: tuple[Delivering, Human]) -> Delivering:
    return both[0]


@pytest.fixture
def human(both: tuple[Delivering, Human]) -> Human:
    """One for all tests: a client that attaches makes the agent draw everything again."""
    return both[1]


@pytest.mark.parametrize(("name", "draft", "moves", "expected"), DRAFTS, ids=[name for name, *_ in DRAFTS])
def test_a_draft_and_its_cursor_survive_a_delivery(
    agent: Delivering, human: Human, name: str, draft: str, moves: tuple[str, ...], expected: str
) -> None:
    before = agent.bodies()
    human.paste(draft)
    agent.wait_draft(draft)
    for key in moves:
        human.press(key)
        pause(0.05)

    agent.deliver(f"beside: {name}")

    agent.wait_bodies(*before, f"beside: {name}")
    human.type("X", keys_per_second=5)
    pause(0.3)
    human.press("Enter")
    wait_until(lambda: expected in agent.prompts(), DEADLINE_S, f"{expected!r} at the model", agent.stand_in.submitted)
    agent.wait_ready()
    assert agent.bodies() == [*before, f"beside: {name}"]


def test_a_human_types_on_while_messages_arrive(agent: Delivering, human: Human) -> None:
    before, prompts = agent.bodies(), [f"by hand {number}, without a pause" for number in range(3)]

    def type_all() -> None:
        for prompt in prompts:
            human.type(prompt, keys_per_second=9)
            pause(0.2)
            human.press("Enter")

    typist = threading.Thread(target=type_all)
    typist.start()
    for number in range(3):
        agent.deliver(f"meanwhile {number}")
    typist.join()
    wait_until(lambda: set(prompts) <= set(agent.prompts()), DEADLINE_S, "all prompts", agent.stand_in.submitted)
    agent.wait_bodies(*before, *(f"meanwhile {number}" for number in range(3)))
    agent.wait_ready()


def test_a_permission_dialog_holds_a_message_and_is_answered_by_nobody_else(agent: Delivering, human: Human) -> None:
    before = agent.bodies()
    made = agent.launch.directory / "made"
    human.paste(f"[[tool=touch {made}]]")
    agent.wait_draft(f"{made}]]")
    pause(0.3)
    human.press("Enter")
    agent.wait_dialog()

    message_id = agent.send("1")

    agent.hark.wait_status(message_id, "held", "dialog")
    assert not made.exists()
    human.press("Escape")
    agent.wait_ready()
    agent.hark.wait_reached(message_id, "submitted")
    agent.wait_bodies(*before, "1")
    assert not made.exists()
