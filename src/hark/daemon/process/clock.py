"""The clocks. They are passed to whoever needs them, so that a test can pass others."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
Elapsed = Callable[[], float]

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock that also counts while the machine sleeps: Linux has CLOCK_BOOTTIME for that, and on macOS CLOCK_MONOTONIC does it."""


def wall_clock() -> datetime:
    return datetime.now(UTC)


def elapsed_s() -> float:
    """Return the seconds on a clock that nobody can set and that goes on while the machine sleeps."""
    return time.clock_gettime(_SINCE_BOOT)
