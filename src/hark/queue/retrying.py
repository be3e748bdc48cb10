"""When a delivery that has failed is tried again, and when it is given up.

An attempt counts when the agent did not take the text: its paste was not echoed, or something else than our text stood in the box,
or Enter had no effect. After each such attempt the next one waits longer, and after `max_attempts` the message steps aside, so that
what waits behind it goes on. If its text is known to be out of the box, the message is dead: it stays on record, its sender is told,
and `hark retry` brings it back. If its text may still be in the box, the message is uncertain, and its sender is told the same.
An attempt that fails for a reason of the session (a draft, a dialog, a human who types, a busy agent) does not count.
"""

from hark.model.message import Message, Status

FIRST_S = 0.2
LONGEST_S = 60.0
LONGEST_IN_BOX_S = 5.0
"""A text that may be in the box is looked at more often: a human who takes it out, or submits it, ends the wait."""


def backoff_s(attempts: int) -> float:
    """How long to wait after so many attempts: 0.2, 0.4, 0.8, … seconds, a minute at the most."""
    return 0.0 if attempts < 1 else float(min(FIRST_S * 2 ** min(attempts - 1, 16), LONGEST_S))


def next_try_s(message: Message, refusals: int) -> float:
    """How long to wait after an attempt that the agent has refused. `refusals`: see `given_up_as`."""
    if may_be_in_box(message):
        return min(backoff_s(refusals), LONGEST_IN_BOX_S)
    return backoff_s(max(message.attempts, refusals))


def given_up_as(message: Message, refusals: int, most_attempts: int) -> Status | None:
    """What becomes of a message that the agent has refused; None while it is tried again.

    `refusals`: how often in a row it was refused, also where an attempt went on with a text that was in the box already, which
    the message itself does not count. `most_attempts`: 0 never gives up."""
    if not 0 < most_attempts <= max(message.attempts, refusals):
        return None
    return Status.UNCERTAIN if may_be_in_box(message) else Status.DEAD


def may_be_in_box(message: Message) -> bool:
    return message.status is Status.STAGED or message.attempted_at is not None
