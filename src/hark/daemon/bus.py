"""Passes durable events on to whoever waits for them: the API's subscribers, waiting senders, the couriers."""

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
        """Call `listener` with every event. A listener that fails does not keep the other listeners from hearing of the event."""
        self._listeners.append(listener)

    async def follow(self, after: int, wanted: Wanted | None = None) -> AsyncIterator[Event]:
        """Yield every event with a seq higher than `after`, none twice and none missing, until the bus hangs up. The events are read from
        the store, so a slow follower loses nothing; the bus only says that there is more to read. With `wanted`, the events are read
        only when a wanted event has come, and the others come with it."""
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
        """End all following, because the daemon stops and nobody must keep it waiting."""
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
