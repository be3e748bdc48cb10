"""The writer of the store: one thread, one connection, and group commit.

A hop is a function of a Transaction. Callers put hops into a queue and await a future. The thread takes all hops that wait,
runs them in one transaction with a savepoint around each, commits once (one fsync for all of them), and then tells all
callers in one call to the event loop. A hop that fails is rolled back to its savepoint and harms no other hop. If the
transaction as a whole fails, all its writes have failed and left no trace; reads, which may have seen those
writes, are run again.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import apsw

from hark.model.errors import HarkError
from hark.model.event import Event
from hark.store import rules
from hark.store.sqlite import faults
from hark.store.sqlite.opening import open_database
from hark.store.sqlite.transaction import Transaction

T = TypeVar("T")

LARGEST_BATCH = 256


@dataclass(slots=True, eq=False)
class Hop:
    body: Callable[[Transaction], Any]
    is_read: bool
    future: asyncio.Future[Any]
    has_run: bool = False
    result: Any = None
    error: Exception | None = None
    events: list[Event] = field(default_factory=list)

    def succeed(self, result: object, events: list[Event]) -> None:
        self.has_run, self.result, self.error, self.events = True, result, None, events

    def fail(self, error: Exception) -> None:
        self.has_run, self.result, self.error, self.events = True, None, error, []

    def tell(self) -> None:
        if self.future.done():  # the caller was cancelled and does not wait any more
            return
        if not self.has_run:
            self.future.set_exception(rules.store_closed())
        elif self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    """The thread that runs hops. It lives from `start` to `stop`, and serves one event loop."""

    def __init__(
        self,
        path: Path,
        busy_timeout_s: float,
        hear: Callable[[Event], None],
        broke: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """`hear` is called with each event that has become durable. `broke` is called with the reason if the thread ends although nobody
        has stopped it."""
        self._path = path
        self._broke = broke
        self._busy_timeout_s = busy_timeout_s
        self._hear = hear
        self._loop = asyncio.get_running_loop()
        self._hops: queue.SimpleQueue[Hop | None] = queue.SimpleQueue()
        self._opened = self._loop.create_future()
        self._closed = self._loop.create_future()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._live, name="hark-store", daemon=True)

    async def start(self) -> None:
        self._thread.start()
        try:
            await asyncio.shield(self._opened)
        except BaseException:
            self._hops.put(None)
            raise

    async def stop(self) -> None:
        """Finish all hops that were accepted, and end the thread. A second call waits for the first."""
        if not self._is_stopping:
            self._is_stopping = True
            self._hops.put(None)
        await asyncio.shield(self._closed)
        self._thread.join()

    async def run(self, body: Callable[[Transaction], T], *, is_read: bool = False) -> T:
        if self._is_stopping:
            raise rules.store_closed()
        future: asyncio.Future[T] = self._loop.create_future()
        self._hops.put(Hop(body, is_read, future))
        return await future

    # The methods from here on run in the thread.

    def _live(self) -> None:
        try:
            connection = open_database(self._path, self._busy_timeout_s)
        except HarkError as error:
            self._call(self._opened.set_exception, error)
            return
        self._call(self._opened.set_result, None)
        try:
            self._serve(connection)
            connection.close()
        except BaseException as broken:  # noqa: BLE001 whatever it was, nothing is stored from now on
            self._call(self._broke, f"{type(broken).__name__}: {broken}")
        finally:
            self._is_stopping = True
            self._call(self._end)

    def _serve(self, connection: apsw.Connection) -> None:
        is_last = False
        while not is_last:
            batch, is_last = self._take()
            try:
                Batch(connection, self._path, batch).run()
            finally:
                self._call(self._tell, batch)

    def _take(self) -> tuple[list[Hop], bool]:
        """Wait for hops, and return those that wait (at most `LARGEST_BATCH`), and True if they are the last."""
        batch: list[Hop] = []
        hop = self._hops.get()
        while hop is not None:
            batch.append(hop)
            if len(batch) == LARGEST_BATCH or self._hops.empty():
                return batch, False
            hop = self._hops.get()
        return batch, True

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:  # the loop was closed without closing the store: nobody is left to be told
            self._hops.put(None)

    # The methods from here on run on the event loop again.

    def _end(self) -> None:
        """Tell the callers of all hops that are left that the store is closed, so that nobody waits for ever. Only a thread that broke
        leaves any."""
        while not self._hops.empty():
            if hop := self._hops.get():
                hop.tell()
        self._closed.set_result(None)

    def _tell(self, batch: list[Hop]) -> None:
        for hop in batch:
            for event in hop.events:
                self._hear(event)
            hop.tell()


class Batch:
    """The hops that share a transaction."""

    def __init__(self, connection: apsw.Connection, path: Path, hops: list[Hop]) -> None:
        self._connection = connection
        self._path = path
        self._hops = hops

    def run(self) -> None:
        if not all(hop.is_read for hop in self._hops):
            try:
                self._run_together()
                return
            except apsw.Error as error:
                self._give_up(self._translate(error))
            except _TransactionLost as lost:
                self._give_up(lost.cause)
        for hop in self._hops:
            if hop.is_read:
                self._attempt(hop)

    def _run_together(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for hop in self._hops:
            if hop.is_read:
                self._attempt(hop)
            else:
                self._attempt_in_savepoint(hop)
        self._connection.execute("COMMIT")

    def _attempt_in_savepoint(self, hop: Hop) -> None:
        self._connection.execute("SAVEPOINT hop")
        self._attempt(hop)
        if hop.error is not None:
            self._connection.execute("ROLLBACK TO hop")
        self._connection.execute("RELEASE hop")

    def _attempt(self, hop: Hop) -> None:
        was_in_transaction = self._connection.in_transaction
        transaction = Transaction(self._connection)
        try:
            hop.succeed(hop.body(transaction), transaction.events)
        except apsw.Error as error:
            hop.fail(self._translate(error))
        except Exception as error:  # noqa: BLE001 it belongs to the caller, who receives it
            hop.fail(error)
        if was_in_transaction and not self._connection.in_transaction:
            raise _TransactionLost(hop.error or HarkError("internal", "a hop ended the transaction of its batch"))

    def _give_up(self, cause: Exception) -> None:
        """Fail all writes of the batch, because its transaction failed as a whole. A hop that had failed by itself keeps its error."""
        for hop in self._hops:
            if not hop.is_read:
                hop.fail(hop.error or cause)
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _translate(self, error: apsw.Error) -> HarkError:
        return faults.translate(error, self._path, self._connection.system_errno)


class _TransactionLost(Exception):
    """SQLite ended the whole transaction because of one hop. That can happen when the disk is full or failing."""

    def __init__(self, cause: Exception) -> None:
        super().__init__()
        self.cause = cause
