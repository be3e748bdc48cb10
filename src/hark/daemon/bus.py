"""Durable events, passed on to whoever waits for them: the API's subscribers, waiting senders, the couriers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

from hark.daemon.process.isolation import Isolation
from hark.model.event import Event
from hark.store.contract import Store

Wanted = Callable[[Event], bool]


class Bus:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._arrivals: dict[asyncio.Event, Wanted | None] = {}
        self._listeners: list[Callable[[Event], None]] = []
        self._isolation = Isolation("listeners", rests=False)
        self._is_open = True
        self._newest = 0
        """The `seq` of the last event that was passed on."""
        store.on_event(self._publish)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """A listener that fails keeps no other one from hearing of an event."""
        self._listeners.append(listener)

    async def follow(self, after: int, wanted: Wanted | None = None) -> AsyncIterator[Event]:
        """Every event with a higher seq, none twice, none missing, until the bus hangs up. Read from the store, so no follower
        can fall behind what is kept in memory; the bus only says that there is more to read. With `wanted`, only when one of
        those has come: the others come with it."""
        arrived = asyncio.Event()
        self._arrivals[arrived] = wanted
        is_behind = True
        try:
            while self._is_open:
                arrived.clear()
                while (is_behind or after < self._newest) and (stored := await self._store.events(after=after)):
                    for event in stored:
                        after = event.seq
                        yield event
                is_behind = False
                await arrived.wait()
        finally:
            del self._arrivals[arrived]

    def hang_up(self) -> None:
        """Ends all following: the daemon stops, and nobody shall wait for it."""
        self._is_open = False
        for arrived in self._arrivals:
            arrived.set()

    def _publish(self, event: Event) -> None:
        self._newest = event.seq
        for listener in self._listeners:
            self._isolation.call(getattr(listener, "__qualname__", listener), partial(listener, event))
        for arrived, wanted in self._arrivals.items():
            if wanted is None or wanted(event):
                arrived.set()
