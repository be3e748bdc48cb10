"""The zone of this machine tells the same as zoneinfo does, also in hours that are left out or come twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hark.daemon.timers.local_zone import LocalZone
from hark.queue.schedules.cron import next_time

# zone, and a day before its clock changes
PLACES = [
    ("Europe/Berlin", datetime(2026, 3, 28, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 10, 24, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2026, 10, 3, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2026, 4, 4, tzinfo=UTC)),
    ("America/Havana", datetime(2026, 10, 31, tzinfo=UTC)),
    ("Pacific/Apia", datetime(2011, 12, 29, tzinfo=UTC)),
]


@pytest.fixture(params=PLACES, ids=lambda place: f"{place[0]} {place[1]:%Y-%m-%d}")
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ZoneInfo, datetime]]:
    name, day = request.param
    with monkeypatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield ZoneInfo(name), day
    time.tzset()


def test_every_minute_is_shown_alike_and_found_again(place: tuple[ZoneInfo, datetime]) -> None:
    zone, day = place
    for minute in range(0, 3 * 1440, 10):
        at = day + timedelta(minutes=minute)
        local, known = at.astimezone(LocalZone()), at.astimezone(zone)

        assert (local.replace(tzinfo=None), local.fold) == (known.replace(tzinfo=None), known.fold)
        assert local.utcoffset() == known.utcoffset()
        assert local.astimezone(UTC) == at


@pytest.mark.parametrize(
    "line", ["30 2 * * *", "15 2 * * *", "45 1 * * *", "15 0 * * *", "*/20 * * * *", "0 */3 * * *", "0 9 * * *"]
)
def test_cron_lines_have_the_same_times(place: tuple[ZoneInfo, datetime], line: str) -> None:
    zone, day = place
    at = day
    while at < day + timedelta(days=3):
        found = next_time(line, at, LocalZone())

        assert found == next_time(line, at, zone)
        assert found is not None
        at = found
