"""The wall clock, passed to whoever needs it so that a test can pass another."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def wall_clock() -> datetime:
    return datetime.now(UTC)
