"""What follows from an attempt: what becomes of its messages, whether a refused message is tried again, and how long the courier waits."""

from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.carriers.steps import Held, Outcome, Stuck, Submitted
from hark.delivery.gate import Hold
from hark.delivery.session_view import Limits, Memory
from hark.model.message import HoldReason, Message, Status
from hark.queue.lifecycle import PENDING
from hark.queue.retrying import given_up_as, next_try_s

QUIETEST_S = 0.1
"""The fewest seconds between two looks at a held session that prints without end."""
ASK_API_AGAIN_S = 1.0
LOST_AFTER = timedelta(seconds=30)
"""How long to wait for the agent's own API to say whether it has a message that was handed over to it."""

_ENDED_BY_OUTPUT = frozenset(HoldReason) - {
    HoldReason.SESSION_GONE,
    HoldReason.DO_NOT_DISTURB,
    HoldReason.COPY_MODE,
    HoldReason.HUMAN_TYPING,
}
"""The hold reasons that may be over when the pane prints: an agent that goes on prints something."""


class Pause(Struct, frozen=True):
    """How the courier waits until it looks again."""

    for_s: float | None
    """The longest time to wait; None if only an event ends the wait."""
    is_for_output: bool | None = None
    """True if output of the pane ends the wait, False if it does not, None if that stays as it was."""


class Becomes(Struct, frozen=True):
    """What becomes of the messages of a payload after an attempt."""

    status: Status
    is_in_box: bool = False
    """True if the text may be in the box from now on. It counts for a message that is held."""
    hold: Hold | None = None


class Refusal(Struct, frozen=True):
    """What follows from an attempt that the agent refused."""

    memory: Memory
    given_up: str | None = None
    """Why the message is given up; None if it is tried again."""


def what_becomes(outcome: Outcome) -> Becomes:
    """Return what becomes of the messages of a payload whose delivery ended with this outcome."""
    match outcome:
        case Submitted():
            return Becomes(Status.SUBMITTED)
        case Held(reason=reason, detail=detail, is_refused=is_refused):
            return Becomes(Status.HELD, hold=Hold(reason, detail, is_refused=is_refused))
        case Stuck(detail=detail, is_refused=is_refused):
            return Becomes(Status.HELD, is_in_box=True, hold=Hold(HoldReason.DRAFT, detail, is_refused=is_refused))
    return Becomes(Status.UNCERTAIN)


def pause_after(hold: Hold, limits: Limits) -> Pause:
    """Return how to wait for the end of a hold."""
    is_for_output = hold.reason in _ENDED_BY_OUTPUT and not hold.is_for_hook
    return Pause(min(hold.ends_in_s or limits.poll_s, limits.poll_s), is_for_output)


def blame_nobody(hold: Hold, count: int, *, is_in_box: bool) -> Hold:
    """Return the hold after an attempt with a payload of `count` messages. If the agent refused a payload of several messages and the
    payload is out of the box, that counts against none of them: nobody knows whose text was refused, and each goes alone next time."""
    if not hold.is_refused or count < 2 or is_in_box:
        return hold
    return replace(hold, is_refused=False, ends_in_s=QUIETEST_S)


def count_refusal(message: Message, detail: str, memory: Memory, limits: Limits, elapsed_s: float) -> Refusal:
    """Count an attempt that the agent refused. `message` is the message as it is after the attempt."""
    if message.status not in PENDING:
        return Refusal(memory)
    count = memory.refusals + 1 if memory.refused_id == message.id else 1
    memory = replace(memory, refused_id=message.id, refusals=count)
    if given_up_as(message, count, limits.most_attempts):
        return Refusal(memory, f"given up after {max(count, message.attempts)} attempts: {detail}")
    until_s = elapsed_s + next_try_s(message, count)
    return Refusal(replace(memory, resting_id=message.id, rests_until_s=until_s))


def count_failure(message: Message, detail: str, memory: Memory, limits: Limits, elapsed_s: float) -> Refusal:
    """Count an unforeseen failure of a delivery against its message, so that one message cannot keep the courier failing for ever. The
    first failure does not count: another message of the payload may have caused it, and the next attempt delivers this message alone."""
    if memory.refused_id == message.id:
        return count_refusal(message, detail, memory, limits, elapsed_s)
    return Refusal(replace(memory, refused_id=message.id, refusals=0))


def is_lost(message: Message, now: datetime) -> bool:
    """Return True if a message has been on its way to the agent's own API for so long that nobody will tell whether it has arrived."""
    return message.staged_at is None or now - message.staged_at >= LOST_AFTER
