"""Gemini CLI takes an Enter that comes too soon after a paste for a new line. On a slow machine every Enter may come too soon: Gemini CLI
counts from when it has worked off the paste, which nobody sees. The message is submitted all the same."""

from __future__ import annotations

import pytest

from tests.agents.delivering import delivering

SETTLES = "settle_s = 0.12"


def hurry(known: str) -> str:
    """Presses Enter as soon as the paste is on the screen."""
    assert SETTLES in known
    return known.replace(SETTLES, "settle_s = 0.0")


@pytest.mark.parametrize("kind", ["gemini"])
def test_an_enter_that_made_a_new_line_is_followed_by_one_that_submits(kind: str) -> None:
    with delivering(kind, describe=hurry) as agent:
        agent.deliver("the first\nmessage")
        agent.wait_bodies("the first\nmessage")
        agent.wait_ready()

        agent.deliver("the second")

        agent.wait_bodies("the first\nmessage", "the second")
