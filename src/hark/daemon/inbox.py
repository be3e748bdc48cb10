"""The inbox of a session: messages that are never typed, but handed to the session's agent when the agent asks for them.

A message is handed out once, whoever else asks at the same time. Handing it out proves only that the message was put into an answer;
the agent proves that it has the message by naming the message's id to `acknowledge`. A message that was handed out and never
acknowledged can be asked for again, so an answer that is lost on its way loses no message.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from hark.daemon.bus import Bus
from hark.daemon.outbox import Outbox
from hark.model.errors import HarkError
from hark.model.event import EventKind
from hark.model.ids import MessageId
from hark.model.message import Channel, Message, Status
from hark.model.session import Session
from hark.queue.lifecycle import has_reached
from hark.queue.ordering import inbox_order
from hark.store.contract import Store

LONGEST_LOOK_BACK = 1000

IsThere = Callable[[], Awaitable[bool]]


class Inbox:
    def __init__(self, store: Store, outbox: Outbox, bus: Bus) -> None:
        self._store = store
        self._outbox = outbox
        self._bus = bus

    async def check(self, session: Session, within_s: float, is_there: IsThere) -> Sequence[Message]:
        """Hand out the messages that wait, or those that come within `within_s` seconds. A caller that has gone gets nothing."""
        after = await self._store.last_event_seq()
        taken = await self._outbox.hand_out(session.id)
        if taken or within_s <= 0:
            return taken
        try:
            async with asyncio.timeout(within_s):
                async for event in self._bus.follow(after):
                    if event.session_id != session.id or event.kind is not EventKind.MESSAGE:
                        continue
                    if not await self.waiting(session):
                        continue
                    return await self._outbox.hand_out(session.id) if await is_there() else []
        except TimeoutError:
            pass
        return []

    async def waiting(self, session: Session) -> list[Message]:
        return inbox_order(await self._store.pending(session.id))

    async def unacknowledged(self, session: Session) -> list[Message]:
        """Return the messages that were handed out and are not acknowledged, the oldest first."""
        submitted = await self._store.messages(session.id, LONGEST_LOOK_BACK, (Status.SUBMITTED,))
        return [message for message in reversed(submitted) if message.is_inbox]

    async def acknowledge(self, message: Message, *, is_done: bool) -> Message:
        """Record that the agent has the message, and with `is_done` that it has done what the message asks for. Saying so twice is
        harmless."""
        if message.is_inbox and message.status is Status.QUEUED:
            raise HarkError(
                "transition-illegal",
                "the message waits in the inbox and was not handed out yet",
                "check the inbox first",
            )
        for goal in (Status.ACKNOWLEDGED, Status.COMPLETED) if is_done else (Status.ACKNOWLEDGED,):
            message = await self._reach(message.id, goal)
        return message

    async def _reach(self, message_id: MessageId, goal: Status) -> Message:
        message = await self._store.message(message_id)
        if has_reached(message.status, goal):
            return message
        channel = Channel.INBOX if message.is_inbox else None
        write = self._outbox.acknowledge if goal is Status.ACKNOWLEDGED else self._outbox.complete
        try:
            return await write(message_id, "the agent said so", channel=channel)
        except HarkError as refused:
            # The agent's hook may have said the same at the same moment.
            message = await self._store.message(message_id)
            if refused.code != "transition-illegal" or not has_reached(message.status, goal):
                raise
            return message
