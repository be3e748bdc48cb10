"""The clock by which hark deletes old records. A deleted record is lost, so hark does not believe a single reading of the wall clock.

This clock follows the wall clock, but advances by at most a day in an hour of the daemon's running time. Suppose that the wall clock
is a year ahead for an hour, until somebody or a time server sets it right: then hark deletes at most what would have been deleted within
one more day, and not all history. After a long time without a daemon this clock catches up within hours, and records are deleted a little
later than they could be. The database keeps this clock's time, because a restart proves nothing about the wall clock.
"""

from datetime import datetime, timedelta

CATCH_UP = 24
"""How many times faster than real time the forgetting clock goes while the wall clock is ahead of it."""


def advance(forgetting: datetime, wall: datetime, elapsed_s: float) -> datetime:
    """Return what the forgetting clock shows `elapsed_s` seconds after it showed `forgetting`. The result is never ahead of the wall
    clock."""
    return min(wall, forgetting + timedelta(seconds=CATCH_UP * max(0.0, elapsed_s)))


def begin(wall: datetime, last_event_at: datetime | None) -> datetime:
    """Return the first time of the forgetting clock for a database that has none yet: not later than the last event on record."""
    return min(wall, last_event_at) if last_event_at else wall
