"""The outbox as the courier of one session sees it: turns what became of a whole payload into operations on each message in it, and
keeps the human's draft that is out of the box."""

from collections.abc import Sequence

from hark.daemon.outbox import TIMED_OUT, Outbox
from hark.daemon.process.clock import Clock
from hark.delivery.after_attempt import what_becomes
from hark.delivery.carriers.steps import Outcome, Submitted
from hark.delivery.gate import Hold
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import Carrier, Channel, Draft, HoldReason, Lease, Message, Status
from hark.queue.lifecycle import has_reached, is_attempted, is_expired
from hark.store.contract import Store


class Ledger:
    def __init__(self, session_id: SessionId, store: Store, outbox: Outbox, clock: Clock) -> None:
        self._session_id = session_id
        self._store = store
        self._outbox = outbox
        self._clock = clock
        self._may_have_draft = True
        self._draft: Draft | None = None
        """The draft that is out of the box, as the store has it; None if no draft is out."""

    async def draft(self) -> Draft | None:
        """Return the human's draft that is not back in the box yet; None if there is none. Nobody else takes drafts out of this box, so
        the store is asked only if one may be out."""
        found = await self._store.draft(self._session_id) if self._may_have_draft else None
        self._may_have_draft = found is not None
        self._draft = found
        return found

    async def begin(self, messages: Sequence[Message], lease: Lease) -> None:
        """Mark the messages of one payload as being typed from now on. The payload is named after its first message."""
        batch_id = str(messages[0].id) if len(messages) > 1 else None
        for message in messages:
            await self._outbox.begin(message, lease.fence, batch_id)

    async def stage(
        self, messages: Sequence[Message], lease: Lease, carrier: Carrier, had_draft: bool | None = None
    ) -> tuple[Message, ...]:
        return tuple([await self._stage_one(message, lease, carrier, had_draft) for message in messages])

    async def _stage_one(self, message: Message, lease: Lease, carrier: Carrier, had_draft: bool | None) -> Message:
        if message.status is not Status.QUEUED:
            message = await self._store.message(message.id)
        if is_expired(message, self._clock()):
            raise HarkError("transition-illegal", TIMED_OUT)
        if message.status is Status.STAGED:
            return message
        return await self._outbox.stage_in_box(message, lease.fence, carrier, had_draft)

    async def is_taken(self, message: Message) -> bool:
        """Return True if the agent itself has said that it took the message."""
        return (await self._store.message(message.id)).status in (Status.ACKNOWLEDGED, Status.COMPLETED)

    async def note_interrupt(self, message: Message, lease: Lease, by: Channel = Channel.TERMINAL) -> None:
        """Record, before the key is pressed, that the running turn will be told to end. A message tells a turn to end only once."""
        message = await self._store.message(message.id)
        if is_expired(message, self._clock()):
            raise HarkError("transition-illegal", TIMED_OUT)
        if message.interrupted_at is None:
            await self._outbox.note_interrupt(message, lease.fence, by)

    async def withdraw_interrupt(self, message: Message, hold: Hold) -> None:
        """Take back the record of an interrupt whose key was never pressed."""
        current = await self._store.message(message.id)
        if current.interrupted_at is not None and current.status is Status.HELD:
            await self._outbox.withdraw_interrupt(current, hold)

    async def requeue(self, messages: Sequence[Message], detail: str) -> tuple[Message, ...]:
        """Put messages back into the queue. None of their text is in the box any more, and nothing was submitted."""
        queued = []
        for message in messages:
            current = await self._store.message(message.id)
            if current.status is Status.QUEUED:
                await self._outbox.hold(current, Hold(HoldReason.CALLED_OFF, detail, is_refused=True), is_in_box=False)
            if current.status in (Status.QUEUED, Status.STAGED, Status.HELD):
                current = await self._outbox.queue(current.id, detail)
            queued.append(current)
        return tuple(queued)

    async def finish(self, message: Message, sibling: Message) -> None:
        """Record a message as submitted, because `sibling`, another message of the same payload, was submitted. The payload was in the box
        or with the agent's API, also if that was not recorded for this message."""
        if message.status is not Status.STAGED:
            await self._outbox.stage_in_box(message, None, None)
        detail = f"it was in one payload with {sibling.id}"
        await self._outbox.submit(message, None, channel=sibling.channel, detail=detail)

    async def take_back(self, message_id: MessageId) -> None:
        await self._outbox.take_back(message_id)

    async def save_draft(self, message: Message, text: str, carrier: Carrier) -> None:
        """Store the draft that is taken out of the box. A carrier that reads the draft more exactly stores it a second time; that is the
        same draft, and makes no second event."""
        draft = Draft(
            session_id=self._session_id,
            message_id=message.id,
            text=text,
            cursor=len(text),
            taken_at=self._clock(),
            carrier=carrier,
        )
        event = None if self._draft else self._draft_event(EventKind.DRAFT_TAKEN, draft)
        self._may_have_draft = True
        await self._store.save_draft(draft, event)
        self._draft = draft

    async def drop_draft(self) -> None:
        """Delete the stored draft, because the draft is verified to be back in the box."""
        event = self._draft_event(EventKind.DRAFT_RETURNED, self._draft) if self._draft else None
        await self._store.delete_draft(self._session_id, event)
        self._draft = None

    def _draft_event(self, kind: EventKind, draft: Draft) -> Event:
        """Return the event of a draft. The text is the human's own, so the event and the log have only its size."""
        data = {"carrier": str(draft.carrier), "characters": len(draft.text), "rows": draft.text.count("\n") + 1}
        return Event(at=self._clock(), kind=kind, session_id=self._session_id, message_id=draft.message_id, data=data)

    async def record(
        self,
        messages: Sequence[Message],
        outcome: Outcome,
        lease: Lease,
        carrier: Carrier | None,
        had_draft: bool | None = None,
    ) -> Hold | None:
        """Record the outcome of a payload for each message in it. Return None if the messages are no longer in the way, else why they
        are held. A payload without a carrier went by the agent's own API."""
        holds = [await self._record_one(message, outcome, lease, carrier, had_draft) for message in messages]
        return holds[0]

    async def _record_one(
        self, message: Message, outcome: Outcome, lease: Lease, carrier: Carrier | None, had_draft: bool | None
    ) -> Hold | None:
        is_known = isinstance(outcome, Submitted) and message.status is Status.STAGED
        try:
            current = message if is_known else await self._store.message(message.id)
            return await self._record_once(current, outcome, lease, carrier, had_draft)
        except HarkError as failure:
            # The agent's own word (its hook) may be faster than our look at its screen, and is stronger.
            if failure.code != "transition-illegal":
                raise
            if not has_reached((await self._store.message(message.id)).status, Status.SUBMITTED):
                raise
            return None

    async def stage_native(self, messages: Sequence[Message], lease: Lease) -> tuple[Message, ...]:
        """Stage the messages of one payload before they are handed to the agent's API."""
        batch_id = str(messages[0].id) if len(messages) > 1 else None
        return tuple([await self._outbox.stage_with_api(message, lease.fence, batch_id) for message in messages])

    async def _record_once(
        self, message: Message, outcome: Outcome, lease: Lease, carrier: Carrier | None, had_draft: bool | None
    ) -> Hold | None:
        becomes = what_becomes(outcome)
        if becomes.status is Status.SUBMITTED:
            if message.status is not Status.STAGED:
                await self._outbox.stage_in_box(message, lease.fence, carrier, had_draft, outcome.detail)
            await self._outbox.submit(
                message,
                lease.fence,
                channel=Channel.TERMINAL if carrier else Channel.NATIVE,
                carrier=carrier,
                had_draft=had_draft,
                detail=outcome.detail,
            )
        elif becomes.hold is None:
            await self._outbox.mark_uncertain(message, outcome.detail, fence=lease.fence, had_draft=had_draft)
        else:
            await self.hold(message, becomes.hold, is_in_box=becomes.is_in_box)
        return becomes.hold

    async def hold(self, message: Message, hold: Hold, *, is_in_box: bool) -> None:
        """Record why the message is held, if the reason is new. A message whose text may be in the box stays marked as such."""
        if message.status is Status.STAGED and hold.reason is HoldReason.SESSION_GONE:
            await self.mark_uncertain(message, "the session ended while it was on its way in")
            return
        if message.status is Status.STAGED and is_in_box and hold.reason is not HoldReason.DRAFT:
            return
        is_known = message.status is Status.HELD and message.hold_reason is hold.reason
        if is_known and is_attempted(message) is is_in_box:
            return
        await self._outbox.hold(message, hold, is_in_box=is_in_box)

    async def expire(self, message: Message) -> bool:
        return await self._outbox.expire(message)

    async def mark_uncertain(self, message: Message, detail: str) -> None:
        await self._outbox.mark_uncertain(message, detail)

    async def give_up(self, message: Message, detail: str) -> None:
        await self._outbox.give_up(message.id, detail)
