"""Decides when hark tries a failed delivery again, and when it gives the message up.

An attempt counts if the agent did not take the text: the paste was not echoed, or the box held something else than the message's text,
or Enter had no effect. After each such attempt hark waits longer before the next one, and after `max_attempts` the message steps aside,
so that the messages behind it go on. If the message's text is known to be out of the box, the message is dead: it stays on record, hark
tells its sender, and `hark retry` brings it back. If the text may still be in the box, the message is uncertain, and hark tells its sender
that. An attempt that fails for a reason of the session (a draft, a dialog, a human who types, a busy agent) does not count.
"""

from hark.model.message import Message, Status
from hark.queue.lifecycle import given_up_status, is_attempted

FIRST_S = 0.2
LONGEST_S = 60.0
LONGEST_IN_BOX_S = 5.0
"""The longest wait while the text may be in the box: hark looks more often then, because a human who takes the text out of the box, or
submits it, ends the wait."""


def backoff_s(attempts: int) -> float:
    """Return how long to wait after this number of attempts: 0.2, 0.4, 0.8, … seconds, a minute at the most."""
    return 0.0 if attempts < 1 else float(min(FIRST_S * 2 ** min(attempts - 1, 16), LONGEST_S))


def next_try_s(message: Message, refusals: int) -> float:
    """Return how long to wait after an attempt that the agent has refused. `given_up_as` explains `refusals`."""
    if is_attempted(message):
        return min(backoff_s(refusals), LONGEST_IN_BOX_S)
    return backoff_s(max(message.attempts, refusals))


def given_up_as(message: Message, refusals: int, most_attempts: int) -> Status | None:
    """Return the status with which hark gives up a message that the agent has refused; None if hark tries the message again.

    `refusals` says how often in a row the agent refused the message. It also counts attempts that went on with a text that was in
    the box already, which `message.attempts` does not count. If `most_attempts` is 0, hark never gives up."""
    if not 0 < most_attempts <= max(message.attempts, refusals):
        return None
    return given_up_status(message)
