import asyncio

from hark.model.message import Channel, Mode
from hark.model.message import Status as S
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    BEN,
    add,
    enqueue,
    later,
    make_message,
    make_session,
    make_step,
    refused,
    walk,
)


async def test_what_waits_in_the_inbox_is_nothing_to_deliver_and_in_nobodys_way(store: Store) -> None:
    await add(store, make_session(ANA))
    first = await store.enqueue(make_message("m1", is_inbox=True))
    second = await store.enqueue(make_message("m2"))

    assert (first.position, second.position) == (0, 1)
    assert [message.id for message in await store.pending(ANA)] == ["m1", "m2"]
    found = await store.first_pending(ANA)
    assert found is not None
    assert found.id == "m2"


async def test_it_is_handed_out_with_a_receipt_and_an_event(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("m1", is_inbox=True))

    (taken,) = await store.take_inbox(ANA, later(3))

    assert taken == await store.message(taken.id)
    assert (taken.status, taken.delivered_at, taken.channel) == (S.SUBMITTED, later(3), Channel.INBOX)
    waits, handed = await store.receipts(taken.id)
    assert (waits.status, waits.detail) == (S.QUEUED, "waits in the inbox")
    assert (handed.previous, handed.status, handed.at, handed.channel) == (
        S.QUEUED,
        S.SUBMITTED,
        later(3),
        Channel.INBOX,
    )
    assert (await store.events())[-1].data["status"] == "submitted"


async def test_important_ones_come_first_and_no_more_than_the_limit(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    modes = [Mode.SEQUENTIAL, Mode.IMPORTANT, Mode.SEQUENTIAL, Mode.URGENT]
    await enqueue(store, *(make_message(f"m{n}", mode=mode, is_inbox=True) for n, mode in enumerate(modes)))
    await enqueue(store, make_message("of another session", BEN, is_inbox=True), make_message("typed"))

    assert [message.id for message in await store.take_inbox(ANA, later(1), limit=3)] == ["m3", "m1", "m0"]
    assert [message.id for message in await store.take_inbox(ANA, later(1), limit=3)] == ["m2"]
    assert not await store.take_inbox(ANA, later(1))


async def test_however_many_ask_each_is_handed_out_once(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, *(make_message(f"m{n:02}", is_inbox=True) for n in range(40)))

    parts = await asyncio.gather(*(store.take_inbox(ANA, later(1), limit=7) for _ in range(9)))

    assert sorted(message.id for part in parts for message in part) == [f"m{n:02}" for n in range(40)]


async def test_what_has_expired_or_was_taken_back_is_not_handed_out(store: Store) -> None:
    await add(store, make_session(ANA))
    messages = await enqueue(
        store, make_message("over", is_inbox=True, timeout_at=later(5)), make_message("back", is_inbox=True)
    )
    await walk(store, messages[1], S.CANCELLED)

    assert not await store.take_inbox(ANA, later(5))
    assert [message.id for message in await store.expired(later(5))] == ["over"]


async def test_it_can_be_neither_held_nor_staged_nor_attempted(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1", is_inbox=True))
    lease = await store.acquire_lease(ANA, "me", later(0), later(9))
    assert lease is not None

    for status in (S.HELD, S.STAGED, S.UNCERTAIN, S.DEAD, S.ACKNOWLEDGED):
        with refused("transition-illegal"):
            await store.move(message.id, make_step(status))
    with refused("transition-illegal"):
        await store.begin_attempt(message.id, later(1), lease.fence)


async def test_a_typed_message_is_never_submitted_without_having_been_staged(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))

    with refused("transition-illegal"):
        await store.move(message.id, make_step(S.SUBMITTED))


async def test_the_inbox_of_an_unknown_session_is_not_found(store: Store) -> None:
    with refused("session-not-found"):
        await store.take_inbox(BEN, later(1))
