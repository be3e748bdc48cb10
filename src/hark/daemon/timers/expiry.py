"""Ends messages whose time-out has passed. It wakes at the earliest time-out, or when a message is queued."""

import asyncio
from functools import partial

from hark.daemon.core import Core
from hark.daemon.process.isolation import Isolation
from hark.daemon.session.couriers import Couriers
from hark.model.event import Event, EventKind
from hark.model.message import Message

LONGEST_SLEEP_S = 60.0
"""The longest sleep in seconds: after that it is noticed if somebody has set the clock or a laptop has slept."""

OVERDUE_S = 1.0
"""Seconds until the next look at an overdue message that could not be ended: its text may be in an input box, and it can end only when
that box is looked at again."""


class Expiry:
    def __init__(self, core: Core, couriers: Couriers) -> None:
        self._store = core.store
        self._outbox = core.outbox
        self._couriers = couriers
        self._clock = core.clock
        self._arrived = asyncio.Event()
        self._isolation = Isolation("expiry")

    def on_event(self, event: Event) -> None:
        if event.kind is EventKind.MESSAGE and event.data.get("status") == "queued":
            self._arrived.set()

    async def run(self) -> None:
        while True:
            self._arrived.clear()
            earliest = await self._store.next_timeout()
            if earliest and earliest <= self._clock():
                await self.sweep()
                earliest = await self._store.next_timeout()
            until_s = (earliest - self._clock()).total_seconds() if earliest else LONGEST_SLEEP_S
            try:
                async with asyncio.timeout(min(until_s if until_s > 0 else OVERDUE_S, LONGEST_SLEEP_S)):
                    await self._arrived.wait()
            except TimeoutError:
                pass

    async def sweep(self) -> None:
        """End all messages whose time-out has passed. A message that cannot be ended does not keep the others from ending."""
        for due in await self._store.expired(self._clock()):
            await self._isolation.run(due.id, partial(self._expire, due))

    async def _expire(self, due: Message) -> None:
        async with self._couriers.of(due.session_id).lock:
            await self._outbox.expire(await self._store.message(due.id))
