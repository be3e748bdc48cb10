"""Boxes that are there and yet not for a message: scrolled ones, and those in which a shell command is typed."""

from __future__ import annotations

import pytest

from hark.agents.kinds import load_kinds
from hark.delivery import into_empty_box
from hark.delivery.box import read_box
from hark.delivery.screen import Screen
from hark.delivery.steps import Held
from hark.model.message import HoldReason
from tests.delivery.screens import CLAUDE, screen
from tests.delivery.scripted import MESSAGE_ID, TEXT, ScriptedTerminal

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
