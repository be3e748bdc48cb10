"""Makes sure that requests with the same idempotency key start one agent only, also across restarts of the daemon.

The key is written down with the id of the session before anything is started. Whoever repeats the request while it is
under way waits for it; whoever repeats it afterwards gets the same answer. If the daemon died while it handled the request, the
repetition goes on with the session of that id if there is one, and else starts it.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

from hark.daemon.process.clock import Clock
from hark.daemon.registry.sessions import Sessions, new_id
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.store.contract import Store

T = TypeVar("T", bound=Struct)
KEPT = timedelta(days=7)
"""How long an idempotency key is remembered."""


class Once(Struct, Generic[T], frozen=True):
    """A request that must be carried out only once."""

    call: str
    key: str
    body: Struct
    answer: type[T]


class Repeats:
    def __init__(self, store: Store, sessions: Sessions, clock: Clock) -> None:
        self._store = store
        self._sessions = sessions
        self._clock = clock
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, once: Once[T], make: Callable[[SessionId], Awaitable[T]]) -> T:
        """Carry out the request, or return the answer of the first request with the same key. `make` starts the session with the id that
        it is given, unless that session is there already, and returns the answer."""
        lock = self._under_way.setdefault(once.key, asyncio.Lock())
        async with lock:
            now = self._clock()
            begun = await self._store.begin_request(once.key, _digest(once), new_id(), now, now - KEPT)
            if begun.answer is not None:
                return msgspec.json.decode(begun.answer, type=once.answer)
            try:
                made = await make(begun.session_id)
            except HarkError:
                if not self._sessions.is_known(begun.session_id):
                    await self._store.drop_request(once.key)
                raise
            await self._store.answer_request(once.key, msgspec.json.encode(made).decode())
            return made


def _digest(once: Once[T]) -> str:
    """Return a digest that tells one request from another without storing its content, because an environment may hold secrets."""
    content = msgspec.json.encode(once.body, order="sorted")
    return hashlib.sha256(once.call.encode() + b"\0" + content).hexdigest()
