"""Sends notices: follows what becomes of messages, asks `queue/reports/notices.py` which notices are due, and puts them into the sender's
queue.

A notice is sent after the fact is on record. If the daemon dies in between, the next daemon looks at the messages that have ended
lately, and sends their notices again with the same idempotency key, which makes no second notice.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from hark.daemon.core import Core
from hark.daemon.mailbox import Mailbox, NewMessage
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.timers.reminders import ID_BYTES
from hark.delivery.wording import sanitise
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, ReminderId
from hark.model.message import HoldReason, Message, Status
from hark.model.reminder import Reminder, ReminderKind
from hark.model.session import SessionState
from hark.queue.reports import notices
from hark.queue.reports.notices import Notice

_NOTIFIED = frozenset(
    {
        Status.SUBMITTED,
        Status.ACKNOWLEDGED,
        Status.COMPLETED,
        Status.INTERRUPTED,
        Status.FAILED,
        Status.EXPIRED,
        Status.DEAD,
        Status.UNCERTAIN,
    }
)
LOOK_BACK = timedelta(hours=1)
"""How far to look back for messages that ended without a notice; nobody waits for notices of older ones."""


class Notices:
    def __init__(self, core: Core, mailbox: Mailbox, plan: Callable[[Reminder], Awaitable[None]]) -> None:
        self._store = core.store
        self._sessions = core.sessions
        self._mailbox = mailbox
        self._bus = core.bus
        self._clock = core.clock
        self._plan = plan
        self._planned: set[MessageId] = set()
        self._isolation = Isolation("notices")
        self._owed: set[MessageId] = set()
        """The messages whose notices could not be sent yet, because sending failed."""
        self._is_owed = asyncio.Event()

    async def run(self) -> None:
        after = await self._store.last_event_seq()
        await self.look_back()
        # This is no task group, because that would wrap a failure of the store, and the supervisor reads such a failure.
        repeating = asyncio.create_task(self._repeat())
        try:
            async for event in self._bus.follow(after, may_need_notice):
                await self.notify_about(event)
        finally:
            repeating.cancel()
            await asyncio.gather(repeating, return_exceptions=True)

    async def look_back(self) -> None:
        """Send the notices that the daemon before this one did not send, although their facts are on record."""
        since = self._clock() - LOOK_BACK
        held = [m for m in await self._store.pending() if m.hold_reason is HoldReason.SESSION_GONE]
        for message in (*await self._store.with_notices(), *held):
            at = message.ended_at or message.delivered_at or message.held_since
            if at and at >= since:
                await self._try(message.id)

    async def notify_about(self, event: Event) -> None:
        if event.message_id is not None and may_need_notice(event):
            await self._try(event.message_id)

    async def _try(self, message_id: MessageId) -> None:
        """Try to send the notices of a message. A notice that cannot be sent now does not stop the others, and is sent later."""
        if await self._isolation.run(message_id, partial(self._tell_of, message_id)):
            self._owed.discard(message_id)
        else:
            self._owed.add(message_id)
            self._is_owed.set()

    async def _repeat(self) -> None:
        """Keep sending the notices that could not be sent before."""
        while True:
            await self._is_owed.wait()
            self._is_owed.clear()
            await asyncio.sleep(min((self._isolation.rest_s(owed) for owed in self._owed), default=0.0))
            for message_id in sorted(self._owed):
                await self._try(message_id)

    async def _tell_of(self, message_id: MessageId) -> None:
        try:
            message = await self._store.message(message_id)
            if message.sender_session_id is None:
                return
            for notice in await self._due(message):
                await self.send(notice)
            await self._plan_follow_up(message)
        except HarkError as failure:
            # The message was forgotten meanwhile, or the notice was sent before in other words, because a session was renamed since.
            if failure.code not in ("message-not-found", "session-not-found", "session-gone", "idempotency-conflict"):
                raise

    async def _due(self, message: Message) -> list[Notice]:
        receipts = await self._store.receipts(message.id)
        answer = await self._store.answer(message.id) if message.notify_on_stop else None
        # An answer is an agent's text: nothing in it may drive the terminal of the session that gets the notice.
        words = sanitise(answer.text) if answer else None
        return notices.due(message, self._sessions.get(message.session_id), receipts, words)

    async def _plan_follow_up(self, message: Message) -> None:
        """Plan the notice that is due some time after the delivery, which is kept like a reminder. A notice that is planned twice is sent
        once, because of its key."""
        at = notices.follow_up_at(message)
        if at is None or message.sender_session_id is None or at < self._clock() - LOOK_BACK:
            return
        planned = {reminder.text for reminder in await self._store.reminders()}
        if message.id not in planned and message.id not in self._planned:
            self._planned.add(message.id)
            await self._plan(
                Reminder(
                    id=ReminderId(secrets.token_hex(ID_BYTES)),
                    session_id=message.sender_session_id,
                    text=message.id,
                    created_at=self._clock(),
                    fire_at=at,
                    kind=ReminderKind.FOLLOW_UP,
                    is_elapsed=True,
                )
            )

    async def send(self, notice: Notice) -> None:
        session = self._sessions.get(notice.session_id)
        if session.state is SessionState.GONE:
            return
        sent = await self._mailbox.send(
            session, NewMessage(text=notice.text, own_name=notices.SENDER, idempotency_key=notice.key)
        )
        if sent.is_new:
            logger.info("notice", extra={"session": notice.session_id, "key": notice.key})


def may_need_notice(event: Event) -> bool:
    """Return True if the event may be worth a notice."""
    if event.kind is not EventKind.MESSAGE:
        return False
    return event.data.get("reason") == HoldReason.SESSION_GONE or event.data.get("status") in _NOTIFIED
