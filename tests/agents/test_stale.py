"""A draft that nobody has touched for `input_stale_timeout`, in a pane that somebody else has started: an agent without a carrier
for fresh drafts gets the message all the same, and draft and cursor come back."""

from __future__ import annotations

import pytest

from hark.demo.human import Human
from tests.agents.delivering import delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

KINDS = ("aider",)
# name, the draft, and the draft with an X where the cursor is
DRAFTS = (
    ("one line", "half a thou", "half a thXou"),
    ("three lines, one empty", "first line\n\nhalf a thou", "first line\n\nhalf a thXou"),
    ("letters of other scripts", "日本語 und größer", "日本語 und größXer"),
)


def write(human: Human, draft: str, kind: str) -> None:
    """Types the draft line by line: a paste of several lines may be shown collapsed, which no screen can tell. aider shows it."""
    if kind == "aider":
        human.paste(draft)
        return
    for line in draft.splitlines(keepends=True):
        human.type(line.rstrip("\n"), keys_per_second=20)
        if line.endswith("\n"):
            human.press("C-j")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "draft", "expected"), DRAFTS, ids=[name for name, *_ in DRAFTS])
def test_a_stale_draft_is_carried(kind: str, name: str, draft: str, expected: str) -> None:
    with delivering(kind, is_adopted=True, stale_after_s=3) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent.deliver("warm up")
        agent.wait_bodies("warm up")
        agent.wait_ready()
        write(human, draft, kind)
        agent.wait_draft(draft)
        human.press("Left")
        human.press("Left")

        message_id = agent.send(f"beside: {name}")

        agent.hark.wait_status(message_id, "held", "draft")
        agent.hark.wait_reached(message_id, "submitted")
        agent.wait_bodies("warm up", f"beside: {name}")
        agent.wait_draft(draft)
        human.type("X", keys_per_second=5)
        agent.wait_draft("X")
        human.press("Enter")
        wait_until(lambda: agent.prompts() == [expected], DEADLINE_S, f"{expected!r}", agent.stand_in.submitted)
