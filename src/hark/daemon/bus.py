"""Durable events, passed on to whoever waits for them: the API's subscribers, waiting senders, the couriers."""

import asyncio
from collections.abc import AsyncIterator, Callable

from hark.model.event import Event
from hark.store.contract import Store


class Bus:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._arrivals: set[asyncio.Event] = set()
        self._listeners: list[Callable[[Event], None]] = []
        self._is_open = True
        store.on_event(self._publish)

    def listen(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    async def follow(self, after: int) -> AsyncIterator[Event]:
        """Every event with a higher seq, none twice, none missing, until the bus hangs up. Read from the store, so no follower
        can fall behind what is kept in memory; the bus only says that there is more to read."""
        arrived = asyncio.Event()
        self._arrivals.add(arrived)
        try:
            while self._is_open:
                arrived.clear()
                while stored := await self._store.events(after=after):
                    for event in stored:
                        after = event.seq
                        yield event
                await arrived.wait()
        finally:
            self._arrivals.discard(arrived)

    def hang_up(self) -> None:
        """Ends all following: the daemon stops, and nobody shall wait for it."""
        self._is_open = False
        for arrived in self._arrivals:
            arrived.set()

    def _publish(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)
        for arrived in self._arrivals:
            arrived.set()
