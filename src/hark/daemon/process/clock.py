"""The clocks, passed to whoever needs them so that a test can pass others."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
Elapsed = Callable[[], float]

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts while the machine sleeps too; where Linux's clock for that does not exist (macOS), the monotonic one does."""


def wall_clock() -> datetime:
    return datetime.now(UTC)


def elapsed_s() -> float:
    """Seconds on a clock that nobody can set and that goes on while the machine sleeps."""
    return time.clock_gettime(_SINCE_BOOT)
