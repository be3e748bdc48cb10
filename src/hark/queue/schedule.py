"""Which reminders are due. The clock is passed in; whoever fires them writes down that they fired."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from hark.model.reminder import Reminder

LATE_AFTER = timedelta(seconds=30)
"""A reminder that could not fire in time, such as while no daemon ran, says so."""


class Firing(Struct, frozen=True):
    reminder: Reminder
    is_late: bool


def due(reminders: Iterable[Reminder], now: datetime) -> list[Firing]:
    """Those whose time has come, in the order in which it came."""
    waiting = (r for r in reminders if r.fired_at is None and r.cancelled_at is None and r.fire_at <= now)
    ordered = sorted(waiting, key=lambda r: (r.fire_at, r.created_at, r.id))
    return [Firing(reminder, now - reminder.fire_at > LATE_AFTER) for reminder in ordered]


def next_at(reminders: Iterable[Reminder]) -> datetime | None:
    return min((r.fire_at for r in reminders if r.fired_at is None and r.cancelled_at is None), default=None)


def words(firing: Firing) -> str:
    late = f" (late: it was due at {firing.reminder.fire_at:%Y-%m-%d %H:%M:%S} UTC)" if firing.is_late else ""
    return f"[hark] Scheduled reminder{late}:\n{firing.reminder.text}"
