from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.queue.schedules.cron import check_cron, next_time

MONDAY = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def following(line: str, after: datetime = MONDAY) -> str:
    found = next_time(check_cron(line), after, UTC)
    assert found is not None
    return f"{found:%a %Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("* * * * *", "Mon 2026-03-02 12:01"),  # strictly after
        ("30 14 * * *", "Mon 2026-03-02 14:30"),
        ("0 9 * * 1-5", "Tue 2026-03-03 09:00"),
        ("*/15 * * * *", "Mon 2026-03-02 12:15"),
        ("5/20 * * * *", "Mon 2026-03-02 12:05"),  # from 5 on
        ("0 0 1 * *", "Wed 2026-04-01 00:00"),
        ("0 0 * * sun", "Sun 2026-03-08 00:00"),
        ("0 0 * * 7", "Sun 2026-03-08 00:00"),  # Sunday has two numbers
        ("0 0 * * fri-sun", "Fri 2026-03-06 00:00"),
        ("0 0 * * Sat-Sun", "Sat 2026-03-07 00:00"),
        ("0 0 29 2 *", "Tue 2028-02-29 00:00"),
        ("0 0 13 * 5", "Fri 2026-03-06 00:00"),  # both days restricted: either
        ("0 0 13 * */2", "Sat 2026-06-13 00:00"),  # a star is no restriction: both
        ("0 0 1,15 jan,jul *", "Wed 2026-07-01 00:00"),
        ("0 0 L * *", "Tue 2026-03-31 00:00"),  # the last day of the month
        ("0 0 * * mon#2", "Mon 2026-03-09 00:00"),
    ],
)
def test_the_next_time_is_the_one_that_cron_would_choose(line: str, at: str) -> None:
    assert following(line) == at


def test_a_time_that_has_just_come_is_not_the_next_one() -> None:
    assert following("0 12 * * *") == "Tue 2026-03-03 12:00"
    assert following("0 12 * * *", MONDAY - timedelta(microseconds=1)) == "Mon 2026-03-02 12:00"
    assert following("0 12 * * *", MONDAY + timedelta(microseconds=1)) == "Tue 2026-03-03 12:00"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "5-3 * * * *",
        "*/0 * * * *",
        "a * * * *",
        "0 0 30 2 *",
        "1- * * * *",
        "* * */20 * 1L",  # no such day in 50 years
    ],
)
def test_what_is_no_cron_line_is_refused_with_a_hint(line: str) -> None:
    with pytest.raises(HarkError, match="is not a cron line") as refused:
        check_cron(line)

    assert refused.value.hint


CRON_WORDS = st.text(st.sampled_from("0123456789*/,-#LW monSUN²٣\x00é"), max_size=40)


@settings(deadline=None)
@given(st.text(max_size=60) | CRON_WORDS | st.lists(CRON_WORDS, min_size=5, max_size=5).map(" ".join))
def test_any_text_is_a_cron_line_or_refused_and_nothing_else(line: str) -> None:
    try:
        checked = check_cron(line)
    except HarkError as failure:
        checked, code = "", failure.code
    else:
        code = ""

    assert code == ("" if checked else "request-invalid")
    if checked:
        assert next_time(checked, MONDAY, UTC) == next_time(line, MONDAY, UTC)


# Changes of the clock, as (zone, the day on which it happens).
CHANGES = {
    "Berlin, spring": ("Europe/Berlin", date(2026, 3, 29)),
    "Berlin, autumn": ("Europe/Berlin", date(2026, 10, 25)),
    "New York, spring": ("America/New_York", date(2026, 3, 8)),
    "New York, autumn": ("America/New_York", date(2026, 11, 1)),
    "Lord Howe, half an hour forth": ("Australia/Lord_Howe", date(2026, 10, 4)),
    "Lord Howe, half an hour back": ("Australia/Lord_Howe", date(2026, 4, 5)),
    "Havana, midnight left out": ("America/Havana", date(2026, 3, 8)),
    "Havana, midnight twice": ("America/Havana", date(2026, 11, 1)),
    "Asuncion, back to the day before": ("America/Asuncion", date(2024, 3, 24)),
    "Apia, a whole day left out": ("Pacific/Apia", date(2011, 12, 30)),
    "Troll, two hours forth": ("Antarctica/Troll", date(2026, 3, 29)),
    "Kolkata, never": ("Asia/Kolkata", date(2026, 3, 29)),
}


@pytest.mark.parametrize(
    ("zone", "line", "after", "at"),
    [
        # left out: 02:00 to 03:00; the first minute after the gap is 03:00 in summer time
        ("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00", "2026-03-29T01:00"),
        # several times in one gap come together, once
        ("Europe/Berlin", "0,20,40 2 * * *", "2026-03-28T12:00", "2026-03-29T01:00"),
        ("Europe/Berlin", "0,20,40 2 * * *", "2026-03-29T01:00", "2026-03-30T00:00"),
        # twice: the first pass counts
        ("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00", "2026-10-25T00:30"),
        ("Europe/Berlin", "30 2 * * *", "2026-10-25T00:30", "2026-10-26T01:30"),
        # asked in the second pass, before the time has come there
        ("Europe/Berlin", "30 2 * * *", "2026-10-25T01:15", "2026-10-26T01:30"),
        # a line with a star goes by what clocks show
        ("Europe/Berlin", "*/30 2 * * *", "2026-03-28T12:00", "2026-03-30T00:00"),
        ("Europe/Berlin", "30 * * * *", "2026-10-25T00:30", "2026-10-25T01:30"),
        # 02:00 becomes 02:30
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00", "2026-10-03T15:30"),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00", "2026-04-04T14:45"),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T14:45", "2026-04-05T15:15"),
        # 30 December 2011 did not exist there
        ("Pacific/Apia", "0 9 * * *", "2011-12-29T20:00", "2011-12-30T10:00"),
        ("Pacific/Apia", "0 9 * * *", "2011-12-30T10:00", "2011-12-30T19:00"),
    ],
)
def test_times_around_a_change_of_the_clock(zone: str, line: str, after: str, at: str) -> None:
    found = next_time(line, datetime.fromisoformat(f"{after}+00:00"), ZoneInfo(zone))

    assert found == datetime.fromisoformat(f"{at}+00:00")


def field(least: int, most: int) -> st.SearchStrategy[str]:
    number = st.integers(least, most)
    pair = st.tuples(number, number).map(sorted)
    return st.one_of(
        st.just("*"),
        number.map(str),
        pair.map(lambda p: f"{p[0]}-{p[1]}"),
        st.integers(1, 9).map(lambda step: f"*/{step}"),
        st.lists(number, min_size=1, max_size=3).map(lambda n: ",".join(map(str, n))),
    )


def values(text: str, least: int, most: int) -> set[int]:
    """The same fields, read in another way."""
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        numbers = range(least, most + 1) if span == "*" else range(int(first), int(last or first) + 1)
        found.update(numbers[:: int(step or 1)])
    return found


LINES = st.tuples(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)).map(" ".join)
DAILY = st.tuples(field(0, 59), st.one_of(field(0, 23), field(0, 4))).map(lambda f: f"{f[0]} {f[1]} * * *")


def expected(line: str, start: datetime, minutes: int, zone: ZoneInfo) -> set[datetime]:
    """All times of a line within so many minutes, from the description in the module alone: minute by minute."""
    minute, hour, day, month, weekday = line.split()
    fields = values(minute, 0, 59), values(hour, 0, 23), values(day, 1, 31), values(month, 1, 12), values(weekday, 0, 6)
    is_either = not day.startswith("*") and not weekday.startswith("*")

    def fits(at: datetime) -> bool:
        in_month, in_week = at.day in fields[2], at.isoweekday() % 7 in fields[4]
        is_day = in_month or in_week if is_either else in_month and in_week
        return at.minute in fields[0] and at.hour in fields[1] and at.month in fields[3] and is_day

    instants = [start + n * MINUTE for n in range(minutes + 1)]
    if minute.startswith("*") or hour.startswith("*"):
        return {at for at in instants[1:] if fits(at.astimezone(zone))}
    # What clocks show goes forth by one minute, back by some, or forth by more: those are the gap.
    shown = [at.astimezone(zone).replace(tzinfo=None, fold=0) for at in instants]
    found: set[datetime] = set()
    highest = shown[0]
    for at, (before, now) in zip(instants[1:], pairwise(shown), strict=True):
        gap = [before + n * MINUTE for n in range(1, max(1, int((now - before) / MINUTE)))]
        if any(fits(missed) for missed in gap) or (now > highest and fits(now)):
            found.add(at)
        highest = max(highest, now)
    return found


@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=15, deadline=None)
@given(DAILY, st.integers(0, 3 * 1440))
@example("30 2 * * *", 0)
@example("30 1 * * *", 0)
@example("15 0 * * *", 0)
@example("*/7 * * * *", 0)
@example("45 23 * * *", 0)
@example("0 */3 * * *", 0)
def test_around_a_change_of_the_clock_the_times_are_those_that_are_documented(
    change: str, line: str, offset: int
) -> None:
    name, day = CHANGES[change]
    zone = ZoneInfo(name)
    start = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=2)
    after = start + offset * MINUTE
    end = start + timedelta(days=5)
    wanted = sorted(at for at in expected(line, start, 5 * 1440, zone) if at > after)

    found = [next_time(line, after, zone)]
    while (last := found[-1]) is not None and last <= end and len(found) <= 40:
        found.append(next_time(line, last, zone))

    assert [at for at in found if at and at <= end][:40] == wanted[:40]


@settings(max_examples=50, deadline=None)
@given(LINES, st.integers(0, 10**6))
def test_no_fitting_minute_lies_before_the_next_time(line: str, offset: int) -> None:
    after = MONDAY + timedelta(minutes=offset)

    found = next_time(line, after, UTC)

    assert found is not None
    assert found > after
    minutes = min(3000, int((found - after) / MINUTE))
    times = expected(line, after, minutes, ZoneInfo("UTC"))
    assert times <= {found}
    assert (found in times) is (minutes < 3000)
