"""The only writer of a message's status: each change that hark makes to a message is one operation here.

An operation is one transaction of the store, which writes the message, its receipt and its event. The log line is made of the event
(`process/event_log.py`). So the status, the receipts, the events and the log say the same, whoever asks for the change: a courier, a
hook, a timer or a user.

The table in `queue/lifecycle.py` says which changes are legal. An illegal change raises `transition-illegal` and writes nothing. Whoever
changes a pending message holds the lock of its session's courier. A delivery also gives the fence of its lease, and if another daemon
has the lease by then, the operation raises `lease-lost`.
"""

from collections.abc import Sequence
from datetime import datetime

from hark.daemon.process.clock import Clock
from hark.delivery.gate import Hold
from hark.model.answer import Answer
from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Status
from hark.queue.lifecycle import Step, given_up_status, is_attempted, is_expired
from hark.store.contract import Enqueued, Store

INTERRUPTS = "hark tells the running turn to end"
TIMED_OUT = "its time-out passed"


class Outbox:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def add(self, message: Message, loop: str | None = None) -> Enqueued:
        """Store a new message, which is queued. If `loop` says why the message looks like a part of a loop between agents, it is held
        until a human releases it."""
        if loop is None:
            return await self._store.enqueue(message)
        step = Step(status=Status.HELD, at=message.queued_at, reason=HoldReason.LOOP, detail=loop)
        return await self._store.enqueue(message, step)

    async def release(self, message_id: MessageId) -> Message:
        """Put a message into the queue that was held because it looked like a part of a loop."""
        return await self.queue(message_id, "a human has released it")

    # before a delivery

    async def hold(self, message: Message, hold: Hold, *, is_in_box: bool) -> None:
        """Record why the message is held. `is_in_box` says whether its text may be in the box from now on."""
        step = Step(
            status=Status.HELD,
            at=self._clock(),
            reason=hold.reason,
            detail=hold.detail,
            is_in_box=is_in_box,
            counts_attempt=hold.is_refused,
        )
        await self._store.move(message.id, step)

    async def queue(self, message_id: MessageId, detail: str) -> Message:
        """Put a message back into the queue. The caller knows that its text is neither in the box nor with the agent."""
        return await self._store.move(message_id, Step(status=Status.QUEUED, at=self._clock(), detail=detail))

    async def take_back(self, message_id: MessageId) -> None:
        """Put a message back into the queue, because the agent has put its text back into the box unanswered: hark submits it once
        more."""
        detail = "its turn was interrupted before an answer, and the agent put it back into the box"
        await self._store.move(message_id, Step(status=Status.QUEUED, at=self._clock(), detail=detail, is_in_box=True))

    async def retry(self, message_id: MessageId) -> Message:
        """Put a message that is dead or uncertain back into the queue, because somebody asks for that."""
        return await self.queue(message_id, "somebody asked to try it again")

    async def note_interrupt(self, message: Message, fence: int, channel: Channel) -> None:
        """Record, before it happens, that the running turn will be told to end for this message."""
        step = Step(
            status=Status.HELD,
            at=self._clock(),
            reason=HoldReason.BUSY,
            detail=INTERRUPTS,
            channel=channel,
            is_interrupt=True,
        )
        await self._store.move(message.id, step, fence)

    async def withdraw_interrupt(self, message: Message, hold: Hold) -> None:
        """Take back the record of an interrupt that did not happen, and record why the message is held instead."""
        step = Step(status=Status.HELD, at=self._clock(), reason=hold.reason, detail=hold.detail, is_interrupt=False)
        await self._store.move(message.id, step)

    # a delivery

    async def begin(self, message: Message, fence: int, batch_id: str | None) -> None:
        """Mark a message whose text may be in the box from now on. `batch_id` names the payload that the message goes in."""
        await self._end_hold(message, fence)
        await self._store.begin_attempt(message.id, self._clock(), fence, batch_id)

    async def stage_in_box(
        self,
        message: Message,
        fence: int | None,
        carrier: Carrier | None,
        had_draft: bool | None = None,
        detail: str = "",
    ) -> Message:
        """Record that the message's text is in the box."""
        step = Step(
            status=Status.STAGED,
            at=self._clock(),
            detail=detail,
            channel=Channel.TERMINAL if carrier else None,
            carrier=carrier,
            had_draft=had_draft,
        )
        return await self._stage(message, step, fence)

    async def stage_with_api(self, message: Message, fence: int, batch_id: str | None) -> Message:
        """Record, before it happens, that the message is handed to the agent's API."""
        step = Step(status=Status.STAGED, at=self._clock(), channel=Channel.NATIVE, batch_id=batch_id)
        return await self._stage(message, step, fence)

    async def stage_with_hook(self, message: Message, fence: int, authority: Authority, event: str) -> Message:
        """Record, before it happens, that the message is given to the agent's hook for this event."""
        step = Step(
            status=Status.STAGED,
            at=self._clock(),
            detail=f"given to the agent's {event} hook",
            channel=Channel.HOOK,
            authority=authority,
        )
        return await self._stage(message, step, fence)

    async def submit(
        self,
        message: Message,
        fence: int | None,
        *,
        channel: Channel | None,
        carrier: Carrier | None = None,
        had_draft: bool | None = None,
        detail: str = "",
    ) -> None:
        """Record that the agent has been given the message: the box has let go of its text, or the agent's API has taken it."""
        step = Step(
            status=Status.SUBMITTED,
            at=self._clock(),
            detail=detail,
            channel=channel,
            carrier=carrier,
            had_draft=had_draft,
        )
        await self._store.move(message.id, step, fence)

    # what the agent does with it

    async def hand_out(self, session_id: SessionId) -> Sequence[Message]:
        """Hand the messages that wait in a session's inbox to its agent, which has asked for them."""
        return await self._store.take_inbox(session_id, self._clock())

    async def acknowledge(
        self, message_id: MessageId, detail: str, *, at: datetime | None = None, channel: Channel | None = None
    ) -> Message:
        """Record that the agent itself has proven that it has the message. `at` is when it did; None means now."""
        step = Step(status=Status.ACKNOWLEDGED, at=at or self._clock(), detail=detail, channel=channel)
        return await self._store.move(message_id, step)

    async def complete(
        self,
        message_id: MessageId,
        detail: str,
        *,
        at: datetime | None = None,
        channel: Channel | None = None,
        answer: Answer | None = None,
    ) -> Message:
        """Record that the turn in which the agent worked on the message has stopped, and the agent's answer. `at` is when it stopped;
        None means now."""
        step = Step(status=Status.COMPLETED, at=at or self._clock(), detail=detail, channel=channel, answer=answer)
        return await self._store.move(message_id, step)

    async def interrupt(
        self, message_id: MessageId, detail: str, *, at: datetime, answer: Answer | None = None
    ) -> Message:
        """Record that the turn in which the agent worked on the message was told to end at this time, and what it had said."""
        step = Step(status=Status.INTERRUPTED, at=at, detail=detail, answer=answer)
        return await self._store.move(message_id, step)

    async def fail(self, message_id: MessageId, detail: str) -> None:
        """Record that the agent, which had the message, will not complete it."""
        await self._store.move(message_id, Step(status=Status.FAILED, at=self._clock(), detail=detail))

    # the other ends

    async def expire(self, message: Message) -> bool:
        """End the message if its time-out has passed, unless its text may be in the box or with the agent. Return True if it has ended."""
        if not is_expired(message, self._clock()) or is_attempted(message):
            return False
        await self._store.move(message.id, Step(status=Status.EXPIRED, at=self._clock(), detail=TIMED_OUT))
        return True

    async def cancel(self, message_id: MessageId) -> Message:
        """End the message because somebody takes it back. It is too late for that if its text may be in the box or with the agent."""
        if is_attempted(await self._store.message(message_id)):
            raise HarkError(
                "transition-illegal",
                "the message is already on its way into the agent",
                "watch the agent with `hark attach`",
            )
        step = Step(status=Status.CANCELLED, at=self._clock(), detail="taken back")
        return await self._store.move(message_id, step)

    async def mark_uncertain(
        self, message: Message, detail: str, *, fence: int | None = None, had_draft: bool | None = None
    ) -> None:
        """End the message because nothing proves whether the agent has got it."""
        step = Step(status=Status.UNCERTAIN, at=self._clock(), detail=detail, had_draft=had_draft)
        await self._store.move(message.id, step, fence)

    async def give_up(self, message_id: MessageId, detail: str) -> None:
        """End a message that cannot be delivered. `lifecycle.given_up_status` says with which status."""
        status = given_up_status(await self._store.message(message_id))
        await self._store.move(message_id, Step(status=status, at=self._clock(), detail=detail))

    async def _stage(self, message: Message, step: Step, fence: int | None) -> Message:
        await self._end_hold(message, fence)
        return await self._store.move(message.id, step, fence)

    async def _end_hold(self, message: Message, fence: int | None) -> None:
        """Put a held message back into the queue, because the reason for its hold is over. A message that was not held needs no check
        here: the store checks whether it may go on when the next status is written."""
        if message.status is Status.HELD:
            message = await self._store.message(message.id)
        if message.status is Status.HELD:
            step = Step(status=Status.QUEUED, at=self._clock(), is_in_box=is_attempted(message))
            await self._store.move(message.id, step, fence)
