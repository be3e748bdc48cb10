"""Forgets what is old: messages that have ended, with their receipts, events and stored texts, and sessions that have been gone for
long. It also gives up messages that wait for a session that has been gone for too long.

None of that can be taken back, so it goes by a clock of its own (`queue/schedules/forgetting.py`): a wall clock that is wrong for a while cannot
carry this clock far away. One entry that fails does not stop the others.
"""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from hark.daemon.core import Core
from hark.daemon.process.clock import Elapsed
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.session.couriers import Couriers
from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.model.message import Message
from hark.model.session import Session, SessionState
from hark.queue.schedules import forgetting

LONGEST_PERIOD_S = 60.0
SHORTEST_PERIOD_S = 0.2
AT_ONCE = 500
"""The largest number of messages to forget in one transaction, because others want to write to the store too."""
CLOCK = "forgetting"
SAVED_AFTER = timedelta(minutes=10)
"""How far the clock must have moved before it is stored again, so that a disk that sleeps is not woken every minute."""


class Retention:
    def __init__(self, core: Core, couriers: Couriers, elapsed: Elapsed) -> None:
        self._store = core.store
        self._outbox = core.outbox
        self._sessions = core.sessions
        self._couriers = couriers
        self._config = core.config
        self._clock = core.clock
        self._elapsed = elapsed
        self._texts = core.texts
        self._stands_at: datetime | None = None
        self._read_at_s = 0.0
        self._saved_at: datetime | None = None
        self._isolation = Isolation("retention")

    async def run(self) -> None:
        while True:
            await self.sweep()
            await asyncio.sleep(self._period_s())

    def _period_s(self) -> float:
        """Return the seconds between two rounds, from the shortest of the settings."""
        ages = (self._config.keep_messages, self._config.keep_sessions, self._config.gone_timeout)
        return max(SHORTEST_PERIOD_S, min(LONGEST_PERIOD_S, *(age for age in ages if age > 0), LONGEST_PERIOD_S))

    async def sweep(self) -> None:
        now = await self._now()
        ages = (
            (self._config.gone_timeout, self._give_up_gone),
            (self._config.keep_messages, self._forget_messages),
            (self._config.keep_sessions, self._forget_sessions),
        )
        for age_s, work in ages:
            if age_s:
                await self._isolation.run(work.__name__, partial(work, now - timedelta(seconds=age_s)))

    async def _now(self) -> datetime:
        """Return the time of hark's own slow clock, by which things are forgotten."""
        wall, read_at_s = self._clock(), self._elapsed()
        if self._stands_at is None:
            self._saved_at = await self._store.clock(CLOCK)
            self._stands_at = self._saved_at or forgetting.begin(wall, await self._last_event_at())
            self._read_at_s = read_at_s
        self._stands_at = forgetting.advance(self._stands_at, wall, read_at_s - self._read_at_s)
        self._read_at_s = read_at_s
        if self._saved_at is None or abs(self._stands_at - self._saved_at) >= SAVED_AFTER:
            await self._store.save_clock(CLOCK, self._stands_at)
            self._saved_at = self._stands_at
        return self._stands_at

    async def _last_event_at(self) -> datetime | None:
        last = await self._store.last_event_seq()
        events = await self._store.events(after=last - 1, limit=1)
        return events[0].at if events else None

    async def _give_up_gone(self, before: datetime) -> None:
        for session in self._sessions.all():
            if session.state is SessionState.GONE and session.gone_at and session.gone_at < before:
                for message in await self._store.pending(session.id):
                    await self._isolation.run(message.id, partial(self._give_up, session, message))

    async def _give_up(self, session: Session, message: Message) -> None:
        detail = "its session has been gone for too long"
        async with self._couriers.of(session.id).lock:
            with suppress(HarkError):
                await self._outbox.give_up(message.id, detail)

    async def _forget_messages(self, before: datetime) -> None:
        while forgotten := await self._store.forget_messages(before, AT_ONCE):
            for message_id in forgotten:
                self._remove_text(message_id)
            logger.info("forgot old messages", extra={"count": len(forgotten)})
        await self._remove_strays(before)

    async def _forget_sessions(self, before: datetime) -> None:
        """Forget the sessions that were gone before the time `before` and have no messages left. Stored messages name their session, so a
        session is forgotten only after its messages, which are forgotten by their own age."""
        for session_id in await self._store.forgettable_sessions(before):
            await self._isolation.run(session_id, partial(self._forget_session, session_id))

    async def _forget_session(self, session_id: SessionId) -> None:
        session = await self._sessions.forget(session_id)
        logger.info("forgot a session", extra={"session": session.name, "session_id": session_id})

    def _remove_text(self, message_id: MessageId) -> None:
        with suppress(OSError):
            (self._texts / f"{message_id}.txt").unlink(missing_ok=True)

    async def _remove_strays(self, before: datetime) -> None:
        """Remove old text files of messages that nobody knows any more, because their session was removed."""
        with suppress(OSError):
            for path in self._texts.glob("*.txt"):
                is_old = path.stat().st_mtime < before.timestamp()
                if is_old and path.stem not in await self._store.find_messages(path.stem):
                    path.unlink(missing_ok=True)
