import asyncio

from hark.daemon.bus import Bus
from hark.daemon.inbox import Inbox
from hark.daemon.outbox import Outbox
from hark.model.message import Status
from tests.integration.contract.samples import (
    ANA,
    NOW,
    add,
    enqueue,
    make_message,
    make_session,
    make_step,
    refused,
    walk,
)
from tests.support.memory_store import MemoryStore


class OvertakenStore(MemoryStore):
    """Somebody else does what we are about to do, just before we do it."""

    async def move(self, message_id, step, fence=None):  # type: ignore[no-untyped-def]
        await super().move(message_id, make_step(step.status), fence)
        return await super().move(message_id, step, fence)


async def test_what_a_hook_has_said_at_the_same_moment_is_no_error() -> None:
    store = OvertakenStore()
    await store.open()
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1", is_inbox=True))
    await store.take_inbox(ANA, NOW)

    done = await Inbox(store, Outbox(store, lambda: NOW), Bus(store)).acknowledge(
        await store.message(message.id), is_done=True
    )

    assert done.status is Status.COMPLETED
    assert len(await store.receipts(message.id)) == 4


async def test_many_acknowledgements_at_once_are_one() -> None:
    store = MemoryStore()
    await store.open()
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1", is_inbox=True))
    (taken,) = await store.take_inbox(ANA, NOW)
    inbox = Inbox(store, Outbox(store, lambda: NOW), Bus(store))

    await asyncio.gather(*(inbox.acknowledge(taken, is_done=True) for _ in range(5)))

    assert [r.status for r in await store.receipts(message.id)] == [
        Status.QUEUED,
        Status.SUBMITTED,
        Status.ACKNOWLEDGED,
        Status.COMPLETED,
    ]


async def test_what_was_taken_back_cannot_be_acknowledged() -> None:
    store = MemoryStore()
    await store.open()
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    cancelled = await walk(store, message, Status.CANCELLED)

    with refused("transition-illegal"):
        await Inbox(store, Outbox(store, lambda: NOW), Bus(store)).acknowledge(cancelled, is_done=False)
