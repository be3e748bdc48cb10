"""An editor that loads whatever it is left, but no empty text, as OpenCode's: the draft leaves the box by keys, and comes back only
if it has left."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hark.delivery.carriers.editor import deliver
from hark.delivery.carriers.editor_text import EditorKeys
from hark.delivery.carriers.steps import (
    Answer,
    CloseEditor,
    DropDraft,
    EditorOpened,
    Held,
    OpenEditor,
    Paste,
    Press,
    SaveDraft,
    Step,
    Submitted,
)
from hark.delivery.carriers.submit import Job
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO
from tests.unit.delivery.scripted import AFTER_OURS, DIALOG, DRAFT, EMPTY, MESSAGE_ID, OURS, TEXT, ScriptedTerminal, box

KEYS = EditorKeys(key=("C-x", "e"), needs_box=True, end_keys=("S-End", "Right"), ignores_empty=True, fails_to_keep=True)
EMPTY_KEYS = ("S-End", "BSpace", "S-Home", "BSpace")
JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=replace(DEMO, empty_keys=EMPTY_KEYS))


class WithEditor(ScriptedTerminal):
    """Its editor opens on these texts, one after the other."""

    def __init__(self, screens: list[Screen], *texts: str) -> None:
        super().__init__(screens)
        self._texts = list(texts)

    def answer(self, step: Step) -> Answer:
        match step:
            case OpenEditor():
                return EditorOpened(self._texts.pop(0)) if self._texts else False
            case SaveDraft() | CloseEditor() | DropDraft():
                return True
        return super().answer(step)


def test_the_draft_leaves_by_keys_and_our_text_comes_by_a_paste() -> None:
    screens = [DRAFT, DRAFT, EMPTY, DRAFT, DRAFT, EMPTY, EMPTY, OURS, OURS, AFTER_OURS, AFTER_OURS, EMPTY, DRAFT]
    terminal = WithEditor(screens, "half a thought", "")

    outcome = terminal.play(deliver(JOB, KEYS))

    assert isinstance(outcome, Submitted)
    assert terminal.kinds == [
        "OpenEditor",
        "SaveDraft",
        "Begin",
        "CloseEditor",
        "Press",
        "Paste",
        "Stage",
        "PressEnter",
        "OpenEditor",
        "CloseEditor",
        "DropDraft",
    ]
    assert [step for step in terminal.steps if isinstance(step, CloseEditor)] == [
        CloseEditor(None),
        CloseEditor("half a thought"),
    ]
    assert Press(EMPTY_KEYS) in terminal.steps


@pytest.mark.parametrize("behind_editor", [EMPTY, DIALOG], ids=["somebody submitted it", "a dialog hides it"])
def test_a_draft_that_we_have_not_taken_out_is_off_the_record_at_once(behind_editor: Screen) -> None:
    """It is in the box, or the human has submitted it: put back later, it would be there twice."""
    terminal = WithEditor([DRAFT, DRAFT, DRAFT, behind_editor], "half a thought")

    outcome = terminal.play(deliver(JOB, KEYS))

    assert isinstance(outcome, Held)
    assert terminal.kinds[-1] == "DropDraft"
    assert not any(isinstance(step, Press | Paste) for step in terminal.steps)


@pytest.mark.parametrize("ignores_empty", [True, False])
def test_a_draft_that_did_not_leave_the_box_is_off_the_record(ignores_empty: bool) -> None:
    long = replace(JOB, text=TEXT + "\nand more" * 30)
    terminal = WithEditor([DRAFT], "half a thought", "half a thought")

    outcome = terminal.play(deliver(long, replace(KEYS, ignores_empty=ignores_empty)))

    assert isinstance(outcome, Held)
    assert terminal.kinds[-1] == "DropDraft"
    assert CloseEditor("half a thought") not in terminal.steps
    assert not any(isinstance(step, Paste) for step in terminal.steps)


def test_the_cursor_is_walked_only_from_where_it_is_drawn_at_the_end() -> None:
    """The agent leaves it before the last letter. A look before the keys to the end are drawn shows it in its place already."""
    before = box("two", "line‸s")
    at_end = box("two", "lines‸")
    screens = [before, before, EMPTY, before, before, EMPTY, EMPTY, OURS, OURS, AFTER_OURS, AFTER_OURS]
    terminal = WithEditor([*screens, EMPTY, before, before, before, *[at_end] * 3, before], "two\nlines", "")

    outcome = terminal.play(deliver(JOB, KEYS))

    assert isinstance(outcome, Submitted)
    presses = [step.keys for step in terminal.steps if isinstance(step, Press)]
    assert presses == [EMPTY_KEYS, ("S-End", "Right"), ("Left",)]
    assert terminal.kinds[-1] == "DropDraft"
