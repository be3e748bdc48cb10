"""Detects that somebody set the wall clock, by comparing it with a clock that nobody can set."""

from datetime import datetime, timedelta

from msgspec import Struct

SMALLEST = timedelta(seconds=1)
"""The smallest difference that counts as a jump. Several smaller ones add up, because hark keeps comparing with the same reading."""


class Reading(Struct, frozen=True):
    """The wall clock and the steady clock at one moment."""

    wall: datetime
    elapsed_s: float
    """Seconds on the steady clock, which nobody can set and which goes on while the machine sleeps."""


def jump_between(before: Reading, now: Reading) -> timedelta:
    """Return by how much the wall clock was set forward (or back, if negative) between two readings; zero if it was not set."""
    jump = (now.wall - before.wall) - timedelta(seconds=now.elapsed_s - before.elapsed_s)
    return jump if abs(jump) >= SMALLEST else timedelta(0)
