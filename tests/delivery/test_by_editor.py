"""What the editor carrier must not do, as far as the screen alone tells."""

from __future__ import annotations

from hark.delivery.by_editor import EditorKeys, deliver
from hark.delivery.steps import Held
from hark.delivery.submit import Job
from hark.model.message import HoldReason
from tests.delivery.screens import DEMO
from tests.delivery.scripted import MESSAGE_ID, TEXT, ScriptedTerminal, box

JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO)


def test_a_draft_with_a_collapsed_paste_and_the_cursor_inside_is_held_and_no_key_is_pressed() -> None:
    """The editor gives the paste back expanded: then the place of the cursor is not to be found again."""
    terminal = ScriptedTerminal([box("look at [Pasted text #1 +9 lines] and ‸tell me")])

    outcome = terminal.play(deliver(JOB, EditorKeys(key=("C-g",))))

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.DRAFT
    assert terminal.kinds == []
