"""The numbers of the last hours, one `Statistics` for each: the same numbers as those of `/metrics`, cut at every full hour."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from hark.model.event import Event
from hark.queue.reports.statistics import Statistics

HOUR = timedelta(hours=1)
MOST = 7 * 24
"""How many hours are kept."""


class Hours:
    def __init__(self) -> None:
        self._hours: dict[datetime, Statistics] = {}
        self._last = Statistics()

    def count(self, event: Event) -> None:
        """Take in an event. Events come in order, so a clock that was set back counts for the newest hour."""
        hour = floor(event.at)
        if not self._hours or hour > max(self._hours):
            self._last = self._last.next_period()
            self._hours[hour] = self._last
            for old in sorted(self._hours)[:-MOST]:
                del self._hours[old]
        self._last.count(event)

    def since(self, first: datetime, last: datetime) -> Iterable[tuple[datetime, Statistics]]:
        """Yield every hour from the one of `first` to the one of `last`, none missing."""
        hour = floor(first)
        while hour <= floor(last):
            yield hour, self._hours.get(hour) or Statistics()
            hour += HOUR


def floor(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
