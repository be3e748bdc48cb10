from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.queue.cron import Cron, next_time, parse_cron

MONDAY = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def following(line: str, after: datetime = MONDAY) -> str:
    found = next_time(parse_cron(line), after, UTC)
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
        ("0 0 29 2 *", "Tue 2028-02-29 00:00"),
        ("0 0 13 * 5", "Fri 2026-03-06 00:00"),  # both days restricted: either
        ("0 0 13 * */2", "Sat 2026-06-13 00:00"),  # a star is no restriction: both
        ("0 0 1,15 jan,jul *", "Wed 2026-07-01 00:00"),
    ],
)
def test_the_next_time_is_the_one_that_cron_would_choose(line: str, at: str) -> None:
    assert following(line) == at


@pytest.mark.parametrize(
    "line",
    ["", "* * * *", "* * * * * *", "60 * * * *", "5-3 * * * *", "*/0 * * * *", "a * * * *", "0 0 30 2 *", "1- * * * *"],
)
def test_what_is_no_cron_line_is_refused_with_a_hint(line: str) -> None:
    with pytest.raises(HarkError, match="is no cron line") as refused:
        parse_cron(line)

    assert refused.value.hint


def test_an_hour_that_is_left_out_is_made_up_for_and_one_that_comes_twice_counts_once() -> None:
    daily = parse_cron("30 2 * * *")

    spring = next_time(daily, datetime(2026, 3, 28, 12, tzinfo=UTC), BERLIN)
    assert spring == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    autumn = next_time(daily, datetime(2026, 10, 24, 12, tzinfo=UTC), BERLIN)
    assert autumn == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert next_time(daily, autumn, BERLIN) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


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


LINES = st.tuples(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7)).map(" ".join)


def fits(cron: Cron, at: datetime) -> bool:
    return cron.fits(at.date()) and at.hour in cron.hours and at.minute in cron.minutes


@settings(max_examples=150, deadline=None)
@given(LINES, st.integers(0, 10**6))
def test_no_fitting_minute_lies_before_the_next_time(line: str, offset: int) -> None:
    cron = parse_cron(line)
    after = MONDAY + timedelta(minutes=offset)

    found = next_time(cron, after, UTC)

    assert found is not None
    assert fits(cron, found)
    assert found > after
    minutes = min(3000, int((found - after) / timedelta(minutes=1)))
    assert not any(fits(cron, after + timedelta(minutes=n)) for n in range(1, minutes))
