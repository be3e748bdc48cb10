"""Group commit: what shares a transaction, and what a failure does to the others in it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hark.model.errors import HarkError
from hark.model.event import Event
from hark.model.ids import MessageId
from hark.model.message import Status
from hark.store.sqlite.store import SqliteStore
from hark.store.sqlite.transaction import Transaction
from hark.store.sqlite.writer import LARGEST_BATCH
from tests.integration.contract.samples import ANA, add, enqueue, make_event, make_message, make_session, make_step


@asynccontextmanager
async def one_batch(store: SqliteStore) -> AsyncIterator[None]:
    """Everything that is asked for inside waits behind a closed door, and so comes to the thread at once."""
    door = threading.Event()
    entered = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wait(_: Transaction) -> None:
        loop.call_soon_threadsafe(entered.set)
        door.wait()

    held = asyncio.ensure_future(store._read(wait))
    await entered.wait()
    try:
        yield
    finally:
        door.set()
        await held


async def together(store: SqliteStore, *calls: Awaitable[Any]) -> list[Any]:
    """The results or errors of calls that share a batch."""
    async with one_batch(store):
        tasks = [asyncio.ensure_future(call) for call in calls]
        await asyncio.sleep(0)  # one turn of the loop: each task has handed its hop over
    return await asyncio.gather(*tasks, return_exceptions=True)


async def count_commits(store: SqliteStore) -> list[int]:
    commits: list[int] = []

    def hook() -> bool:
        commits.append(1)
        return False

    await store._read(lambda transaction: transaction.connection.set_commit_hook(hook))
    return commits


def codes(results: list[Any]) -> list[str]:
    return [result.code if isinstance(result, HarkError) else "ok" for result in results]


async def test_calls_that_wait_together_share_one_commit(store: SqliteStore) -> None:
    await add(store, make_session(ANA))
    commits = await count_commits(store)

    results = await together(store, *(store.enqueue(make_message(f"m{n}")) for n in range(100)))

    assert codes(results) == ["ok"] * 100
    assert len(commits) == 1


async def test_a_batch_is_bounded(store: SqliteStore) -> None:
    await add(store, make_session(ANA))
    commits = await count_commits(store)

    await together(store, *(store.enqueue(make_message(f"m{n}")) for n in range(LARGEST_BATCH + 1)))

    assert len(commits) == 2


async def test_reads_alone_commit_nothing(store: SqliteStore) -> None:
    await add(store, make_session(ANA))
    commits = await count_commits(store)

    await together(store, store.sessions(), store.pending(), store.session(ANA))

    assert not commits


async def test_a_failing_hop_harms_no_other_in_its_batch(store: SqliteStore) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("old"))

    def write_and_break_down(transaction: Transaction) -> None:
        transaction.record(make_event(data={"never": "seen"}))
        raise ZeroDivisionError

    results = await together(
        store,
        store.enqueue(make_message("m1")),
        store.enqueue(make_message("old")),  # its id is taken: fails in the database
        store.move(MessageId("old"), make_step(Status.COMPLETED)),  # fails in the lifecycle
        store.enqueue(make_message("m2")),
        store._write(write_and_break_down),  # fails after it has written
        store.message(MessageId("m2")),  # a read sees what came before it
        store.enqueue(make_message("m3")),
    )

    assert codes(results)[:4] == ["ok", "internal", "transition-illegal", "ok"]
    assert isinstance(results[4], ZeroDivisionError)
    assert codes(results)[5:] == ["ok", "ok"]
    assert [message.id for message in await store.pending()] == ["old", "m1", "m2", "m3"]
    assert all("never" not in event.data for event in await store.events())


async def test_when_the_commit_fails_every_write_of_the_batch_has_failed_and_left_no_trace(store: SqliteStore) -> None:
    await add(store, make_session(ANA))
    (old,) = await enqueue(store, make_message("old"))
    heard: list[Event] = []
    store.on_event(heard.append)
    seq = await store.last_event_seq()

    def break_the_commit(transaction: Transaction) -> None:
        """A reference that is checked no earlier than at the commit."""
        transaction.connection.execute("PRAGMA defer_foreign_keys = ON")
        transaction.connection.execute(
            "INSERT INTO receipts (message_id, previous_status, status, at, detail) VALUES ('old', 'queued', 'new', 0, '')"
        )

    results = await together(
        store,
        store.enqueue(make_message("m1")),
        store.move(old.id, make_step(Status.COMPLETED)),  # keeps its own error
        store._write(break_the_commit),
        store.pending(),  # had seen m1 before the commit failed
        store.move(old.id, make_step(Status.STAGED)),
    )

    assert codes(results) == ["internal", "transition-illegal", "internal", "ok", "internal"]
    assert results[3] == await store.pending() == [old]
    assert not heard
    assert await store.last_event_seq() == seq
    assert (await store.enqueue(make_message("m1"))).is_new


@pytest.mark.parametrize("breaker_reads", [True, False], ids=["read", "write"])
async def test_when_a_hop_loses_the_transaction_every_write_of_the_batch_has_failed(
    store: SqliteStore, breaker_reads: bool
) -> None:
    """As SQLite does by itself when a disk fails."""
    await add(store, make_session(ANA))

    def lose(transaction: Transaction) -> None:
        if transaction.connection.in_transaction:
            transaction.connection.execute("ROLLBACK")

    run = store._read if breaker_reads else store._write
    results = await together(store, store.enqueue(make_message("m1")), run(lose), store.enqueue(make_message("m2")))

    assert codes(results) == ["internal", "ok" if breaker_reads else "internal", "internal"]
    assert not await store.pending()
    assert (await store.enqueue(make_message("m3"))).is_new


async def test_a_batch_that_finds_the_file_locked_fails_but_reads_go_through(path: Path) -> None:
    one, other = SqliteStore(path, busy_timeout_s=0.01), SqliteStore(path, busy_timeout_s=0.01)
    await one.open()
    await other.open()
    await add(one, make_session(ANA))
    entered, door = threading.Event(), threading.Event()

    def hold(_: Transaction) -> None:
        entered.set()
        door.wait()

    holding = asyncio.ensure_future(one._write(hold))
    await asyncio.to_thread(entered.wait)
    results = await together(other, other.enqueue(make_message("m1")), other.sessions())
    door.set()
    await holding

    assert codes(results) == ["store-locked", "ok"]
    assert (await other.enqueue(make_message("m1"))).is_new
    await one.close()
    await other.close()


async def test_a_thread_that_breaks_leaves_nobody_waiting(store: SqliteStore) -> None:
    broken: list[str] = []
    store.on_broken = broken.append

    def break_the_thread(_: Transaction) -> None:
        raise SystemExit("at once")

    results = await together(store, store._write(break_the_thread), store.sessions())

    assert codes(results) == ["store-closed", "store-closed"]
    with pytest.raises(HarkError, match="not open"):
        await store.sessions()
    assert broken == ["SystemExit: at once"]
