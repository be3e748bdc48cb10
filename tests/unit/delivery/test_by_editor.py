"""What the editor carrier must not do, as far as the screen alone tells."""

from __future__ import annotations

import pytest

from hark.delivery.carriers.editor import deliver
from hark.delivery.carriers.editor_text import EditorKeys
from hark.delivery.carriers.steps import (
    Answer,
    CloseEditor,
    DropDraft,
    EditorOpened,
    Held,
    LeaveUndo,
    OpenEditor,
    SaveDraft,
    Step,
    Submitted,
)
from hark.delivery.carriers.submit import Job
from hark.delivery.carriers.undo import EDITOR_GONE_S, Write
from hark.model.message import HoldReason
from tests.unit.delivery.screens import DEMO, screen, tall
from tests.unit.delivery.scripted import (
    AFTER_OURS,
    DIALOG_AFTER_OURS,
    DRAFT,
    MESSAGE_ID,
    OURS,
    TEXT,
    ScriptedTerminal,
    box,
)

JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO)


def test_a_draft_with_a_collapsed_paste_and_the_cursor_inside_is_held_and_no_key_is_pressed() -> None:
    """The editor gives the paste back expanded: then the place of the cursor is not to be found again."""
    terminal = ScriptedTerminal([box("look at [Pasted text #1 +9 lines] and ‸tell me")])

    outcome = terminal.play(deliver(JOB, EditorKeys(key=("C-g",))))

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.DRAFT
    assert terminal.kinds == []


class WithEditor(ScriptedTerminal):
    """Its editor opens on the draft, then on an empty box, and then not at all."""

    def answer(self, step: Step) -> Answer:
        match step:
            case OpenEditor():
                texts: list[Answer] = [EditorOpened("half a thought"), EditorOpened("")]
                opened = sum(isinstance(one, OpenEditor) for one in self.steps)
                return texts[opened - 1] if opened <= len(texts) else False
            case SaveDraft() | CloseEditor() | DropDraft():
                return True
        return super().answer(step)


GONE = screen(f"> {TEXT}\n  part 1 of 9\n‸", columns=60)
"""No box while it works."""
NEEDS_BOX = EditorKeys(key=("C-x", "C-e"), needs_box=True)


def test_the_editors_key_is_not_pressed_again_where_no_box_is_left_and_the_draft_stays_on_record() -> None:
    before = [tall(one) for one in (DRAFT, DRAFT, DRAFT, DRAFT, OURS, OURS, OURS)]
    terminal = WithEditor([*before, GONE])

    outcome = terminal.play(deliver(JOB, NEEDS_BOX))

    assert isinstance(outcome, Submitted)
    assert sum(isinstance(step, OpenEditor) for step in terminal.steps) == 1
    assert not any(isinstance(step, DropDraft) for step in terminal.steps)


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_draft_that_a_dialog_may_have_swallowed_stays_on_record(is_lost: bool) -> None:
    before = [tall(one) for one in (DRAFT, DRAFT, DRAFT, DRAFT, OURS, OURS, OURS, AFTER_OURS, AFTER_OURS)]
    terminal = WithEditor([*before, DIALOG_AFTER_OURS])
    keys = EditorKeys(key=("C-x", "e"), needs_box=True, is_lost_in_dialog=is_lost)

    outcome = terminal.play(deliver(JOB, keys))

    assert isinstance(outcome, Submitted)
    assert CloseEditor("half a thought") in terminal.steps
    assert any(isinstance(step, DropDraft) for step in terminal.steps) is not is_lost


@pytest.mark.parametrize("draft", ["half a thought‸", "half a ‸thought", "half a thought  ‸", "‸"])
def test_the_keys_are_not_let_go_before_the_agent_is_back_from_its_editor(draft: str) -> None:
    """And nothing is taken out of the box: no draft is on record yet."""
    terminal = WithEditor([box(draft)])
    terminal.play(deliver(JOB, EditorKeys(key=("C-g",), rest_s=0.1, trims=True)))

    [undo, *_] = [step.writes for step in terminal.steps if isinstance(step, LeaveUndo)]
    assert undo[0] == Write(then_wait_s=EDITOR_GONE_S + 0.1, back_wait_s=0.1)
    assert not any("BSpace" in write.keys or write.paste for write in undo)
