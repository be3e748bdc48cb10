"""Decides which near misses of a session are logged.

A person looks for one lost marker among them. So each line is logged once in an hour, however often it is drawn. Lines that resemble
a marker have room of their own, so that mere mentions of a namespace cannot use it up. Near misses beyond that room are counted, and
the count is logged.
"""

import json

from msgspec import Struct

from hark.signals.marker import NearMiss

HOUR_S = 3600.0
MOST_RESEMBLING = 100
"""The largest number of near misses that resemble a marker and are logged for one session in an hour."""
MOST_MENTIONS = 20
"""The largest number of mere mentions of a namespace that are logged for one session in an hour."""
MOST_KNOWN = 2000
"""The largest number of lines that are recognised when they come again within the hour; any further line is treated as new each time."""
LONGEST_LINE = 500


class Told(Struct):
    """What was logged for one session within the current hour."""

    begun_at_s: float
    resembling: int = 0
    mentions: int = 0
    left_out: int = 0
    known: set[str] = set()


class NearMissLog:
    """Decides which near misses of one session are logged; the caller has the clock and the log. The caller calls `end_hour` before
    `admit`."""

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
        """If the hour is over, begin a new one and return how many near misses the old hour left out; otherwise return 0. `is_last` ends
        the hour early, because the session has ended."""
        if now_s - self._told.begun_at_s < HOUR_S and not is_last:
            return 0
        left_out, self._told = self._told.left_out, Told(now_s)
        return left_out

    @property
    def has_left_out(self) -> bool:
        """True if a near miss of this hour was not logged because there was no room for it."""
        return self._told.left_out > 0


def wording(session_id: str, miss: NearMiss) -> str:
    """Return the text for the log: the cleaned line in quotes, so that a person can see blanks at its ends and odd characters."""
    return (
        f"[signal] {session_id} - potential missed signal: {json.dumps(miss.line[:LONGEST_LINE], ensure_ascii=False)}"
    )
