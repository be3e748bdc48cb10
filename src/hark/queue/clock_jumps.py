"""Tells when the wall clock was set: by comparing it with a clock that nobody can set."""

from datetime import datetime, timedelta

from msgspec import Struct

SMALLEST = timedelta(seconds=1)
"""A smaller difference is nobody's business; several of them add up, because the first reading stays the one to compare with."""


class Reading(Struct, frozen=True):
    """The wall clock and the steady clock at one moment."""

    wall: datetime
    elapsed_s: float
    """Seconds on a clock that only grows, also while the machine sleeps."""


def jump_between(before: Reading, now: Reading) -> timedelta:
    """By how much the wall clock was set forth (or back, if negative) between two readings; zero if it was not."""
    jump = (now.wall - before.wall) - timedelta(seconds=now.elapsed_s - before.elapsed_s)
    return jump if abs(jump) >= SMALLEST else timedelta(0)
