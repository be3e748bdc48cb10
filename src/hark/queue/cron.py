"""Cron lines: minute, hour, day of the month, month, day of the week. `*`, numbers, ranges, steps, lists, and names of months
and days; Sunday is 0 and 7.

As in Vixie's cron: when both day fields are restricted, either is enough; a field that begins with `*` is no restriction. The
times are those of a zone that is passed in. An hour that a change of the clock leaves out is made up for right after it; one
that comes twice counts once.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from msgspec import Struct

from hark.model.errors import HarkError

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_PART = re.compile(r"(?P<all>\*)|(?P<first>\w+)(?:-(?P<last>\w+))?")
_LONGEST_SEARCH_DAYS = 366 * 9
"""A 29th of February may be eight years away."""


class Cron(Struct, frozen=True):
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    """0 is Sunday."""
    is_either_day: bool

    def fits(self, day: date) -> bool:
        in_month, in_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return day.month in self.months and (in_month or in_week if self.is_either_day else in_month and in_week)


def parse_cron(line: str) -> Cron:
    fields = line.split()
    if len(fields) != 5:
        raise _invalid(line, f"it has {len(fields)} fields, not 5")
    minute, hour, day, month, weekday = fields
    cron = Cron(
        minutes=_values(line, minute, 0, 59),
        hours=_values(line, hour, 0, 23),
        days=_values(line, day, 1, 31),
        months=_values(line, month, 1, 12, _MONTHS, 1),
        weekdays=frozenset(value % 7 for value in _values(line, weekday, 0, 7, _DAYS, 0)),
        is_either_day=not day.startswith("*") and not weekday.startswith("*"),
    )
    if next_time(cron, datetime(2024, 1, 1, tzinfo=UTC), UTC) is None:
        raise _invalid(line, "no such day ever comes")
    return cron


def next_time(cron: Cron, after: datetime, zone: tzinfo) -> datetime | None:
    """The first time after that one, in UTC; None if there is none within years."""
    day = after.astimezone(zone).date()
    for offset in range(_LONGEST_SEARCH_DAYS):
        if cron.fits(found := day + timedelta(days=offset)):
            for clock in (time(hour, minute) for hour in sorted(cron.hours) for minute in sorted(cron.minutes)):
                at = datetime.combine(found, clock, zone).astimezone(UTC)
                if at > after:
                    return at
    return None


def _values(
    line: str, field: str, least: int, most: int, names: list[str] | None = None, base: int = 0
) -> frozenset[int]:
    values: set[int] = set()
    for part in field.lower().split(","):
        span, _, step = part.partition("/")
        found = _PART.fullmatch(span)
        if not found or (step and not step.isdigit()) or step == "0":
            raise _invalid(line, f"{part!r} is not understood")
        if found["all"]:
            first, last = least, most if names is not _DAYS else 6
        else:
            first = _number(line, found["first"], names, base)
            last = _number(line, found["last"], names, base) if found["last"] else (most if step else first)
        if names is _DAYS and last < first and found["last"] == "sun":
            last = 7
        if not least <= first <= last <= most:
            raise _invalid(line, f"{part!r} is not within {least}-{most}")
        values.update(range(first, last + 1, int(step or 1)))
    return frozenset(values)


def _number(line: str, word: str, names: list[str] | None, base: int) -> int:
    if word.isdigit():
        return int(word)
    if names and word[:3] in names and len(word) == 3:
        return names.index(word) + base
    raise _invalid(line, f"{word!r} is not understood")


def _invalid(line: str, why: str) -> HarkError:
    hint = 'write it as "MINUTE HOUR DAY MONTH WEEKDAY", such as "0 9 * * 1-5"'
    return HarkError("request-invalid", f"{line!r} is no cron line: {why}", hint)
