"""Forgets what is old: messages that wait for nothing any more, with their receipts, events and stored texts; and gives up what
waits for a session that has been gone for too long."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from hark.daemon.clock import Clock
from hark.daemon.couriers import Couriers
from hark.daemon.log import logger
from hark.daemon.sessions import Sessions
from hark.model.config import Config
from hark.model.errors import HarkError
from hark.model.ids import MessageId
from hark.model.message import Status
from hark.model.session import Session, SessionState
from hark.queue.lifecycle import Step
from hark.store.contract import Store

PERIOD_S = 60.0
AT_ONCE = 500
"""Messages in one transaction: others want to write too."""


class Retention:
    def __init__(
        self, store: Store, sessions: Sessions, couriers: Couriers, config: Config, clock: Clock, texts: Path
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._couriers = couriers
        self._config = config
        self._clock = clock
        self._texts = texts

    async def run(self) -> None:
        while True:
            await self.sweep()
            await asyncio.sleep(PERIOD_S)

    async def sweep(self) -> None:
        now = self._clock()
        if self._config.gone_timeout:
            await self._give_up_gone(now - timedelta(seconds=self._config.gone_timeout))
        if self._config.keep_messages:
            await self._forget(now - timedelta(seconds=self._config.keep_messages))

    async def _give_up_gone(self, before: datetime) -> None:
        for session in self._sessions.all():
            if session.state is SessionState.GONE and session.gone_at and session.gone_at < before:
                await self._give_up(session)

    async def _give_up(self, session: Session) -> None:
        detail = "its session has been gone for too long"
        for message in await self._store.pending(session.id):
            async with self._couriers.of(session.id).lock:
                with suppress(HarkError):
                    end = Status.EXPIRED if message.is_inbox else Status.DEAD
                    await self._store.move(message.id, Step(status=end, at=self._clock(), detail=detail))

    async def _forget(self, before: datetime) -> None:
        while forgotten := await self._store.forget_messages(before, AT_ONCE):
            for message_id in forgotten:
                self._remove_text(message_id)
            logger.info("forgot old messages", extra={"count": len(forgotten)})
        await self._remove_strays(before)

    def _remove_text(self, message_id: MessageId) -> None:
        with suppress(OSError):
            (self._texts / f"{message_id}.txt").unlink(missing_ok=True)

    async def _remove_strays(self, before: datetime) -> None:
        """Old texts of messages that nobody knows any more: their session was removed."""
        with suppress(OSError):
            for path in self._texts.glob("*.txt"):
                is_old = path.stat().st_mtime < before.timestamp()
                if is_old and path.stem not in await self._store.find_messages(path.stem):
                    path.unlink(missing_ok=True)
