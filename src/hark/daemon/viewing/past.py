"""What has happened, read back from the events: the numbers of the last hours, and the place in the sequence of a point in time."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from hark.daemon.bus import Bus
from hark.model.event import Event
from hark.queue.reports.hours import MOST, Hours
from hark.queue.reports.statistics import Statistics
from hark.store.contract import Record

PAGE = 5000


class Past:
    def __init__(self, record: Record, bus: Bus, clock: Callable[[], datetime]) -> None:
        self._record = record
        self._clock = clock
        self._hours: Hours | None = None
        self._seq = 0
        bus.listen(self._on_event)

    def _on_event(self, event: Event) -> None:
        if self._hours is not None and event.seq > self._seq:
            self._hours.count(event)
            self._seq = event.seq

    async def hours(self, count: int) -> Iterable[tuple[datetime, Statistics]]:
        """Return the last hours with their numbers, the oldest first, the current hour included."""
        now = self._clock()
        if self._hours is None:
            await self._load(now - timedelta(hours=MOST))
        assert self._hours is not None
        return self._hours.since(now - timedelta(hours=count - 1), now)

    async def _load(self, since: datetime) -> None:
        """Read the events of the last days once; later events come by the bus."""
        hours, seq = Hours(), await self.seq_before(since)
        while events := await self._record.events(after=seq, limit=PAGE):
            for event in events:
                hours.count(event)
            seq = events[-1].seq
        if self._hours is None:
            self._hours, self._seq = hours, seq

    async def seq_before(self, at: datetime) -> int:
        """Return the seq of the last event before that time. Events are in the order of time, so halving finds it."""
        low, high = 0, await self._record.last_event_seq()
        while low < high:
            middle = (low + high) // 2
            following = await self._record.events(after=middle, limit=1)
            if following and following[0].at < at:
                low = following[0].seq
            else:
                high = middle
        return low
