"""Which near misses of a session are worth a line in the log.

A person looks for one lost marker among them. So each line is logged once in an hour, however often it is drawn; lines that
resemble a marker are logged before mere mentions of a namespace run out of room for them; and what a flood brings on top is
counted, and the count is logged.
"""

import json

from msgspec import Struct

from hark.signals.marker import NearMiss

HOUR_S = 3600.0
MOST_RESEMBLING = 100
"""Near misses that resemble a marker and are logged for one session in an hour."""
MOST_MENTIONS = 20
"""Mere mentions of a namespace that are logged for one session in an hour."""
MOST_KNOWN = 2000
"""Lines that are known again within the hour; those beyond are counted each time."""
LONGEST_LINE = 500


class Told(Struct):
    """What was logged of one session within the hour."""

    begun_at_s: float
    resembling: int = 0
    mentions: int = 0
    left_out: int = 0
    known: set[str] = set()


class NearMissLog:
    """Decides for one session; the caller has the clock and the log. The caller ends an hour before it admits a near miss."""

    def __init__(self, now_s: float) -> None:
        self._told = Told(now_s)

    def admit(self, miss: NearMiss) -> bool:
        """True if this near miss is to be logged now."""
        told = self._told
        if miss.line in told.known:
            return False
        if len(told.known) < MOST_KNOWN:
            told.known.add(miss.line)
        if miss.is_mention and told.mentions < MOST_MENTIONS:
            told.mentions += 1
            return True
        if not miss.is_mention and told.resembling < MOST_RESEMBLING:
            told.resembling += 1
            return True
        told.left_out += 1
        return False

    def end_hour(self, now_s: float, *, is_last: bool = False) -> int:
        """How many near misses the hour has left out, if it is over; then a new one begins. `is_last`: the session has ended."""
        if now_s - self._told.begun_at_s < HOUR_S and not is_last:
            return 0
        left_out, self._told = self._told.left_out, Told(now_s)
        return left_out

    @property
    def has_left_out(self) -> bool:
        """True if a near miss of this hour was not logged for want of room."""
        return self._told.left_out > 0


def wording(session_id: str, miss: NearMiss) -> str:
    """The words of the log: the cleaned line in quotes, so that blanks at its ends and odd characters can be seen."""
    return (
        f"[signal] {session_id} - potential missed signal: {json.dumps(miss.line[:LONGEST_LINE], ensure_ascii=False)}"
    )
