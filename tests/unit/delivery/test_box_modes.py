"""Boxes that are there and yet not for a message: scrolled ones, and those in which a shell command is typed."""

from __future__ import annotations

import pytest

from hark.agents.kinds import load_kinds
from hark.delivery.carriers import empty_box as into_empty_box
from hark.delivery.carriers.steps import Held
from hark.delivery.screen.box import read_box
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason
from tests.unit.delivery.screens import CLAUDE, screen
from tests.unit.delivery.scripted import MESSAGE_ID, TEXT, ScriptedTerminal

CODEX = load_kinds().get("codex").box

SCROLLED = """
    • an answer

    › the second row of a draft            ↑
      and the third‸

      gpt-5 default · /project
    """
WHOLE = SCROLLED.replace("   ↑", "")
RULE = "─" * 20
SHELL = f"""
    {RULE}
    ! ls -l‸
    {RULE}
    """
EMPTY_SHELL = SHELL.replace("ls -l", "")
DIALOG = f"""
    {RULE}
     Run ls?
     ‸1. Yes
    """


def test_a_box_that_says_it_is_cut_is_none() -> None:
    assert read_box(screen(SCROLLED, columns=50), CODEX) is None


def test_the_same_box_whole_is_read() -> None:
    box = read_box(screen(WHOLE, columns=50), CODEX)

    assert box is not None
    assert len(box.rows) == 2


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (screen(SHELL), HoldReason.DRAFT),
        (screen(EMPTY_SHELL), HoldReason.DRAFT),
        (screen(DIALOG), HoldReason.DIALOG),
    ],
    ids=["a command", "its mark alone", "a dialog"],
)
def test_a_shell_command_is_a_draft_that_nothing_is_pasted_into(seen: Screen, reason: HoldReason) -> None:
    terminal = ScriptedTerminal([seen])

    outcome = terminal.play(into_empty_box.deliver(TEXT, MESSAGE_ID, CLAUDE, 0.0))

    assert isinstance(outcome, Held)
    assert outcome.reason is reason
    assert terminal.kinds == []


NARROW = """\
──────────────────────────────
 Shift+Tab to accept edits

 > {first}
   {second}

 workspace (/directory)
 /tmp/.../project           …
"""


def test_a_suggestion_that_is_wrapped_in_a_narrow_pane_is_no_draft() -> None:
    shown = screen(NARROW.format(first="‸  Type your message or", second="@path/to/file"), columns=30)

    box = read_box(shown, load_kinds().get("gemini").box)

    assert box is not None
    assert box.is_empty


def test_a_draft_of_several_rows_is_no_suggestion() -> None:
    shown = screen(NARROW.format(first="‸Type your message or not,", second="@path/to/file"), columns=30)

    box = read_box(shown, load_kinds().get("gemini").box)

    assert box is not None
    assert not box.is_empty
