"""Keeps reminders in the store, and fires each of them once, as a message to its session.

A reminder becomes a message first and is marked as fired second. If the daemon dies in between, the message is sent again
with the same idempotency key, which makes no second message.

A reminder that cannot be fired does not stop the others. It is tried again with pauses, and set aside when it has failed too often:
`hark reminders` shows why. A failure does not count if the store cannot be written to at the moment.
"""

import asyncio
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from hark.daemon.core import Core
from hark.daemon.mailbox import Mailbox, NewMessage
from hark.daemon.process.clock import Elapsed
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.delivery.wording import check_text
from hark.model.errors import HarkError
from hark.model.ids import MessageId, ReminderId, SessionId
from hark.model.reminder import Reminder, ReminderKind
from hark.model.session import Session, SessionState
from hark.model.text.names import check_sender
from hark.queue.reports import notices
from hark.queue.schedules.clock_jumps import Reading, jump_between
from hark.queue.schedules.schedule import Firing, again_at, by_cron, due, every, is_waiting, key, moved, words

LONGEST_SLEEP_S = 15.0
"""The longest sleep in seconds: after that it is noticed if somebody has set the clock or a laptop has slept."""
SET_ASIDE_AFTER = 5
"""How many failures in a row set a reminder aside, so that it is not tried again."""
TEMPORARY = frozenset({"disk-full", "store-locked", "store-corrupt", "store-closed"})
"""The error codes of failures of the store, which have nothing to do with the reminder."""

ID_BYTES = 4


SOON = timedelta(minutes=1)
"""A wanted time that passed less than this long ago counts as now."""


class When(Struct, frozen=True, kw_only=True):
    """When a reminder fires. `after_s` or `at` says when it fires once, or for the first time; without them the repetition says when it
    fires first."""

    after_s: float | None = None
    at: datetime | None = None
    repeat: str | None = None


def make_when(after_s: float | None, at: datetime | None, every_s: float | None, cron: str | None) -> When:
    """Make the time of a reminder from a request. Raise a HarkError if the request makes no sense."""
    if sum(wish is not None for wish in (after_s, at, cron)) > 1 or (every_s is not None and cron is not None):
        raise HarkError(
            "request-invalid",
            "the reminder has several times that exclude each other",
            "give one time; only --every may have a first time beside it",
        )
    repeat = by_cron(cron) if cron is not None else every(every_s) if every_s is not None else None
    if after_s is None and at is None and repeat is None:
        raise HarkError(
            "request-invalid", "the reminder has no time", "give a delay such as 5m, or --at, --every or --cron"
        )
    return When(after_s=after_s, at=at, repeat=repeat)


class Scheduler:
    def __init__(self, core: Core, mailbox: Mailbox, elapsed: Elapsed, zone: tzinfo) -> None:
        self._zone = zone
        self._store = core.store
        self._sessions = core.sessions
        self._mailbox = mailbox
        self._clock = core.clock
        self._longest_text = core.config.max_text_bytes
        self._changed = asyncio.Event()
        self._firing = asyncio.Lock()
        """This lock is held while a reminder is fired, so that the reminder cannot be cancelled meanwhile."""
        self._elapsed = elapsed
        self._read = Reading(core.clock(), elapsed())
        self._moving: dict[ReminderId, datetime] = {}
        """The new times of reminders that moved with the wall clock, kept until they are on record."""
        self._isolation = Isolation("reminders")

    async def remind(
        self, session: Session, when: When, text: str, *, sender: str | None = None, sender_name: str | None = None
    ) -> Reminder:
        """Add a reminder for a session. `sender` is the session that asks for it; a caller that is no session may give `sender_name`."""
        asker = self._mailbox.check(NewMessage(text=text, sender=sender, sender_name=sender_name))
        async with self._firing:
            now = await self._read_clock()
            is_cron = when.repeat is not None and when.repeat.startswith("cron ")
            reminder = Reminder(
                id=ReminderId(secrets.token_hex(ID_BYTES)),
                session_id=session.id,
                text=text,
                created_at=now,
                fire_at=self._first_at(when, now),
                repeat=when.repeat,
                sender_session_id=asker.id if asker else None,
                sender_name=asker.name if asker else sender_name and check_sender(sender_name),
                is_elapsed=when.at is None and not is_cron,
            )
            check_text(words(Firing(reminder, is_late=True)), self._longest_text)
            await self._add(reminder)
            return reminder

    def _first_at(self, when: When, now: datetime) -> datetime:
        if when.at is not None and when.at <= now - SOON:
            raise HarkError("request-invalid", f"{when.at.isoformat()} is in the past", "name a time in the future")
        if when.at is not None:
            return when.at
        if when.after_s is not None:
            return now + timedelta(seconds=when.after_s)
        first = again_at(when.repeat or "", now, now, self._zone)
        assert first is not None
        return first

    async def add(self, reminder: Reminder) -> None:
        async with self._firing:
            await self._read_clock()
            await self._add(reminder)

    async def _add(self, reminder: Reminder) -> None:
        await self._store.add_reminder(reminder)
        self._changed.set()

    async def waiting(self) -> list[Reminder]:
        """Return the reminders that somebody asked for, also those that were set aside."""
        return [one for one in await self._store.reminders() if one.kind is ReminderKind.REMINDER]

    async def cancel(self, wanted: str) -> Reminder:
        """Cancel a reminder by its id or a prefix of its id."""
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
            until_s = self._until_s(await self._store.reminders())
            try:
                async with asyncio.timeout(min(max(until_s, 0.0), LONGEST_SLEEP_S)):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def _until_s(self, reminders: Sequence[Reminder]) -> float:
        """Return how many seconds it takes until the first of the reminders can be fired: until it is due, and does not rest after a
        failure."""
        now = self._clock()
        waits = [
            max((one.fire_at - now).total_seconds(), self._isolation.rest_s(one.id))
            for one in reminders
            if is_waiting(one)
        ]
        return min(waits, default=LONGEST_SLEEP_S)

    async def fire_due(self) -> None:
        async with self._firing:
            now = await self._read_clock()
            waiting = [
                replace(one, fire_at=self._moving.get(one.id, one.fire_at)) for one in await self._store.reminders()
            ]
            for firing in due(waiting, now):
                await self._isolation.run(firing.reminder.id, partial(self._try, firing))

    async def _read_clock(self) -> datetime:
        """Return the wall clock's time. If somebody has set the wall clock since the last look, move the reminders with it first."""
        now = Reading(self._clock(), self._elapsed())
        if jump := jump_between(self._read, now):
            logger.warning("the wall clock was set", extra={"by_s": round(jump.total_seconds(), 3)})
            for one in await self._store.reminders():
                at = self._moving.get(one.id, one.fire_at)
                self._moving[one.id] = moved(replace(one, fire_at=at), jump, now.wall, self._zone)
            self._read = now
        for reminder_id, at in list(self._moving.items()):
            if await self._isolation.run(("moved", reminder_id), partial(self._move, reminder_id, at)):
                del self._moving[reminder_id]
        return now.wall

    async def _move(self, reminder_id: ReminderId, at: datetime) -> None:
        try:
            await self._store.change_reminder(reminder_id, {"fire_at": at})
        except HarkError as failure:
            if failure.code != "reminder-not-found":
                raise

    async def _try(self, firing: Firing) -> None:
        """Fire a reminder, or write down why it cannot be fired."""
        try:
            await self._fire(firing)
        except Exception as failure:
            code = failure.code if isinstance(failure, HarkError) else type(failure).__name__
            if code not in TEMPORARY:
                await self._count_failure(firing.reminder, code, failure)
            raise

    async def _count_failure(self, reminder: Reminder, code: str, failure: Exception) -> None:
        failures = reminder.failures + 1
        why = failure.detail if isinstance(failure, HarkError) else str(failure)
        changes: dict[str, object] = {"failures": failures, "failure": f"{code}: {why}"}
        if failures >= SET_ASIDE_AFTER:
            changes["set_aside_at"] = self._clock()
            logger.error("reminder set aside", extra={"reminder_id": reminder.id, "code": code, "detail": why})
        await self._store.change_reminder(reminder.id, changes)

    async def _fire(self, firing: Firing) -> None:
        reminder = firing.reminder
        extra = {"reminder_id": reminder.id, "session": reminder.session_id, "is_late": firing.is_late}
        session = self._sessions.get(reminder.session_id)
        if session.state is SessionState.GONE:  # A session that is gone never comes back.
            await self._store.change_reminder(reminder.id, {"cancelled_at": self._clock()})
            logger.info("reminder for a session that is gone", extra=extra)
            return
        if not await self._is_waiting(reminder):
            await self._say(session, firing)
        await self._store.change_reminder(reminder.id, self._after(reminder))
        logger.info("reminder fired", extra=extra)

    def _after(self, reminder: Reminder) -> dict[str, object]:
        again = again_at(reminder.repeat, reminder.fire_at, self._clock(), self._zone) if reminder.repeat else None
        if again is None:
            return {"fired_at": self._clock()}
        # With `--at TIME --every 30m` only the first firing is at a time of the day; the others follow after elapsed time.
        is_elapsed = reminder.repeat is not None and reminder.repeat.startswith("every ")
        return {"fire_at": again, "is_elapsed": is_elapsed, "failures": 0, "failure": None}

    async def _is_waiting(self, reminder: Reminder) -> bool:
        """Return True if an earlier message of the same repeated reminder still waits to be delivered: nobody wants them piled up."""
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
            # The message was sent in time, and its words have changed since: a daemon died before it could mark the reminder as fired.
            if failure.code not in ("idempotency-conflict", "message-not-found"):
                raise

    async def _remind(self, session: Session, firing: Firing) -> None:
        """Send the reminder as a message from whoever asked for it. If the session itself asked for it, or if nobody is named, the sender
        is hark's own `reminder`."""
        reminder = firing.reminder
        if reminder.sender_session_id == session.id or not reminder.sender_name:
            await self._send(session, words(firing), "reminder", key(reminder))
            return
        asker = self._known(reminder.sender_session_id)
        await self._mailbox.send(
            session,
            NewMessage(
                text=words(firing),
                sender=asker,
                sender_name=None if asker else reminder.sender_name,
                idempotency_key=key(reminder),
            ),
        )

    def _known(self, session_id: SessionId | None) -> SessionId | None:
        """Return the id of the session that asked for the reminder; None if that session was forgotten since."""
        return session_id if any(session.id == session_id for session in self._sessions.all()) else None

    async def _follow_up(self, session: Session, message_id: MessageId) -> None:
        message = await self._store.message(message_id)
        if notice := notices.after_delivery(message, self._sessions.get(message.session_id)):
            await self._send(session, notice.text, notices.SENDER, notice.key)

    async def _send(self, session: Session, text: str, own_name: str, key: str) -> None:
        await self._mailbox.send(session, NewMessage(text=text, own_name=own_name, idempotency_key=key))
