"""What an attempt has come to when its carrier has ended, while the human's keys are still held.

The carrier says what it saw. It cannot know that the key hold ended before it did and the holder ran the undo, or that the agent has not
read what was written to it. `judge` asks for that, one question at a time, and may leave the undo to whoever holds the keys. It is a
generator like a carrier: the daemon and the simulator answer the same questions.
"""

from collections.abc import Generator
from enum import StrEnum

from msgspec import Struct

from hark.delivery.carriers.steps import Held, Outcome, Stuck, is_late
from hark.delivery.gate import NOT_READ
from hark.model.message import HoldReason

UNDONE = "the delivery was broken off before Enter, and was undone"


class Question(StrEnum):
    WAS_UNDONE = "was-undone"
    """Whether whoever held the keys has undone the delivery, so that none of its text is in the box and nothing was submitted."""
    IS_LEFT_TO_HOLDER = "is-left-to-holder"
    """Tell whoever holds the keys to run the undo before letting them go. The answer is True if they will."""
    HAS_UNREAD = "has-unread"
    """Whether the agent has not read all that was written to it."""


class Judged(Struct, frozen=True):
    outcome: Outcome
    is_left_to_holder: bool = False
    """True if the undo is left to whoever holds the keys, because our text may still come into the box."""


Judgement = Generator[Question, bool, Judged]


def judge(outcome: Outcome, *, has_begun: bool, has_pressed_enter: bool) -> Judgement:
    """Return what became of the payload. `has_begun` says whether our text may have been put into the box, and `has_pressed_enter` whether
    Enter was pressed."""
    if not has_begun:
        return Judged(outcome)
    if isinstance(outcome, Stuck) and (yield Question.WAS_UNDONE):
        return Judged(Held(HoldReason.CALLED_OFF, f"{UNDONE}: {outcome.detail}"))
    if is_late(outcome) and not has_pressed_enter and (yield Question.IS_LEFT_TO_HOLDER):
        return Judged(outcome, is_left_to_holder=True)
    # A text that was seen to leave the box again is out of it: bytes that are still unread belong to the undo.
    is_unechoed = isinstance(outcome, Stuck) or (isinstance(outcome, Held) and outcome.reason is HoldReason.DIALOG)
    if not is_unechoed or not (yield Question.HAS_UNREAD):
        return Judged(outcome)
    # Our text is on its way into the box, whatever the screen shows; the undo follows right behind it.
    if has_pressed_enter or not (yield Question.IS_LEFT_TO_HOLDER):
        return Judged(Stuck(NOT_READ))
    return Judged(Held(HoldReason.BUSY, NOT_READ), is_left_to_holder=True)
