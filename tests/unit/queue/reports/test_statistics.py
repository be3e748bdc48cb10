from datetime import UTC, datetime, timedelta
from typing import Any

from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import HoldReason, Message, Status
from hark.queue.reports.statistics import BUCKETS_S, Histogram, Statistics

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def event(seconds: float, status: str, name: str = "m", **data: Any) -> Event:
    at = T0 + timedelta(seconds=seconds)
    return Event(at=at, kind=EventKind.MESSAGE, message_id=MessageId(name), data={"status": status} | data)


def heeded(*events: Event) -> Statistics:
    numbers = Statistics()
    for one in events:
        numbers.count(one)
    return numbers


def test_a_delivery_counts_by_its_way_and_takes_from_queued_to_submitted() -> None:
    numbers = heeded(
        event(0, "queued"),
        event(1, "held", reason="draft"),
        event(3, "queued"),
        event(3, "staged", channel="terminal", carrier="stash"),
        event(4, "submitted", channel="terminal", carrier="stash"),
        event(5, "acknowledged"),
        event(9, "completed"),
    )

    assert numbers.queued == 1
    assert numbers.deliveries == {("terminal", "stash"): 1}
    assert (numbers.holds, numbers.hold_s) == ({"draft": 1}, {"draft": 2.0})
    assert (numbers.latency.count, numbers.latency.sum_s) == (1, 4.0)
    assert numbers.outcomes == {"submitted": 1, "acknowledged": 1, "completed": 1}


def test_an_end_that_is_no_delivery_is_none() -> None:
    numbers = heeded(event(0, "queued"), event(1, "held", reason="busy"), event(5, "expired"))

    assert (numbers.deliveries, numbers.latency.count) == ({}, 0)
    assert (numbers.outcomes, numbers.hold_s) == ({"expired": 1}, {"busy": 4.0})


def test_nothing_is_remembered_of_what_has_left() -> None:
    numbers = heeded(
        *(event(0, "queued", f"m{n}") for n in range(9)),
        *(event(1, "staged", f"m{n}") for n in range(9)),
        *(event(2, "submitted", f"m{n}") for n in range(9)),
    )

    assert (numbers._queued_at, numbers._held, numbers._carriers) == ({}, {}, {})


def test_what_waited_before_the_start_counts_from_when_it_was_queued() -> None:
    numbers = Statistics()
    waiting = Message(
        id=MessageId("m"),
        session_id=SessionId("s"),
        text="hi",
        queued_at=T0,
        status=Status.HELD,
        hold_reason=HoldReason.DRAFT,
        held_since=T0,
    )

    numbers.begin([waiting])
    numbers.count(event(60, "queued"))
    numbers.count(event(61, "submitted"))

    assert (numbers.queued, numbers.hold_s, numbers.latency.sum_s) == (0, {"draft": 60.0}, 61.0)


def test_quantiles_are_the_ends_of_their_buckets() -> None:
    histogram = Histogram()
    assert histogram.quantile(0.5) is None
    for seconds in (0.01, 0.02, 0.2, 9.0):
        histogram.add(seconds)

    assert (histogram.quantile(0.5), histogram.quantile(0.75), histogram.quantile(0.95)) == (0.05, 0.25, 10.0)
    histogram.add(BUCKETS_S[-1] + 1)
    assert histogram.quantile(1.0) is None
