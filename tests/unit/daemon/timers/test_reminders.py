"""The scheduler on a store: one reminder that cannot be fired, and a wall clock that is set."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from hark.daemon.process import isolation
from hark.daemon.timers.reminders import SET_ASIDE_AFTER, Scheduler, When
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.reminder import Reminder
from hark.model.session import SessionState
from tests.unit.daemon.faulty import Parts, at, make_session

POISON = [HarkError("text-too-long", "it is too long"), RuntimeError("a defect")]


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "FIRST_REST_S", 0.0)


def make_scheduler(parts: Parts) -> Scheduler:
    return Scheduler(parts.core, parts.mailbox, parts.clocks.elapsed, UTC)


async def remind(parts: Parts, scheduler: Scheduler, text: str, **when: Any) -> Reminder:
    return await scheduler.remind(parts.sessions.get(SessionId("a")), When(**when), text)


def reminded(parts: Parts) -> list[str]:
    return [message.text.partition("\n")[2] for message in parts.store.of(SessionId("a"))]


def poison(parts: Parts, error: Exception) -> None:
    parts.store.fault("enqueue", lambda message: "poison" in message.text, error)


@pytest.mark.parametrize("error", POISON, ids=repr)
async def test_a_poisoned_reminder_stops_no_other_one_and_is_set_aside_with_its_reason(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        scheduler = make_scheduler(parts)
        await remind(parts, scheduler, "poison", after_s=1.0)
        await remind(parts, scheduler, "first", after_s=2.0)
        await remind(parts, scheduler, "again", after_s=3.0, repeat="every 60")
        poison(parts, error)
        parts.clocks.real_s = 5

        for _ in range(SET_ASIDE_AFTER + 3):
            await scheduler.fire_due()

        assert reminded(parts) == ["first", "again"]
        poisoned, repeated = await scheduler.waiting()
        assert (poisoned.text, poisoned.failures) == ("poison", SET_ASIDE_AFTER)
        assert poisoned.set_aside_at is not None
        assert str(poisoned.failure).startswith(("text-too-long: it is too long", "RuntimeError: a defect"))
        assert (repeated.text, repeated.failures) == ("again", 0)
        # It does not come back by itself, and can be taken back.
        parts.store.heal()
        await scheduler.fire_due()
        assert reminded(parts) == ["first", "again"]
        await scheduler.cancel(poisoned.id)
        assert [one.text for one in await scheduler.waiting()] == ["again"]


async def test_a_reminder_that_recovers_fires_and_is_forgiven() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        scheduler = make_scheduler(parts)
        await remind(parts, scheduler, "poison", repeat="every 60")
        poison(parts, POISON[1])
        parts.clocks.real_s = 61
        for _ in range(SET_ASIDE_AFTER - 1):
            await scheduler.fire_due()
        parts.store.heal()

        await scheduler.fire_due()

        (reminder,) = await scheduler.waiting()
        assert reminded(parts) == ["poison"]
        assert (reminder.failures, reminder.failure, reminder.set_aside_at) == (0, None, None)


async def test_a_full_disk_sets_no_reminder_aside() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        scheduler = make_scheduler(parts)
        await remind(parts, scheduler, "poison", after_s=1.0)
        poison(parts, HarkError("disk-full", "no room"))
        parts.clocks.real_s = 2
        for _ in range(3 * SET_ASIDE_AFTER):
            await scheduler.fire_due()
        parts.store.heal()

        await scheduler.fire_due()

        assert reminded(parts) == ["poison"]


async def test_a_session_that_is_gone_or_forgotten_stops_no_other_reminder() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("b"))
        scheduler = make_scheduler(parts)
        await scheduler.remind(parts.sessions.get(SessionId("b")), When(after_s=1.0), "to nobody")
        await remind(parts, scheduler, "hello", after_s=2.0)
        await parts.store.change_session(SessionId("b"), {"state": SessionState.GONE, "gone_at": at(0)})
        await parts.sessions.load()
        parts.clocks.real_s = 5

        await scheduler.fire_due()

        assert reminded(parts) == ["hello"]
        assert await scheduler.waiting() == []


async def test_after_a_jump_forth_and_back_nothing_is_early_and_nothing_is_lost() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        clocks, scheduler = parts.clocks, make_scheduler(parts)
        await remind(parts, scheduler, "in five minutes", after_s=300.0)
        await remind(parts, scheduler, "every ten", repeat="every 600")
        clocks.real_s, clocks.set_by_s = 60, 7200
        await scheduler.fire_due()
        clocks.real_s, clocks.set_by_s = 120, 0
        await scheduler.fire_due()
        clocks.real_s = 299
        await scheduler.fire_due()
        assert reminded(parts) == []

        clocks.real_s = 300
        await scheduler.fire_due()
        assert reminded(parts) == ["in five minutes"]
        clocks.real_s = 600
        await scheduler.fire_due()
        assert reminded(parts) == ["in five minutes", "every ten"]


async def test_a_time_of_the_day_goes_by_the_clock_and_an_interval_behind_it_does_not() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        clocks, scheduler = parts.clocks, make_scheduler(parts)
        made = await remind(parts, scheduler, "tea", at=at(3600), repeat="every 600")
        assert made.is_elapsed is False
        clocks.set_by_s = 3600
        await scheduler.fire_due()
        assert reminded(parts) == ["tea"]
        (after,) = await scheduler.waiting()
        assert after.is_elapsed is True

        clocks.set_by_s = 7200
        await scheduler.fire_due()

        (moved,) = await scheduler.waiting()
        assert (moved.fire_at - clocks.wall()).total_seconds() == pytest.approx(600)
        assert reminded(parts) == ["tea"]


async def test_a_new_reminder_is_not_moved_by_a_jump_from_before_it() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        clocks, scheduler = parts.clocks, make_scheduler(parts)
        clocks.set_by_s = 7200
        await remind(parts, scheduler, "soon", after_s=10.0)

        clocks.real_s = 9
        await scheduler.fire_due()
        assert reminded(parts) == []
        clocks.real_s = 10
        await scheduler.fire_due()

        assert reminded(parts) == ["soon"]


async def test_a_store_that_fails_during_a_jump_moves_nothing_twice() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        clocks, scheduler = parts.clocks, make_scheduler(parts)
        first = await remind(parts, scheduler, "one", after_s=300.0)
        await remind(parts, scheduler, "two", after_s=300.0)
        parts.store.fault("change_reminder", lambda reminder_id: reminder_id == first.id, HarkError("disk-full", "no"))
        clocks.set_by_s = 3600
        for _ in range(3):
            await scheduler.fire_due()
        parts.store.heal()
        await scheduler.fire_due()

        fire_at = {reminder.fire_at for reminder in await scheduler.waiting()}
        assert [(one - clocks.wall()).total_seconds() for one in fire_at] == [pytest.approx(300)]


async def test_after_a_restart_what_is_on_record_counts() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        clocks, scheduler = parts.clocks, make_scheduler(parts)
        await remind(parts, scheduler, "soon", after_s=300.0)
        clocks.real_s, clocks.set_by_s = 100, 3600
        await scheduler.fire_due()

        scheduler = make_scheduler(parts)
        clocks.real_s = 299
        await scheduler.fire_due()
        assert reminded(parts) == []
        clocks.real_s = 300
        await scheduler.fire_due()

        assert reminded(parts) == ["soon"]
