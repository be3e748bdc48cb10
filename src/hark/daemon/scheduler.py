"""Reminders: kept in the store, fired once, as messages to the session that asked for them.

A reminder becomes a message first and is marked as fired second. When the daemon dies in between, the message is sent again
with the same idempotency key, which is no second message.
"""

import asyncio
import secrets
from datetime import datetime, timedelta, tzinfo

from msgspec import Struct

from hark.daemon.clock import Clock
from hark.daemon.log import logger
from hark.daemon.mailbox import Mailbox
from hark.daemon.sessions import Sessions
from hark.delivery.wording import check_text
from hark.model.errors import HarkError
from hark.model.ids import MessageId, ReminderId, SessionId
from hark.model.message import Mode
from hark.model.names import check_sender
from hark.model.reminder import Reminder, ReminderKind
from hark.model.session import Session, SessionState
from hark.queue import notices
from hark.queue.schedule import Firing, again_at, by_cron, due, every, key, next_at, words
from hark.store.contract import Store

LONGEST_SLEEP_S = 60.0
"""A clock that is set, or a laptop that slept, is noticed after this at the latest."""

ID_BYTES = 4


SOON = timedelta(minutes=1)
"""A time that has only just passed is now."""


class When(Struct, frozen=True, kw_only=True):
    """One of the first two for once, or for the first time; without them the first time is that of the repetition."""

    after_s: float | None = None
    at: datetime | None = None
    repeat: str | None = None


def make_when(after_s: float | None, at: datetime | None, every_s: float | None, cron: str | None) -> When:
    """What somebody has wished for, if it makes sense."""
    if sum(wish is not None for wish in (after_s, at, cron)) > 1 or (every_s is not None and cron is not None):
        raise HarkError(
            "request-invalid", "these times exclude each other", "name one; `every` may go with a first time"
        )
    repeat = by_cron(cron) if cron is not None else every(every_s) if every_s is not None else None
    if after_s is None and at is None and repeat is None:
        raise HarkError("request-invalid", "it is not said when", "name a delay, a time, an interval or a cron line")
    return When(after_s=after_s, at=at, repeat=repeat)


class Scheduler:
    def __init__(
        self, store: Store, sessions: Sessions, mailbox: Mailbox, clock: Clock, longest_text: int, zone: tzinfo
    ) -> None:
        self._zone = zone
        self._store = store
        self._sessions = sessions
        self._mailbox = mailbox
        self._clock = clock
        self._longest_text = longest_text
        self._changed = asyncio.Event()
        self._firing = asyncio.Lock()
        """What is being fired cannot be taken back."""

    async def remind(
        self, session: Session, when: When, text: str, *, sender: str | None = None, sender_name: str | None = None
    ) -> Reminder:
        """`sender`: the session that asks for it; anybody else may give a name."""
        asker = self._mailbox.check(text, sender=sender, sender_name=sender_name)
        now = self._clock()
        reminder = Reminder(
            id=ReminderId(secrets.token_hex(ID_BYTES)),
            session_id=session.id,
            text=text,
            created_at=now,
            fire_at=self._first_at(when, now),
            repeat=when.repeat,
            sender_session_id=asker.id if asker else None,
            sender_name=asker.name if asker else sender_name and check_sender(sender_name),
        )
        check_text(words(Firing(reminder, is_late=True)), self._longest_text)
        await self.add(reminder)
        return reminder

    def _first_at(self, when: When, now: datetime) -> datetime:
        if when.at is not None and when.at <= now - SOON:
            raise HarkError("request-invalid", f"{when.at.isoformat()} has passed", "name a time to come")
        if when.at is not None:
            return when.at
        if when.after_s is not None:
            return now + timedelta(seconds=when.after_s)
        first = again_at(when.repeat or "", now, now, self._zone)
        assert first is not None
        return first

    async def add(self, reminder: Reminder) -> None:
        await self._store.add_reminder(reminder)
        self._changed.set()

    async def waiting(self) -> list[Reminder]:
        """Those that somebody asked for."""
        return [one for one in await self._store.reminders() if one.kind is ReminderKind.REMINDER]

    async def cancel(self, wanted: str) -> Reminder:
        """By its id or a prefix of it."""
        async with self._firing:
            reminder = await self._find(wanted)
            return await self._store.change_reminder(reminder.id, {"cancelled_at": self._clock()})

    async def _find(self, wanted: str) -> Reminder:
        fitting = [r for r in await self.waiting() if wanted and r.id.startswith(wanted)]
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
        if not await self._is_waiting(reminder):
            await self._say(session, firing)
        await self._store.change_reminder(reminder.id, self._after(reminder))
        logger.info("reminder fired", extra=extra)

    def _after(self, reminder: Reminder) -> dict[str, datetime]:
        again = again_at(reminder.repeat, reminder.fire_at, self._clock(), self._zone) if reminder.repeat else None
        return {"fire_at": again} if again else {"fired_at": self._clock()}

    async def _is_waiting(self, reminder: Reminder) -> bool:
        """Whether an earlier one of the same still waits to be delivered: nobody wants them piled up."""
        if not reminder.repeat:
            return False
        pending = await self._store.pending(reminder.session_id)
        return any((message.idempotency_key or "").startswith(f"reminder:{reminder.id}:") for message in pending)

    async def _say(self, session: Session, firing: Firing) -> None:
        try:
            if firing.reminder.kind is ReminderKind.FOLLOW_UP:
                await self._follow_up(session, MessageId(firing.reminder.text))
            else:
                await self._remind(session, firing)
        except HarkError as failure:
            # It was sent in time and its words have changed since: a daemon died before it could mark it as fired.
            if failure.code not in ("idempotency-conflict", "message-not-found"):
                raise

    async def _remind(self, session: Session, firing: Firing) -> None:
        """From whoever has asked for it; from hark's own reminders where the session has asked itself, or nobody has said."""
        reminder = firing.reminder
        if reminder.sender_session_id == session.id or not reminder.sender_name:
            await self._send(session, words(firing), "reminder", key(reminder))
            return
        asker = self._known(reminder.sender_session_id)
        await self._mailbox.send(
            session,
            words(firing),
            sender=asker,
            sender_name=None if asker else reminder.sender_name,
            mode=Mode.SEQUENTIAL,
            idempotency_key=key(reminder),
        )

    def _known(self, session_id: SessionId | None) -> SessionId | None:
        """The session that has asked, unless it was forgotten since."""
        return session_id if any(session.id == session_id for session in self._sessions.all()) else None

    async def _follow_up(self, session: Session, message_id: MessageId) -> None:
        message = await self._store.message(message_id)
        if notice := notices.after_delivery(message, self._sessions.get(message.session_id)):
            await self._send(session, notice.text, notices.SENDER, notice.key)

    async def _send(self, session: Session, text: str, own_name: str, key: str) -> None:
        await self._mailbox.send(
            session,
            text,
            sender=None,
            sender_name=None,
            own_name=own_name,
            mode=Mode.SEQUENTIAL,
            idempotency_key=key,
        )
