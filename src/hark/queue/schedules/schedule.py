"""Decides which reminders are due, and when repeated reminders are due again. The clock and the time zone are passed in; the caller
that fires a reminder records that it fired.

A repeated reminder that was missed several times fires once, and then at its next time: nobody wants an hour's reminders at once.

`fire_at` is always a time of the wall clock. When somebody sets that clock, `moved` says how the reminders follow: a reminder that is
due after an amount of time keeps that amount, so its `fire_at` moves with the clock; a reminder that is due at a time of the day keeps
that time.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo

from msgspec import Struct

from hark.model.errors import HarkError
from hark.model.reminder import Reminder
from hark.queue.schedules.cron import check_cron, next_time

LATE_AFTER = timedelta(seconds=30)
"""A reminder that fires later than this after its time, for example because no daemon ran, says that it is late."""
SHORTEST_EVERY_S = 10.0


class Firing(Struct, frozen=True):
    reminder: Reminder
    is_late: bool


def due(reminders: Iterable[Reminder], now: datetime) -> list[Firing]:
    """Return the reminders whose time has come, in the order of their times."""
    waiting = (r for r in reminders if is_waiting(r) and r.fire_at <= now)
    ordered = sorted(waiting, key=lambda r: (r.fire_at, r.created_at, r.id))
    return [Firing(reminder, now - reminder.fire_at > LATE_AFTER) for reminder in ordered]


def next_at(reminders: Iterable[Reminder]) -> datetime | None:
    return min((r.fire_at for r in reminders if is_waiting(r)), default=None)


def is_waiting(reminder: Reminder) -> bool:
    return reminder.fired_at is None and reminder.cancelled_at is None and reminder.set_aside_at is None


def moved(reminder: Reminder, jump: timedelta, now: datetime, zone: tzinfo) -> datetime:
    """Return when the reminder is due after the wall clock was set by `jump` and shows `now`. If the clock was set back, the next
    time of a cron line may come sooner than before. A time at which the reminder has fired is not fired again, because `key`
    contains the time."""
    if reminder.is_elapsed:
        return reminder.fire_at + jump
    if reminder.repeat and reminder.repeat.startswith("cron ") and jump < timedelta(0):
        again = again_at(reminder.repeat, reminder.fire_at, now, zone)
        return min(reminder.fire_at, again) if again else reminder.fire_at
    return reminder.fire_at


def every(seconds: float) -> str:
    if seconds < SHORTEST_EVERY_S:
        raise HarkError(
            "request-invalid",
            f"a reminder repeats at most once every {SHORTEST_EVERY_S:g} s",
            "write a longer interval",
        )
    return f"every {seconds:g}"


def by_cron(line: str) -> str:
    return f"cron {check_cron(line)}"


def again_at(repeat: str, fired: datetime, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the next time after `now` at which a repeated reminder is due; an interval is counted from `fired`, the time at which the
    reminder was due."""
    kind, _, rest = repeat.partition(" ")
    if kind == "cron":
        return next_time(rest, now, zone)
    interval = timedelta(seconds=float(rest))
    return fired + interval * max(1, (now - fired) // interval + 1)


def key(reminder: Reminder) -> str:
    """Return the idempotency key of the message that the reminder becomes: a repeated reminder has one key for each time. The key has
    microseconds, because a reminder that moved with the clock may be due in the same second of the wall clock again."""
    return f"reminder:{reminder.id}" + (f":{reminder.fire_at:%Y%m%dT%H%M%S.%f}" if reminder.repeat else "")


def words(firing: Firing) -> str:
    late = f" (late: it was due at {firing.reminder.fire_at:%Y-%m-%d %H:%M:%S} UTC)" if firing.is_late else ""
    return f"[hark] Scheduled reminder{late}:\n{firing.reminder.text}"
