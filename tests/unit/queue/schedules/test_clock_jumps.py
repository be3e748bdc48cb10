"""Reminders and the clock: what is due after an amount of time, and what is due at a time of the day, whatever the clock is set to."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hark.model.ids import ReminderId, SessionId
from hark.model.reminder import Reminder
from hark.queue.schedules.clock_jumps import Reading, jump_between
from hark.queue.schedules.forgetting import CATCH_UP, advance, begin
from hark.queue.schedules.schedule import again_at, due, key, moved

T0 = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
HOUR_S = 3600.0


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def make(fire_s: float, **fields: Any) -> Reminder:
    return Reminder(
        id=ReminderId("r"), session_id=SessionId("s"), text="look", created_at=T0, fire_at=at(fire_s), **fields
    )


class Scheduler:
    """What the daemon's scheduler does, without a daemon: two clocks, a reminder, and when it fired on each of them."""

    def __init__(self, reminder: Reminder) -> None:
        self.reminder = reminder
        self.real_s = 0.0
        self.set_by_s = 0.0
        self.read = self.reading()
        self.fired: list[tuple[float, datetime]] = []
        self.keys: list[str] = []

    def reading(self) -> Reading:
        return Reading(at(self.real_s + self.set_by_s), self.real_s)

    def look(self) -> None:
        now = self.reading()
        if jump := jump_between(self.read, now):
            self.reminder = replace(self.reminder, fire_at=moved(self.reminder, jump, now.wall, UTC))
            self.read = now
        for firing in due([self.reminder], now.wall):
            if key(firing.reminder) not in self.keys:
                self.keys.append(key(firing.reminder))
                self.fired.append((self.real_s, now.wall))
            again = (
                again_at(self.reminder.repeat, self.reminder.fire_at, now.wall, UTC) if self.reminder.repeat else None
            )
            self.reminder = replace(
                self.reminder,
                **({"fire_at": again} if again else {"fired_at": now.wall}),
            )

    def passes(self, seconds: float, step_s: float = 5.0) -> None:
        """Time passes, and the scheduler looks at its clock now and then."""
        end_s = self.real_s + seconds
        while self.real_s < end_s:
            self.real_s = min(end_s, self.real_s + step_s)
            self.look()


@pytest.mark.parametrize(
    ("before", "after", "jump_s"),
    [
        (Reading(at(0), 100.0), Reading(at(60), 160.0), 0),  # a minute passed
        (Reading(at(0), 100.0), Reading(at(60.4), 160.0), 0),  # too little to be a jump
        (Reading(at(0), 100.0), Reading(at(3660), 160.0), HOUR_S),
        (Reading(at(0), 100.0), Reading(at(-3540), 160.0), -HOUR_S),
        (Reading(at(0), 100.0), Reading(at(36000), 36100.0), 0),  # a laptop that slept for ten hours
    ],
)
def test_a_jump_is_what_real_time_does_not_explain(before: Reading, after: Reading, jump_s: float) -> None:
    assert jump_between(before, after) == timedelta(seconds=jump_s)


def test_after_a_jump_forth_and_back_a_delay_is_as_long_as_it_was() -> None:
    scheduler = Scheduler(make(300, is_elapsed=True))
    scheduler.passes(60)
    scheduler.set_by_s = HOUR_S
    scheduler.passes(60)
    scheduler.set_by_s = 0
    scheduler.passes(175)

    assert scheduler.fired == []
    scheduler.passes(10)

    assert scheduler.fired == [(300, at(300))]


def test_after_a_jump_forth_and_back_an_interval_is_not_an_hour_early() -> None:
    scheduler = Scheduler(make(600, is_elapsed=True, repeat="every 600"))
    scheduler.set_by_s = HOUR_S
    scheduler.passes(30)
    scheduler.set_by_s = 0
    scheduler.passes(3600)

    assert [real_s for real_s, _ in scheduler.fired] == [600, 1200, 1800, 2400, 3000, 3600]


def test_an_interval_goes_on_in_an_hour_that_the_clock_shows_twice() -> None:
    """Each time is a message of its own, although the wall clock has shown the same seconds before."""
    scheduler = Scheduler(make(600, is_elapsed=True, repeat="every 600"))
    scheduler.passes(3600)
    scheduler.set_by_s = -HOUR_S + 0.000001
    scheduler.passes(3600)

    assert [real_s for real_s, _ in scheduler.fired] == [600.0 * n for n in range(1, 13)]


def test_a_time_of_the_day_follows_the_clock() -> None:
    scheduler = Scheduler(make(7200))
    scheduler.set_by_s = 7000
    scheduler.passes(100)
    assert scheduler.fired == []
    scheduler.passes(150)

    assert scheduler.fired == [(200, at(7200))]


def test_a_cron_line_does_not_wait_for_the_year_that_a_wrong_clock_has_shown() -> None:
    scheduler = Scheduler(make(3600 - 0.123456, repeat="cron 0 * * * *"))
    scheduler.set_by_s = 365 * 86400
    scheduler.passes(60)
    assert len(scheduler.fired) == 1
    scheduler.set_by_s = 0
    scheduler.passes(3 * 3600, 60)

    # 13:00 has fired, on the wrong clock.
    assert [f"{wall:%H:%M}" for _, wall in scheduler.fired[1:]] == ["14:00", "15:00"]


def test_a_cron_time_that_came_on_a_wrong_clock_is_not_fired_again() -> None:
    scheduler = Scheduler(make(3600 - 0.123456, repeat="cron 0 * * * *"))
    scheduler.set_by_s = HOUR_S
    scheduler.passes(60)
    scheduler.set_by_s = 0
    scheduler.passes(7200, 60)

    assert [f"{wall:%H:%M}" for _, wall in scheduler.fired] == ["13:00", "14:00"]


JUMPS = st.lists(st.tuples(st.floats(1, 2000), st.floats(-90000, 90000)), max_size=8)


@given(JUMPS, st.floats(10, 5000))
def test_whatever_the_clock_does_a_delay_fires_once_after_that_time(
    jumps: list[tuple[float, float]], delay_s: float
) -> None:
    scheduler = Scheduler(make(delay_s, is_elapsed=True))
    for passes_s, set_by_s in jumps:
        scheduler.passes(passes_s, 50)
        scheduler.set_by_s = set_by_s
        scheduler.look()
    scheduler.passes(6000, 50)

    ((fired_s, _),) = scheduler.fired
    # Jumps of less than a second are not corrected one by one.
    assert delay_s - 1 <= fired_s <= delay_s + 51


@given(JUMPS, st.floats(10, 5000))
def test_whatever_the_clock_does_a_time_of_the_day_fires_when_the_clock_shows_it(
    jumps: list[tuple[float, float]], fire_s: float
) -> None:
    scheduler = Scheduler(make(fire_s))
    for passes_s, set_by_s in [*jumps, (1.0, 90000.0)]:
        scheduler.passes(passes_s, 50)
        scheduler.set_by_s = set_by_s
        scheduler.look()

    ((_, wall),) = scheduler.fired
    assert wall >= at(fire_s)


# the clock by which things are forgotten


@given(
    st.lists(st.tuples(st.floats(0, 86400), st.floats(-(10**9), 10**9)), max_size=12),
    st.floats(0, 86400),
)
def test_the_clock_for_forgetting_is_never_ahead_and_never_runs_away(
    steps: list[tuple[float, float]], first_s: float
) -> None:
    clock, real_s = begin(at(first_s), at(0)), first_s
    for passes_s, set_by_s in steps:
        before = clock
        real_s += passes_s
        wall = at(real_s + set_by_s)
        clock = advance(clock, wall, passes_s)
        assert clock <= wall
        assert clock <= before + timedelta(seconds=CATCH_UP * passes_s)


def test_a_clock_that_is_a_year_ahead_for_an_hour_costs_a_day_at_most() -> None:
    clock = advance(T0, T0 + timedelta(days=365), 3600)

    assert clock == T0 + timedelta(days=1)
    assert advance(clock, T0 + timedelta(hours=2), 3600) == T0 + timedelta(hours=2)


def test_after_a_month_without_a_daemon_it_catches_up_within_a_day_and_a_half() -> None:
    assert advance(T0, T0 + timedelta(days=30), 30 * 3600) == T0 + timedelta(days=30)


def test_in_a_new_database_it_begins_with_the_last_thing_that_is_on_record() -> None:
    assert begin(at(100), None) == at(100)
    assert begin(at(10**8), at(50)) == at(50)
    assert begin(at(0), at(50)) == at(0)
