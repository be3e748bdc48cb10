from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.ids import ReminderId, SessionId
from hark.model.reminder import Reminder
from hark.queue.schedules.schedule import LATE_AFTER, Firing, again_at, due, every, key, next_at, words

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def make(name: str, fire_s: float, **fields: Any) -> Reminder:
    return Reminder(
        id=ReminderId(name), session_id=SessionId("s"), text="look", created_at=T0, fire_at=at(fire_s), **fields
    )


def names(firings: list[Firing]) -> list[str]:
    return [firing.reminder.id for firing in firings]


def test_a_reminder_is_due_at_its_very_microsecond() -> None:
    reminder = make("r", 5)

    assert due([reminder], at(4.999999)) == []
    assert due([reminder], at(5)) == [Firing(reminder, is_late=False)]


def test_they_fire_in_the_order_of_their_times() -> None:
    reminders = [make("c", 3), make("a", 1), make("later", 9), make("b", 2)]

    assert names(due(reminders, at(5))) == ["a", "b", "c"]
    assert next_at(reminders) == at(1)
    assert next_at([]) is None


def test_what_fired_or_was_cancelled_is_over() -> None:
    reminders = [make("fired", 1, fired_at=at(1)), make("cancelled", 1, cancelled_at=at(0))]

    assert due(reminders, at(9)) == []
    assert next_at(reminders) is None


def test_a_missed_one_is_late_and_says_when_it_was_due() -> None:
    (in_time,) = due([make("r", 0)], T0 + LATE_AFTER)
    (late,) = due([make("r", 0)], T0 + LATE_AFTER + timedelta(microseconds=1))

    assert words(in_time) == "[hark] Scheduled reminder:\nlook"
    assert words(late) == "[hark] Scheduled reminder (late: it was due at 2026-03-01 12:00:00 UTC):\nlook"


@given(
    st.lists(st.floats(0, 100), max_size=8),
    st.lists(st.floats(-200, 200), max_size=20),
)
def test_whatever_the_clock_does_each_fires_once_and_never_early(times: list[float], looks: list[float]) -> None:
    """Whoever fires them marks them; the clock may jump as it likes, and in the end it is past all of them."""
    reminders = [make(f"r{n}", fire_s) for n, fire_s in enumerate(times)]
    fired: list[str] = []
    for now in [at(seconds) for seconds in (*looks, 100)]:
        for firing in due(reminders, now):
            assert firing.reminder.fire_at <= now
            fired.append(firing.reminder.id)
            reminders = [r for r in reminders if r.id != firing.reminder.id]

    assert sorted(fired) == sorted(f"r{n}" for n in range(len(times)))


def test_a_repeated_one_keeps_its_step_and_skips_what_was_missed() -> None:
    assert again_at("every 60", at(0), at(0), UTC) == at(60)
    assert again_at("every 60", at(0), at(59), UTC) == at(60)
    assert again_at("every 60", at(0), at(60), UTC) == at(120)
    assert again_at("every 60", at(0), at(3601), UTC) == at(3660)
    # a clock that was set back
    assert again_at("every 60", at(0), at(-3600), UTC) == at(60)


def test_a_cron_line_goes_by_its_zone() -> None:
    assert again_at("cron 30 14 * * *", at(0), T0, timezone(timedelta(hours=2))) == T0 + timedelta(minutes=30)


def test_each_time_of_a_repeated_one_is_a_message_of_its_own() -> None:
    once, first, second = make("r", 0), make("r", 0, repeat="every 60"), make("r", 60, repeat="every 60")

    assert len({key(once), key(first), key(second)}) == 3


def test_what_would_repeat_too_often_is_refused() -> None:
    assert every(10) == "every 10"
    with pytest.raises(HarkError, match="every 10 s"):
        every(9)
