"""The wall clock, passed to whoever needs it so that a test can pass another."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def wall_clock() -> datetime:
    return datetime.now(UTC)


class SteadyClock:
    """The wall clock, except that it never goes back: when the wall clock does, it goes on at the pace of real time.

    So what shall happen in five minutes happens in five minutes, although the clock was set back by an hour meanwhile. When
    the wall clock is ahead (a laptop that slept), it is believed.
    """

    def __init__(self, wall: Clock = wall_clock, elapsed_s: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._elapsed_s = elapsed_s
        self._at = wall()
        self._at_s = elapsed_s()

    def __call__(self) -> datetime:
        now_s = self._elapsed_s()
        self._at = max(self._wall(), self._at + timedelta(seconds=now_s - self._at_s))
        self._at_s = now_s
        return self._at
