"""Replies: what a message replies to, and the whole thread of it."""

from typing import Any

from hark.model.ids import MessageId
from hark.model.message import Message, Status
from hark.store.contract import Store
from tests.integration.contract.samples import ANA, BEN, add, enqueue, later, make_message, make_session, walk

FIRST = MessageId("m1")


def make_reply(message_id: str, to: str, **fields: Any) -> Message:
    known: dict[str, Any] = {"in_reply_to": MessageId(to), "thread_id": FIRST, "hops": 1}
    return make_message(message_id, **(known | fields))


async def test_a_thread_has_its_messages_in_order_of_arrival_and_no_others(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    stored = await enqueue(
        store,
        make_message("m1", ANA, sender_session_id=BEN),
        make_message("other", ANA),
        make_reply("m3", "m1", session_id=BEN),
        make_reply("m2", "m3", session_id=ANA, hops=2),
        make_reply("of another", "other", thread_id=MessageId("other")),
    )

    thread = await store.thread(FIRST)

    assert thread == [stored[0], stored[2], stored[3]]
    assert [message.hops for message in thread] == [0, 1, 2]
    assert await store.thread(FIRST, limit=2) == thread[:2]


async def test_a_message_without_replies_is_a_thread_of_one(store: Store) -> None:
    await add(store, make_session(ANA))
    (stored,) = await enqueue(store, make_message("m1"))

    assert await store.thread(FIRST) == [stored]
    assert await store.thread(MessageId("nobody")) == []


async def test_a_thread_outlives_its_first_message(store: Store) -> None:
    await add(store, make_session(ANA))
    (first,) = await enqueue(store, make_message("m1"))
    await walk(store, first, Status.CANCELLED)
    (reply,) = await enqueue(store, make_reply("m2", "m1", queued_at=later(100)))

    assert await store.forget_messages(later(50)) == ["m1"]

    assert await store.thread(FIRST) == [reply]
