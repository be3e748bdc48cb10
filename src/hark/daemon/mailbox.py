"""The face of the queue for the API: sends messages, and cancels, retries and follows those that were sent."""

import asyncio
import secrets
from collections.abc import Callable
from datetime import timedelta

from hark.daemon.bus import Bus
from hark.daemon.loops import Loops
from hark.daemon.outbox import Outbox
from hark.daemon.process.clock import Clock
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.couriers import Couriers
from hark.delivery.wording import check_raw, check_text
from hark.model.config import Config
from hark.model.errors import HarkError
from hark.model.ids import MESSAGE_ID_LENGTH, MessageId
from hark.model.message import HoldReason, Message, Mode, Notify, Status
from hark.model.names import check_sender
from hark.model.session import Session
from hark.queue.lifecycle import ENDS, has_reached, is_stranded
from hark.queue.threads import hops_of_reply, receiver_of_reply
from hark.store.contract import Enqueued, Store

URGENT_WITHIN_S = 5.0
"""How many seconds a sender waits to hear whether an urgent message has gone through."""
LATEST = 100
"""Among how many messages to a gone session to look for one that is sent again."""
NOBODY = Notify()


class Mailbox:
    def __init__(
        self,
        store: Store,
        outbox: Outbox,
        sessions: Sessions,
        couriers: Couriers,
        bus: Bus,
        config: Config,
        clock: Clock,
        loops: Loops,
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._sessions = sessions
        self._couriers = couriers
        self._bus = bus
        self._config = config
        self._clock = clock
        self._loops = loops

    async def send(
        self,
        session: Session,
        text: str,
        *,
        sender: str | None,
        sender_name: str | None,
        own_name: str | None = None,
        mode: Mode,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
        is_inbox: bool = False,
        is_raw: bool = False,
        is_as_user: bool = False,
        notify: Notify = NOBODY,
        in_reply_to: Message | None = None,
        keep_if_gone: bool = False,
    ) -> Enqueued:
        """Queue a message. A message to a session that is gone is refused, unless `keep_if_gone` lets it wait there. `own_name` is the sender's name of what hark itself sends; the name that a caller gives itself is checked."""
        from_session = self.check(text, sender=sender, sender_name=sender_name, is_raw=is_raw, notify=notify)
        if not keep_if_gone:
            await self._check_there(session, idempotency_key)
        if from_session:
            await self._loops.admit(from_session, session, hops_of_reply(in_reply_to) if in_reply_to else 0)
        now = self._clock()
        timeout_s = timeout_s or self._config.default_timeout or None
        message = Message(
            id=MessageId(secrets.token_hex(MESSAGE_ID_LENGTH // 2)),
            session_id=session.id,
            sender_session_id=from_session.id if from_session else None,
            sender_name=own_name or (from_session.name if from_session else sender_name and check_sender(sender_name)),
            text=text,
            mode=mode,
            queued_at=now,
            timeout_at=now + timedelta(seconds=timeout_s) if timeout_s else None,
            idempotency_key=idempotency_key,
            is_inbox=is_inbox,
            is_raw=is_raw,
            is_as_user=is_as_user,
            notify_on_delivery=notify.on_delivery,
            notify_after_s=notify.after_s,
            notify_on_stop=notify.on_stop,
            notify_on_failure=notify.on_failure if notify.on_failure is not None else from_session is not None,
            in_reply_to=in_reply_to.id if in_reply_to else None,
            thread_id=in_reply_to.thread if in_reply_to else None,
            hops=hops_of_reply(in_reply_to) if in_reply_to else 0,
        )
        return await self._outbox.add(message)

    async def _check_there(self, session: Session, key: str | None) -> None:
        """Raise `session-gone` if the session is gone, unless the message was accepted before, under the same key."""
        if self._sessions.is_running(session.id):
            return
        latest = await self._store.messages(session.id, LATEST) if key else ()
        if not any(message.idempotency_key == key for message in latest):
            raise HarkError(
                "session-gone",
                f"{session.name} is gone: nobody would read the message",
                f"`hark restart {session.name}` starts it again; `hark send --queue` keeps the message until then",
            )

    def receiver_of_reply(self, message: Message, sender: str | None) -> Session:
        """Return the session that gets the reply of `sender` to the message; `sender` is None if no session replies."""
        replier = self._sessions.named(sender) if sender else None
        return self._sessions.get(receiver_of_reply(message, replier.id if replier else None))

    def check(
        self,
        text: str,
        *,
        sender: str | None,
        sender_name: str | None,
        is_raw: bool = False,
        notify: Notify = NOBODY,
    ) -> Session | None:
        """Raise the HarkError with which such a message would be refused, before anything is done for it. Return the session that sends
        it; None if no session does."""
        check_text(text, self._config.max_text_bytes)
        if is_raw:
            check_raw(text)
        from_session = self._sessions.named(sender) if sender else None
        if sender_name:
            check_sender(sender_name)
        if notify.is_wanted and from_session is None:
            raise HarkError(
                "request-invalid",
                "only a session can be notified, and the sender is not a session",
                "name a session with --from NAME, or wait for the message with `hark send --wait`",
            )
        return from_session

    async def settle_urgent(self, sent: Enqueued) -> Message:
        """Wait a moment for an urgent message to go through, and return it as it is then. If another message that cannot go on is before
        it, do not wait."""
        first = await self._store.first_pending(sent.message.session_id)
        if first and first.id != sent.message.id and _is_settled(first):
            return sent.message
        return await self._follow(sent.message.id, _is_settled, URGENT_WITHIN_S)

    async def find(self, wanted: str) -> Message:
        """Find a message by its id, or by a prefix that only one id has."""
        ids = await self._store.find_messages(wanted) if wanted else []
        if wanted in ids or len(ids) == 1:
            return await self._store.message(MessageId(wanted) if wanted in ids else ids[0])
        if ids:
            raise HarkError(
                "message-ambiguous", f"{wanted!r} fits {len(ids)} messages: {', '.join(ids)}", "type more of the id"
            )
        raise HarkError(
            "message-not-found", f"no message {wanted!r}", "`hark queue NAME` shows what waits for a session"
        )

    async def cancel(self, wanted: str) -> Message:
        """Cancel a message that is not typed yet. If an attempt is under way, wait for its end, after which it may be too late."""
        message = await self.find(wanted)
        async with self._couriers.of(message.session_id).lock:
            return await self._outbox.cancel(message.id)

    async def retry(self, wanted: str) -> Message:
        """Put a message back into the queue because somebody asks for that. The message must be dead or uncertain."""
        message = await self.find(wanted)
        if message.status not in (Status.DEAD, Status.UNCERTAIN):
            raise HarkError(
                "transition-illegal",
                f"a message that is {message.status} cannot be tried again",
                "only a dead or uncertain message can; send a new one",
            )
        async with self._couriers.of(message.session_id).lock:
            return await self._outbox.retry(message.id)

    async def wait(self, message_id: MessageId, goal: Status, within_s: float) -> Message:
        """Wait until the message has reached the goal or has ended otherwise. A daemon that stops ends the wait early."""
        message = await self._follow(message_id, lambda message: is_decided(message, goal), within_s)
        if not is_decided(message, goal):
            raise HarkError(
                "wait-timeout",
                f"the message is {message.status}, not {goal}, after {within_s:g} s",
                "ask again, or look at `hark show`",
            )
        return message

    async def _follow(self, message_id: MessageId, is_enough: Callable[[Message], bool], within_s: float) -> Message:
        """Return the message as soon as `is_enough` says so, or as it is when `within_s` seconds are over."""
        after = await self._store.last_event_seq()
        message = await self._store.message(message_id)
        try:
            async with asyncio.timeout(within_s):
                if not is_enough(message):
                    async for event in self._bus.follow(after):
                        if event.message_id != message_id:
                            continue
                        message = await self._store.message(message_id)
                        if is_enough(message):
                            break
        except TimeoutError:
            pass
        return message


def _is_settled(message: Message) -> bool:
    """Return True if the message is delivered or has ended, or if it waits for something that no interrupt can end."""
    is_stopped = message.hold_reason is not None and message.hold_reason not in _SHORT
    return is_stopped or is_decided(message, Status.SUBMITTED)


_SHORT = frozenset(
    {HoldReason.HUMAN_TYPING, HoldReason.BUSY, HoldReason.UNREACHABLE, HoldReason.CALLED_OFF, HoldReason.INTERNAL}
)
"""The hold reasons that may be over in a moment: an interrupt ends the turn, or the next attempt succeeds."""


def is_decided(message: Message, goal: Status) -> bool:
    """Return True if the message has reached the goal or will not reach it any more."""
    return has_reached(message.status, goal) or message.status in ENDS or is_stranded(message)
