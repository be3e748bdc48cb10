"""Reminders: kept in the store, fired once, as messages to the session that asked for them.

A reminder becomes a message first and is marked as fired second. When the daemon dies in between, the message is sent again
with the same idempotency key, which is no second message.
"""

import asyncio
import secrets
from datetime import timedelta

from hark.daemon.clock import Clock
from hark.daemon.log import logger
from hark.daemon.mailbox import Mailbox
from hark.daemon.sessions import Sessions
from hark.delivery.wording import check_text
from hark.model.errors import HarkError
from hark.model.ids import ReminderId
from hark.model.message import Mode
from hark.model.reminder import Reminder
from hark.model.session import Session, SessionState
from hark.queue.schedule import Firing, due, next_at, words
from hark.store.contract import Store

LONGEST_SLEEP_S = 60.0
"""A clock that is set, or a laptop that slept, is noticed after this at the latest."""

ID_BYTES = 4


class Scheduler:
    def __init__(self, store: Store, sessions: Sessions, mailbox: Mailbox, clock: Clock, longest_text: int) -> None:
        self._store = store
        self._sessions = sessions
        self._mailbox = mailbox
        self._clock = clock
        self._longest_text = longest_text
        self._changed = asyncio.Event()
        self._firing = asyncio.Lock()
        """What is being fired cannot be taken back."""

    async def remind(self, session: Session, after_s: float, text: str) -> Reminder:
        now = self._clock()
        reminder = Reminder(
            id=ReminderId(secrets.token_hex(ID_BYTES)),
            session_id=session.id,
            text=text,
            created_at=now,
            fire_at=now + timedelta(seconds=after_s),
        )
        check_text(text, self._longest_text)
        check_text(words(Firing(reminder, is_late=True)), self._longest_text)
        await self._store.add_reminder(reminder)
        self._changed.set()
        return reminder

    async def cancel(self, wanted: str) -> Reminder:
        """By its id or a prefix of it."""
        async with self._firing:
            reminder = await self._find(wanted)
            return await self._store.change_reminder(reminder.id, {"cancelled_at": self._clock()})

    async def _find(self, wanted: str) -> Reminder:
        fitting = [r for r in await self._store.reminders() if wanted and r.id.startswith(wanted)]
        if exact := [r for r in fitting if r.id == wanted]:
            return exact[0]
        if len(fitting) != 1:
            detail = f"{wanted!r} fits {len(fitting)} reminders" if fitting else f"no reminder {wanted!r} waits"
            raise HarkError("reminder-not-found", detail, "`hark reminders` lists those that wait")
        return fitting[0]

    async def run(self) -> None:
        while True:
            self._changed.clear()
            await self.fire_due()
            earliest = next_at(await self._store.reminders())
            until_s = (earliest - self._clock()).total_seconds() if earliest else LONGEST_SLEEP_S
            try:
                async with asyncio.timeout(min(max(until_s, 0.0), LONGEST_SLEEP_S)):
                    await self._changed.wait()
            except TimeoutError:
                pass

    async def fire_due(self) -> None:
        async with self._firing:
            for firing in due(await self._store.reminders(), self._clock()):
                await self._fire(firing)

    async def _fire(self, firing: Firing) -> None:
        reminder = firing.reminder
        extra = {"reminder_id": reminder.id, "session": reminder.session_id, "is_late": firing.is_late}
        session = self._sessions.get(reminder.session_id)
        if session.state is SessionState.GONE:
            await self._store.change_reminder(reminder.id, {"cancelled_at": self._clock()})
            logger.info("reminder for a session that is gone", extra=extra)
            return
        await self._send(session, firing)
        await self._store.change_reminder(reminder.id, {"fired_at": self._clock()})
        logger.info("reminder fired", extra=extra)

    async def _send(self, session: Session, firing: Firing) -> None:
        try:
            await self._mailbox.send(
                session,
                words(firing),
                sender=None,
                sender_name="reminder",
                mode=Mode.SEQUENTIAL,
                idempotency_key=f"reminder:{firing.reminder.id}",
            )
        except HarkError as failure:
            # It was sent in time and its words have changed since: a daemon died before it could mark it as fired.
            if failure.code != "idempotency-conflict":
                raise
