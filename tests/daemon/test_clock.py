from datetime import UTC, datetime, timedelta

from hark.daemon.clock import SteadyClock

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Times:
    """A wall clock that can be set, and real time that only passes."""

    def __init__(self) -> None:
        self.set_by_s = 0.0
        self.real_s = 0.0

    def wall(self) -> datetime:
        return T0 + timedelta(seconds=self.real_s + self.set_by_s)

    def elapsed(self) -> float:
        return self.real_s


def test_it_follows_the_wall_clock() -> None:
    times = Times()
    clock = SteadyClock(times.wall, times.elapsed)
    times.real_s = 5

    assert clock() == T0 + timedelta(seconds=5)


def test_a_clock_that_is_set_back_does_not_take_it_back() -> None:
    times = Times()
    clock = SteadyClock(times.wall, times.elapsed)
    times.real_s, times.set_by_s = 5, -3600
    assert clock() == T0 + timedelta(seconds=5)
    times.real_s = 8

    assert clock() == T0 + timedelta(seconds=8)


def test_a_clock_that_is_ahead_is_believed_and_stays_so() -> None:
    times = Times()
    clock = SteadyClock(times.wall, times.elapsed)
    times.set_by_s = 600
    assert clock() == T0 + timedelta(seconds=600)
    times.set_by_s, times.real_s = 0, 1

    assert clock() == T0 + timedelta(seconds=601)
