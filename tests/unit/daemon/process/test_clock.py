"""The daemon's clocks: one that people set, aware of its zone, and one that only goes on."""

from datetime import UTC, timedelta

from hark.daemon.process.clock import elapsed_s, wall_clock


def test_the_wall_clock_is_in_utc() -> None:
    assert wall_clock().tzinfo is UTC
    assert wall_clock().utcoffset() == timedelta(0)


def test_the_other_clock_never_goes_back() -> None:
    seen = [elapsed_s() for _ in range(100)]

    assert seen == sorted(seen)
