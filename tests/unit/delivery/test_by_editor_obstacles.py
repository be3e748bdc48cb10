"""When the editor's key is not pressed at all: where it would do something else, or cost the human something."""

from __future__ import annotations

import msgspec
import pytest

from hark.agents.kinds import load_kinds
from hark.delivery.carriers import editor as by_editor
from hark.delivery.carriers.editor_text import EditorKeys
from hark.delivery.carriers.steps import Answer, Held, OpenEditor, Step
from hark.delivery.carriers.submit import Job
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason
from tests.unit.delivery.screens import DEMO, screen, tall
from tests.unit.delivery.scripted import COLLAPSED, DIALOG, DRAFT, EMPTY, MESSAGE_ID, OURS, TEXT, ScriptedTerminal, box

JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO)
BLANKS = box("   ‸")
BEFORE_PASTE = box("‸[Pasted text #1 +1 lines]")
COMMAND = box("/mod‸")
NORMAL = box("half a thought‸", footer="Vim: Normal")


WRAPPED = screen(f"answer\n{'─' * 20}\n> {'x' * 18}\n> yy‸y\n", columns=20)
WRAPPED_AT_END = screen(f"answer\n{'─' * 20}\n> {'x' * 18}\n> yyy‸\n", columns=20)
NOT_WRAPPED = screen(f"answer\n{'─' * 20}\n> xxx\n> yy‸y\n", columns=20)
AIDER = load_kinds().get("aider").box


class WithoutEditor(ScriptedTerminal):
    """Its editor never opens."""

    def answer(self, step: Step) -> Answer:
        return False if isinstance(step, OpenEditor) else super().answer(step)


HELD = {
    "no box where one is needed": (EditorKeys(key=("C-g",), needs_box=True), DIALOG, HoldReason.DIALOG),
    "no box whose first row could be told": (EditorKeys(key=("C-g",), not_for="/"), DIALOG, HoldReason.DIALOG),
    "a draft that takes the key": (EditorKeys(key=("C-g",), not_for="/"), COMMAND, HoldReason.DRAFT),
    "a mode that would be lost": (EditorKeys(key=("C-g",), not_while="Vim: Normal"), NORMAL, HoldReason.DRAFT),
    "a cursor before a collapsed paste": (EditorKeys(key=("C-g",)), BEFORE_PASTE, HoldReason.DRAFT),
    "blanks that would be lost": (EditorKeys(key=("C-g",), trims=True), BLANKS, HoldReason.DRAFT),
}
PRESSED = {
    "no box, and none needed": (EditorKeys(key=("C-g",)), DIALOG),
    "another draft": (EditorKeys(key=("C-g",), not_for="/"), DRAFT),
    "a cursor behind a collapsed paste": (EditorKeys(key=("C-g",)), COLLAPSED),
    "another mode": (EditorKeys(key=("C-g",), not_while="Vim: Normal"), DRAFT),
    "blanks that are kept": (EditorKeys(key=("C-g",)), BLANKS),
    "a pane too small for the text": (EditorKeys(key=("C-g",)), msgspec.structs.replace(DRAFT, columns=5)),
    "an empty box of an agent that trims": (EditorKeys(key=("C-g",), trims=True), EMPTY),
}


@pytest.mark.parametrize(("editor", "seen", "reason"), HELD.values(), ids=HELD.keys())
def test_the_message_is_held_and_no_key_pressed(editor: EditorKeys, seen: Screen, reason: HoldReason) -> None:
    terminal = WithoutEditor([tall(seen)])

    outcome = terminal.play(by_editor.deliver(JOB, editor))

    assert isinstance(outcome, Held)
    assert outcome.reason is reason
    assert not any(isinstance(step, OpenEditor) for step in terminal.steps)


@pytest.mark.parametrize(("editor", "seen"), PRESSED.values(), ids=PRESSED.keys())
def test_otherwise_the_editor_is_opened(editor: EditorKeys, seen: Screen) -> None:
    terminal = WithoutEditor([tall(seen)])

    terminal.play(by_editor.deliver(JOB, editor))

    assert any(isinstance(step, OpenEditor) for step in terminal.steps)


@pytest.mark.parametrize(("seen", "reason"), [(DRAFT, HoldReason.DRAFT), (DIALOG, HoldReason.DIALOG)])
def test_no_editor_is_the_drafts_fault_where_the_draft_is_to_be_seen(seen: Screen, reason: HoldReason) -> None:
    outcome = WithoutEditor([tall(seen)]).play(by_editor.deliver(JOB, EditorKeys(key=("C-g",))))

    assert isinstance(outcome, Held)
    assert outcome.reason is reason


WRAPS = {
    "the cursor inside a draft that may be wrapped": (WRAPPED, False),
    "the cursor at its end": (WRAPPED_AT_END, True),
    "the cursor inside lines that are not": (NOT_WRAPPED, True),
}


@pytest.mark.parametrize(("seen", "is_opened"), WRAPS.values(), ids=WRAPS.keys())
def test_where_arrows_go_by_lines_a_cursor_inside_a_wrap_is_left_alone(seen: Screen, is_opened: bool) -> None:
    terminal = WithoutEditor([tall(seen)])
    job = Job(text=TEXT, message_id=MESSAGE_ID, look=AIDER)

    terminal.play(by_editor.deliver(job, EditorKeys(key=("C-g",))))

    assert any(isinstance(step, OpenEditor) for step in terminal.steps) is is_opened


def test_our_own_text_is_no_draft_that_could_not_be_carried() -> None:
    terminal = WithoutEditor([tall(OURS)])

    terminal.play(by_editor.resume(JOB, EditorKeys(key=("C-g",), not_for=r"(?s).*via\s+hark\s+send"), was_staged=False))

    assert any(isinstance(step, OpenEditor) for step in terminal.steps)
