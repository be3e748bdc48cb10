"""The clock by which old things are forgotten. What is forgotten is lost, so one look at the wall clock is not believed.

This clock follows the wall clock, but catches up with at most a day in an hour of the daemon's running time. So a wall clock that is a
year ahead for an hour, before somebody or a time server sets it right, costs what is one day too old at most, and not all history. After a
long time without a daemon it catches up within hours, and things are forgotten a little later than they could be.
It is kept in the database: a restart proves nothing about the wall clock.
"""

from datetime import datetime, timedelta

CATCH_UP = 24
"""How much faster than real time the clock goes while the wall clock is ahead of it."""


def advance(forgetting: datetime, wall: datetime, elapsed_s: float) -> datetime:
    """Where the clock stands when so many seconds have passed since it stood at `forgetting`. It is never ahead of the wall clock."""
    return min(wall, forgetting + timedelta(seconds=CATCH_UP * max(0.0, elapsed_s)))


def begin(wall: datetime, last_event_at: datetime | None) -> datetime:
    """Returns the first time of the clock in a database that has none: not later than the last thing on record."""
    return min(wall, last_event_at) if last_event_at else wall
