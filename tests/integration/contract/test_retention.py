"""What is old and waits for nothing any more is forgotten; all else stays."""

from typing import Any

import pytest
from msgspec import structs

from hark.model.event import EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import Draft, Status
from hark.model.reminder import ReminderKind
from hark.model.session import SessionState
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    BEN,
    NOW,
    add,
    enqueue,
    later,
    make_event,
    make_message,
    make_reminder,
    make_session,
    make_step,
    refused,
    walk,
)


async def prepared(store: Store) -> None:
    await add(store, make_session(ANA))
    for number in range(4):
        await enqueue(store, structs.replace(make_message(f"m{number}"), queued_at=later(number)))
    for name in ("m0", "m1", "m2"):
        await store.move(MessageId(name), make_step(Status.STAGED, later(1)))
        await store.move(MessageId(name), make_step(Status.SUBMITTED, later(2)))
        await store.move(MessageId(name), make_step(Status.COMPLETED, later(3)))


async def test_old_messages_go_with_their_receipts_oldest_first_and_what_waits_stays(store: Store) -> None:
    await prepared(store)

    await store.change_session(ANA, {"name": "worker"})
    await store.move(MessageId("m2"), make_step(Status.QUEUED, later(4), is_in_box=True))
    assert list(await store.forget_messages(later(3))) == []
    assert list(await store.forget_messages(later(4))) == ["m0", "m1"]
    assert list(await store.forget_messages(later(4))) == []

    for name in ("m0", "m1"):
        with refused("message-not-found"):
            await store.message(MessageId(name))
        assert list(await store.receipts(MessageId(name))) == []
    assert [message.id for message in await store.messages(ANA)] == ["m3", "m2"]
    assert list(await store.forget_messages(later(99))) == []
    assert (await store.message(MessageId("m3"))).status is Status.QUEUED


async def test_no_more_are_forgotten_at_once_than_asked_for(store: Store) -> None:
    await prepared(store)

    assert list(await store.forget_messages(later(99), limit=2)) == ["m0", "m1"]
    assert list(await store.forget_messages(later(99), limit=2)) == ["m2"]


async def test_events_go_too_but_their_numbers_keep_growing(store: Store) -> None:
    await prepared(store)
    last = await store.last_event_seq()

    await store.forget_messages(later(99))

    assert [event.seq for event in await store.events()] == [last]
    assert (await store.add_event(make_event())).seq == last + 1


async def test_reminders_that_are_done_go_and_others_stay(store: Store) -> None:
    await add(store, make_session(ANA))
    for name, changes in (("fired", {"fired_at": NOW}), ("cancelled", {"cancelled_at": NOW}), ("waiting", {})):
        await store.add_reminder(make_reminder(name))
        await store.change_reminder(make_reminder(name).id, changes)

    await store.forget_messages(later(1))

    assert [reminder.id for reminder in await store.reminders()] == ["waiting"]
    for name in ("fired", "cancelled"):
        with refused("reminder-not-found"):
            await store.change_reminder(make_reminder(name).id, {})


async def test_messages_are_counted_by_status(store: Store) -> None:
    await prepared(store)

    assert await store.count_by_status() == {Status.COMPLETED: 3, Status.QUEUED: 1}


async def test_the_next_ones_are_the_first_of_the_order(store: Store) -> None:
    await prepared(store)
    await enqueue(store, make_message("m9"))

    assert [message.id for message in await store.next_pending(ANA, 1)] == ["m3"]
    assert [message.id for message in await store.next_pending(ANA, 9)] == ["m3", "m9"]


async def test_a_payload_is_found_again_whatever_became_of_its_messages(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("m1"), make_message("m2"), make_message("m3"))
    lease = await store.acquire_lease(ANA, "us", NOW, later(60))
    assert lease is not None
    for name in ("m1", "m2"):
        await store.begin_attempt(MessageId(name), NOW, lease.fence, "m1")
    await store.move(MessageId("m1"), make_step(Status.STAGED))

    assert [message.id for message in await store.batch("m1")] == ["m1", "m2"]
    await store.move(MessageId("m2"), make_step(Status.HELD))
    assert [message.id for message in await store.batch("m1")] == ["m1"]


@pytest.mark.parametrize("status", [Status.SUBMITTED, Status.ACKNOWLEDGED])
async def test_what_an_agent_is_at_work_on_is_kept_until_its_session_is_gone(store: Store, status: Status) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    await walk(store, message, Status.STAGED, Status.SUBMITTED)
    if status is Status.ACKNOWLEDGED:
        await walk(store, message, Status.ACKNOWLEDGED)

    assert list(await store.forget_messages(later(10**9))) == []
    await store.change_session(ANA, {"state": SessionState.GONE, "gone_at": later(5)})

    assert list(await store.forget_messages(later(10**9))) == ["m1"]


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.CANCELLED, Status.UNCERTAIN, Status.DEAD])
async def test_age_counts_from_the_end_and_not_from_the_beginning(store: Store, status: Status) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    if status is Status.UNCERTAIN:
        await walk(store, message, Status.STAGED)
    await store.move(MessageId("m1"), make_step(status, later(1000)))

    assert list(await store.forget_messages(later(1000))) == []
    assert list(await store.forget_messages(later(1001))) == ["m1"]


async def test_a_message_of_which_its_sender_wants_to_be_reminded_is_kept_until_then(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    await walk(store, message, Status.STAGED, Status.SUBMITTED, Status.COMPLETED)
    follow_up = make_reminder("r", text="m1", kind=ReminderKind.FOLLOW_UP)
    await store.add_reminder(follow_up)

    assert list(await store.forget_messages(later(99))) == []
    await store.change_reminder(follow_up.id, {"fired_at": later(60)})

    assert list(await store.forget_messages(later(99))) == ["m1"]


async def test_a_payload_is_kept_until_all_of_it_has_ended(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("m1"), make_message("m2"))
    lease = await store.acquire_lease(ANA, "us", NOW, later(60))
    assert lease is not None
    for name in ("m1", "m2"):
        await store.begin_attempt(MessageId(name), NOW, lease.fence, "m1")
    await walk(store, await store.message(MessageId("m1")), Status.STAGED, Status.SUBMITTED, Status.COMPLETED)

    assert list(await store.forget_messages(later(99))) == []
    await walk(store, await store.message(MessageId("m2")), Status.STAGED, Status.SUBMITTED, Status.COMPLETED)

    assert list(await store.forget_messages(later(99))) == ["m1", "m2"]


async def test_a_session_may_be_forgotten_when_it_was_gone_for_long_and_nothing_is_on_record(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN), make_session("running"), make_session("late"))
    for name, at in ((ANA, 1), (BEN, 2), (SessionId("late"), 500)):
        await store.change_session(name, {"state": SessionState.GONE, "gone_at": later(at)})
    await enqueue(store, make_message("m1", BEN))

    assert list(await store.forgettable_sessions(later(100))) == [ANA]
    assert list(await store.forgettable_sessions(later(1))) == []
    await store.move(MessageId("m1"), make_step(Status.CANCELLED))
    await store.forget_messages(later(99))
    assert list(await store.forgettable_sessions(later(100))) == [ANA, BEN]
    assert list(await store.forgettable_sessions(later(100), limit=1)) == [ANA]


async def test_a_draft_that_is_not_back_keeps_its_session(store: Store) -> None:
    await add(store, make_session(ANA, state=SessionState.GONE, gone_at=NOW))
    await store.save_draft(Draft(session_id=ANA, message_id=MessageId("m"), text="half", cursor=4, taken_at=NOW))

    assert list(await store.forgettable_sessions(later(100))) == []


async def test_a_forgotten_session_leaves_an_event(store: Store) -> None:
    await add(store, make_session(ANA))

    await store.remove_session(ANA, make_event(kind=EventKind.SESSION_FORGOTTEN, session_id=ANA))

    assert [event.kind for event in await store.events()][-1] is EventKind.SESSION_FORGOTTEN


async def test_a_clock_is_kept(store: Store) -> None:
    assert await store.clock("forgetting") is None

    await store.save_clock("forgetting", NOW)
    await store.save_clock("forgetting", later(-3))
    await store.save_clock("other", NOW)

    assert await store.clock("forgetting") == later(-3)


@pytest.mark.parametrize(
    "wish", [{"notify_on_stop": True}, {"notify_on_delivery": True}, {"notify_on_failure": True}, {"notify_after_s": 1}]
)
async def test_every_wish_for_a_notice_is_known_again(store: Store, wish: dict[str, Any]) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    asked, unasked = make_message("m1", sender_session_id=BEN, **wish), make_message("m2", sender_session_id=BEN)
    for message in await enqueue(store, asked, unasked, make_message("m3", **wish)):
        await walk(store, message, Status.STAGED, Status.SUBMITTED)

    assert [message.id for message in await store.with_notices()] == ["m1"]
