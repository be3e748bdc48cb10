"""Cron lines: minute, hour, day of the month, month, day of the week. The library cronsim reads them and finds their times, as
Debian's cron does.

A field holds `*`, numbers, ranges, steps, lists, or names of months and days; Sunday is 0 and 7; `L`, `LW` and `#` stand for last
and nth days. If both day fields are restricted, a day that fits either one is enough; a field that begins with `*` is no
restriction. The times are those of a zone that is passed in. Around a change of the clock there are two sorts of lines:

* A line whose minute and hour both begin with something else than `*` names times of the day. A time that the change leaves out
  comes at the first minute after the gap. A time that comes twice counts the first time only.
* Any other line goes by what clocks show: minutes that are left out do not come, and minutes that come twice count twice.
"""

from datetime import UTC, datetime, timedelta, tzinfo

from cronsim import CronSim, CronSimError

from hark.model.errors import HarkError

FIELDS = 5
_SECOND = timedelta(seconds=1)
_BETWEEN_CHANGES = timedelta(hours=6)
"""No zone changes its clock twice within this time."""
_SOME_DAY = datetime(2024, 1, 1, tzinfo=UTC)


def check_cron(line: str) -> str:
    """Return the line with single blanks between its fields. Raise `request-invalid` if it is not a cron line or its time never
    comes."""
    fields = line.split()
    if len(fields) != FIELDS:
        raise _invalid(line, f"it has {len(fields)} fields, not {FIELDS}")
    if next_time(line, _SOME_DAY, UTC) is None:
        raise _invalid(line, "it names a day that never comes")
    return " ".join(fields)


def next_time(line: str, after: datetime, zone: tzinfo) -> datetime | None:
    """Return the first time of the cron line after `after`, in UTC; None if there is none within 50 years."""
    words = _spelled_out(line)
    minute, hour, *_ = words.split()
    find = _next_shown if minute.startswith("*") or hour.startswith("*") else _next_named
    try:
        return find(words, after, zone)
    except CronSimError as wrong:
        raise _invalid(line, str(wrong)[:1].lower() + str(wrong)[1:]) from wrong


def _next_named(line: str, after: datetime, zone: tzinfo) -> datetime | None:
    """Return the next time of a cron line that names times of the day."""
    # In an hour that comes twice, cronsim may return a time of the hour's first pass although the second pass has begun.
    found = (at.astimezone(UTC) for at in CronSim(line, after.astimezone(zone)))
    return next((at for at in found if at > after), None)


def _next_shown(line: str, after: datetime, zone: tzinfo) -> datetime | None:
    """Return the next time of a cron line that goes by what clocks show. Between two changes of the clock no zone is needed to find
    it. Cronsim's own answer for a zone skips an hour where a change is not a whole number of hours."""
    offset = _offset(after, zone)
    shown = (after + offset).replace(tzinfo=None)
    while (found := next(CronSim(line, shown), None)) is not None:
        at = (found - offset).replace(tzinfo=UTC)
        change = _first_change(after, at, zone)
        if change is None:
            return at
        after, offset = change, _offset(change, zone)
        # The first minute after the change counts too.
        shown = (change + offset).replace(tzinfo=None) - timedelta(seconds=1)
    return None


def _first_change(after: datetime, until: datetime, zone: tzinfo) -> datetime | None:
    """Return the first second after `after`, up to `until`, at which the zone has another offset than at `after`; None if there is
    none."""
    offset, early = _offset(after, zone), after
    while early < until:
        late = min(early + _BETWEEN_CHANGES, until)
        if _offset(late, zone) != offset:
            while late - early > _SECOND:
                middle = early + (late - early) / 2
                early, late = (middle, late) if _offset(middle, zone) == offset else (early, middle)
            return late.replace(microsecond=0)
        early = late
    return None


def _offset(at: datetime, zone: tzinfo) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta(0)


def _spelled_out(line: str) -> str:
    """Write a Sunday at the end of a range as 7, so that a week may end with its Sunday: `fri-sun`."""
    *others, weekday = line.upper().split()
    return " ".join([*others, weekday.replace("-SUN", "-7")])


def _invalid(line: str, why: str) -> HarkError:
    hint = 'write it as "MINUTE HOUR DAY MONTH WEEKDAY", such as "0 9 * * 1-5"'
    return HarkError("request-invalid", f"{line!r} is not a cron line: {why}", hint)
