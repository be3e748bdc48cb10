"""Counts what has happened since the daemon started, from the events alone, one after the other.

For each message, it remembers since when and why the message waits, and only while it waits: the memory is as large as the queue.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from hark.model.event import Event, EventKind
from hark.model.ids import MessageId
from hark.model.message import Message, Status

BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
_WAITS = (Status.QUEUED, Status.HELD, Status.STAGED)


class Histogram:
    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_S) + 1)
        """The count of each bucket of BUCKETS_S; the last count is for everything longer than the last bucket."""
        self.sum_s = 0.0

    @property
    def count(self) -> int:
        return sum(self.counts)

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS_S, seconds)] += 1
        self.sum_s += seconds

    def merge(self, other: "Histogram") -> None:
        """Add everything that another histogram has counted."""
        self.counts = [mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)]
        self.sum_s += other.sum_s

    def quantile(self, share: float) -> float | None:
        """Return the upper end of the bucket in which the quantile lies; None if nothing was counted, or if the quantile lies above
        all buckets."""
        wanted, seen = share * self.count, 0
        for limit, count in zip(BUCKETS_S, self.counts, strict=False):
            seen += count
            if seen and seen >= wanted:
                return limit
        return None


class Statistics:
    def __init__(self) -> None:
        self.queued = 0
        self.outcomes: Counter[str] = Counter()
        """The number of messages that reached each status after the queue: submitted, acknowledged, completed, and the ends. One
        message counts in every such status that it reaches."""
        self.deliveries: Counter[tuple[str, str]] = Counter()
        """The number of deliveries, by channel and carrier."""
        self.hold_s: dict[str, float] = {}
        self.holds: Counter[str] = Counter()
        self.latency = Histogram()
        """The time of each delivery from queued to submitted."""
        self.interrupts = 0
        self.turns = 0
        """The number of times that an agent began to work."""
        self.signals: Counter[str] = Counter()
        self._queued_at: dict[MessageId, datetime] = {}
        self._held: dict[MessageId, tuple[str, datetime]] = {}
        self._carriers: dict[MessageId, tuple[str, str]] = {}

    def begin(self, pending: Iterable[Message]) -> None:
        """Take in the messages that wait when the daemon starts."""
        for message in pending:
            self._queued_at[message.id] = message.queued_at
            if message.hold_reason and message.held_since:
                self._held[message.id] = (message.hold_reason, message.held_since)

    def next_period(self) -> "Statistics":
        """Return new statistics that count from zero, and that know the messages that wait already."""
        following = Statistics()
        following._queued_at, following._held, following._carriers = self._queued_at, self._held, self._carriers
        return following

    def count(self, event: Event) -> None:
        if event.kind is EventKind.TURN:
            self.turns += event.data.get("phase") == "busy"
        elif event.kind is EventKind.SIGNAL:
            self.signals[str(event.data.get("state"))] += 1
        elif event.kind is EventKind.MESSAGE and event.message_id:
            self._count_message(event.message_id, Status(event.data["status"]), event)

    def _count_message(self, message_id: MessageId, status: Status, event: Event) -> None:
        self._end_hold(message_id, event.at)
        if status is Status.QUEUED and message_id not in self._queued_at:
            self.queued += 1
            self._queued_at[message_id] = event.at
        if status is Status.HELD:
            self._begin_hold(message_id, event)
        if status is Status.STAGED:
            self._carriers[message_id] = (event.data.get("channel") or "-", event.data.get("carrier") or "-")
        if status not in _WAITS:
            self._leave(message_id, status, event)

    def _begin_hold(self, message_id: MessageId, event: Event) -> None:
        reason = str(event.data.get("reason"))
        self.holds[reason] += 1
        self._held[message_id] = (reason, event.at)
        self.interrupts += bool(event.data.get("is_interrupt"))

    def _end_hold(self, message_id: MessageId, at: datetime) -> None:
        if held := self._held.pop(message_id, None):
            reason, since = held
            seconds = max(0.0, (at - since).total_seconds())
            self.hold_s[reason] = self.hold_s.get(reason, 0.0) + seconds

    def _leave(self, message_id: MessageId, status: Status, event: Event) -> None:
        self.outcomes[status] += 1
        queued_at = self._queued_at.pop(message_id, None)
        way = self._carriers.pop(message_id, None)
        if queued_at and status in (Status.SUBMITTED, Status.ACKNOWLEDGED):
            channel, carrier = way or (event.data.get("channel") or "-", "-")
            self.deliveries[channel, carrier] += 1
            self.latency.add(max(0.0, (event.at - queued_at).total_seconds()))
