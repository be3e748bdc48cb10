"""Gemini CLI in a pane that somebody else has started: drafts are read from the screen and pasted back, and a paste that is the
path of a file would become something else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.launch import Launch
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

# name, the draft, keys that move its cursor, and the draft with an X where the cursor is
DRAFTS = (
    ("the path of a file", "notes.md", (), "notes.mdX"),
    ("two paths of files", "notes.md\nnotes.md", ("Left",) * 3, "notes.md\nnotesX.md"),
    ("cursor on the first of three lines", "first line\n\nthird line", ("Up", "Up"), "first lineX\n\nthird line"),
)


def with_a_file(launch: Launch) -> Launch:
    (launch.directory / "notes.md").write_text("what is noted\n")
    return launch


@pytest.fixture(scope="module")
def agent() -> Iterator[Delivering]:
    with delivering("gemini", is_adopted=True, change=with_a_file) as running:
        running.deliver("warm up")
        running.wait_bodies("warm up")
        running.wait_ready()
        yield running


@pytest.fixture(scope="module")
def human(agent: Delivering) -> Iterator[Human]:
    with agent.human() as person:
        person.wait_attached(DEADLINE_S)
        agent.wait_ready()
        yield person


def write(human: Human, draft: str) -> None:
    """By hand: a paste would become something else here too."""
    for line in draft.splitlines(keepends=True):
        human.type(line.rstrip("\n"), keys_per_second=20)
        if line.endswith("\n"):
            human.press("C-j")


@pytest.mark.parametrize(("name", "draft", "moves", "expected"), DRAFTS, ids=[name for name, *_ in DRAFTS])
def test_a_draft_and_its_cursor_survive(
    agent: Delivering, human: Human, name: str, draft: str, moves: tuple[str, ...], expected: str
) -> None:
    before = agent.bodies()
    write(human, draft)
    agent.wait_draft(draft)
    for key in moves:
        human.press(key)
    agent.deliver(f"beside: {name}")

    agent.wait_bodies(*before, f"beside: {name}")
    human.type("X", keys_per_second=5)
    agent.wait_draft("X")
    human.press("Enter")
    wait_until(lambda: expected in agent.prompts(), DEADLINE_S, f"{expected!r} at the model", agent.stand_in.submitted)
    agent.wait_ready()
