"""When a delivery that has failed is tried again, and when it is given up.

An attempt counts when its text was put into the box (`attempts`). After each that failed the next one waits longer; after too
many the message is dead: it stays on record, its sender is told, and `hark retry` brings it back.
"""

from hark.model.message import Message, Status

FIRST_S = 0.2
LONGEST_S = 60.0


def backoff_s(attempts: int) -> float:
    """How long to wait after so many attempts: 0.2, 0.4, 0.8, … seconds, a minute at the most."""
    return 0.0 if attempts < 1 else float(min(FIRST_S * 2 ** min(attempts - 1, 16), LONGEST_S))


def is_given_up(message: Message, most_attempts: int) -> bool:
    """Only while its text is known not to be in the box."""
    is_out = message.status in (Status.QUEUED, Status.HELD) and message.attempted_at is None
    return 0 < most_attempts <= message.attempts and is_out
