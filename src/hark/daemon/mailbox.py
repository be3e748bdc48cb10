"""The face of the queue for the API: sends messages, and cancels, retries and follows those that were sent."""

import asyncio
import secrets
from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct

from hark.daemon.core import Core
from hark.daemon.loops import MOST_HELD, Loops, check_room
from hark.daemon.session.couriers import Couriers
from hark.delivery.wording import check_raw, check_text
from hark.model.errors import HarkError
from hark.model.ids import MESSAGE_ID_LENGTH, MessageId
from hark.model.message import HoldReason, Message, Mode, Notify, Status
from hark.model.session import Session
from hark.model.text.names import check_sender
from hark.queue.lifecycle import ENDS, has_reached, is_stranded
from hark.queue.ordering import kept_back
from hark.queue.threads import hops_of_reply, receiver_of_reply
from hark.store.contract import Enqueued

URGENT_WITHIN_S = 5.0
"""How many seconds a sender waits to hear whether an urgent message has gone through."""
LATEST = 100
"""How many of the newest messages to a gone session are searched for one that is sent again."""


class NewMessage(Struct, frozen=True, kw_only=True):
    """What a sender asks for."""

    text: str
    sender: str | None = None
    """The id or name of the session that sends the message; None if no session does."""
    sender_name: str | None = None
    """The name that a sender who is no session gives itself."""
    own_name: str | None = None
    """The name under which hark itself sends the message; None if somebody else sends it."""
    mode: Mode = Mode.SEQUENTIAL
    timeout_s: float | None = None
    idempotency_key: str | None = None
    is_inbox: bool = False
    is_raw: bool = False
    is_as_user: bool = False
    is_alone: bool = False
    """True for a question, which goes in a payload of its own."""
    notify: Notify = Notify()
    in_reply_to: Message | None = None
    keep_if_gone: bool = False
    """True to let the message wait for a session that is gone, instead of refusing it."""

    @property
    def hops(self) -> int:
        """How many replies lead from the first message of the thread to this one."""
        return hops_of_reply(self.in_reply_to) if self.in_reply_to else 0


class Mailbox:
    def __init__(self, core: Core, couriers: Couriers, loops: Loops) -> None:
        self._store = core.store
        self._outbox = core.outbox
        self._sessions = core.sessions
        self._couriers = couriers
        self._bus = core.bus
        self._config = core.config
        self._clock = core.clock
        self._loops = loops

    async def send(self, session: Session, new: NewMessage) -> Enqueued:
        """Queue a message to the session, which must run unless `keep_if_gone` lets the message wait for it. A message that looks like a
        part of a loop between agents is held until a human releases it."""
        from_session = self.check(new)
        if not new.keep_if_gone:
            await self._check_there(session, new.idempotency_key)
        loop = await self._loops.admit(from_session, session, new.hops) if from_session else None
        if loop and from_session:
            await self._check_loop(from_session, session, loop, is_inbox=new.is_inbox)
        return await self._outbox.add(self._message(session, new, from_session), loop)

    def _message(self, session: Session, new: NewMessage, from_session: Session | None) -> Message:
        now, notify = self._clock(), new.notify
        timeout_s = new.timeout_s or self._config.default_timeout or None
        given_name = new.sender_name and check_sender(new.sender_name)
        return Message(
            id=MessageId(secrets.token_hex(MESSAGE_ID_LENGTH // 2)),
            session_id=session.id,
            sender_session_id=from_session.id if from_session else None,
            sender_name=new.own_name or (from_session.name if from_session else given_name),
            text=new.text,
            mode=new.mode,
            queued_at=now,
            timeout_at=now + timedelta(seconds=timeout_s) if timeout_s else None,
            idempotency_key=new.idempotency_key,
            is_inbox=new.is_inbox,
            is_raw=new.is_raw,
            is_as_user=new.is_as_user,
            is_alone=new.is_alone,
            notify_on_delivery=notify.on_delivery,
            notify_after_s=notify.after_s,
            notify_on_stop=notify.on_stop,
            notify_on_failure=notify.on_failure if notify.on_failure is not None else from_session is not None,
            in_reply_to=new.in_reply_to.id if new.in_reply_to else None,
            thread_id=new.in_reply_to.thread if new.in_reply_to else None,
            hops=new.hops,
        )

    async def _check_loop(self, sender: Session, receiver: Session, loop: str, *, is_inbox: bool) -> None:
        """Raise `loop-limit` if a message that looks like a part of a loop cannot be held: too many are, or nobody types it anyway."""
        pending = await self._store.pending(receiver.id)
        held = [message for message in pending if message.is_kept_back and message.sender_session_id == sender.id]
        check_room(MOST_HELD if is_inbox else len(held), loop)

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

    def check(self, new: NewMessage) -> Session | None:
        """Raise the HarkError with which the message would be refused, before anything is done for it. Return the session that sends
        it; None if no session does."""
        check_text(new.text, self._config.max_text_bytes)
        if new.is_raw:
            check_raw(new.text)
        from_session = self._sessions.named(new.sender) if new.sender else None
        if new.sender_name:
            check_sender(new.sender_name)
        if new.notify.is_wanted and from_session is None:
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

    async def release(self, wanted: str) -> Message:
        """Let a message go that was held because it looked like a part of a loop between agents."""
        message = await self.find(wanted)
        if not message.is_kept_back:
            raise HarkError(
                "transition-illegal",
                f"message {message.id} is not held as a part of a loop",
                "`hark release NAME` ends a hold of all messages to a session",
            )
        async with self._couriers.of(message.session_id).lock:
            return await self._outbox.release(message.id)

    async def release_all(self, session: Session) -> None:
        """Let all messages to the session go that were held because they looked like a part of a loop."""
        for message in kept_back(await self._store.pending(session.id)):
            await self.release(message.id)

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
