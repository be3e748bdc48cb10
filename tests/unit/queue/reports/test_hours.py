from datetime import UTC, datetime, timedelta

from hark.model.event import Event, EventKind
from hark.model.ids import MessageId
from hark.queue.reports.hours import MOST, Hours

T0 = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


def event(minutes: float, status: str) -> Event:
    at = T0 + timedelta(minutes=minutes)
    return Event(at=at, kind=EventKind.MESSAGE, message_id=MessageId("m"), data={"status": status, "reason": "draft"})


def test_a_delivery_counts_in_the_hour_in_which_it_ends_and_no_hour_is_missing() -> None:
    hours = Hours()
    for one in (event(1, "queued"), event(2, "held"), event(130, "submitted")):
        hours.count(one)

    found = list(hours.since(T0, T0 + timedelta(minutes=135)))

    assert [at.hour for at, _ in found] == [10, 11, 12]
    assert [(n.queued, n.latency.count, dict(n.holds)) for _, n in found] == [
        (1, 0, {"draft": 1}),
        (0, 0, {}),
        (0, 1, {}),
    ]
    assert found[2][1].hold_s == {"draft": 128 * 60.0}


def test_old_hours_are_forgotten_and_turns_count() -> None:
    hours = Hours()
    for hour in range(MOST + 5):
        at = T0 + timedelta(hours=hour)
        hours.count(Event(at=at, kind=EventKind.TURN, data={"phase": "busy" if hour % 2 else "idle"}))

    kept = list(hours.since(T0, T0 + timedelta(hours=MOST + 4)))

    assert sum(numbers.turns for _, numbers in kept[:5]) == 0
    assert sum(numbers.turns for _, numbers in kept) == MOST // 2
