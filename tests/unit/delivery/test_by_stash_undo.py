"""What is left with whoever holds the keys while the stash has the draft: the human's next key must not come before the draft is back."""

from __future__ import annotations

from hark.delivery.carriers.stash import StashKeys, deliver
from hark.delivery.carriers.steps import Answer, DropDraft, LeaveUndo, Paste, Press, PressEnter, SaveDraft, Step
from hark.delivery.carriers.submit import Job
from hark.delivery.carriers.undo import SUBMITTED_S, WORKED_OFF_S, Write
from tests.unit.delivery.screens import DEMO, tall
from tests.unit.delivery.scripted import AFTER_OURS, DIALOG, DRAFT, EMPTY, MESSAGE_ID, OURS, TEXT, ScriptedTerminal

STASH = StashKeys(key="C-s", occupied="stashed")


class WithStash(ScriptedTerminal):
    def answer(self, step: Step) -> Answer:
        return True if isinstance(step, SaveDraft | DropDraft) else super().answer(step)


def test_the_keys_wait_until_the_draft_is_out_of_the_stash_again() -> None:
    shown = [DRAFT, DRAFT, EMPTY, EMPTY, OURS, OURS, OURS, OURS, AFTER_OURS]
    terminal = WithStash([tall(one) for one in shown])

    terminal.play(deliver(Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO), STASH))

    unstashed = Write(keys=("C-s",), then_wait_s=WORKED_OFF_S)
    taken = next(step for step in terminal.steps if isinstance(step, Press) and step.keys == ("C-s",))
    before_ours = next(step for step in terminal.steps if isinstance(step, LeaveUndo))
    entered = next(step for step in terminal.steps if isinstance(step, PressEnter))
    assert taken.then is not None
    assert taken.then[-1] == unstashed
    assert before_ours.writes[-1] == unstashed
    assert sum(write.then_wait_s for write in entered.then) >= SUBMITTED_S


def test_under_a_dialog_the_undo_leaves_the_stash_alone() -> None:
    shown = [DRAFT, DRAFT, EMPTY, EMPTY, DIALOG, DIALOG, OURS, OURS, OURS, OURS, AFTER_OURS]
    terminal = WithStash([tall(one) for one in shown])

    terminal.play(deliver(Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO), STASH))

    pasted = next(at for at, step in enumerate(terminal.steps) if isinstance(step, Paste))
    under, seen_again, *_ = [step.writes for step in terminal.steps[pasted:] if isinstance(step, LeaveUndo)]
    unstashed = Write(keys=("C-s",), then_wait_s=WORKED_OFF_S)
    assert under == (*seen_again[:-1], Write(leaves_draft_out=True))
    assert seen_again[-1] == unstashed
