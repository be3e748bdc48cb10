"""What is old and waits for nothing any more is forgotten; all else stays."""

from msgspec import structs

from hark.model.ids import MessageId
from hark.model.message import Status
from hark.store.contract import Store
from tests.contract.samples import (
    ANA,
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
)


async def prepared(store: Store) -> None:
    await add(store, make_session(ANA))
    for number in range(4):
        await enqueue(store, structs.replace(make_message(f"m{number}"), queued_at=later(number)))
    for name in ("m0", "m1", "m2"):
        await store.move(MessageId(name), make_step(Status.STAGED, later(1)))
        await store.move(MessageId(name), make_step(Status.SUBMITTED, later(2)))


async def test_old_messages_go_with_their_receipts_oldest_first_and_what_waits_stays(store: Store) -> None:
    await prepared(store)

    assert list(await store.forget_messages(later(2))) == ["m0", "m1"]
    assert list(await store.forget_messages(later(2))) == []

    for name in ("m0", "m1"):
        with refused("message-not-found"):
            await store.message(MessageId(name))
        assert list(await store.receipts(MessageId(name))) == []
    assert [message.id for message in await store.messages(ANA)] == ["m3", "m2"]
    assert list(await store.forget_messages(later(99))) == ["m2"]
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

    assert await store.count_by_status() == {Status.SUBMITTED: 3, Status.QUEUED: 1}


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
