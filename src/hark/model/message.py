"""A message, its status, and the receipts that record what happened to it."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import MessageId, SessionId


class Status(StrEnum):
    QUEUED = "queued"
    """The message waits for its turn."""
    HELD = "held"
    """The message may not be delivered now, for the reason in its `hold_reason`."""
    STAGED = "staged"
    """Hark has verified that the message's text is in the input box; Enter has not been pressed."""
    SUBMITTED = "submitted"
    """Enter was pressed and the text left the box; or the agent fetched the message from its inbox."""
    ACKNOWLEDGED = "acknowledged"
    """The agent itself proved that it took the message, by naming the message's id."""
    COMPLETED = "completed"
    """The turn in which the agent worked on the message has stopped."""
    INTERRUPTED = "interrupted"
    """The turn in which the agent worked on the message was told to end before the agent had finished."""
    FAILED = "failed"
    """The agent ended before it had completed the message."""
    EXPIRED = "expired"
    """The message's time-out passed before the message was typed."""
    CANCELLED = "cancelled"
    """Somebody has taken the message back before it was typed."""
    UNCERTAIN = "uncertain"
    """Hark cannot prove whether the agent got the message, and never sends the message again by itself."""
    DEAD = "dead"
    """The agent has refused the message too often, and hark has given the message up."""


class Mode(StrEnum):
    SEQUENTIAL = "sequential"
    IMPORTANT = "important"
    URGENT = "urgent"


class HoldReason(StrEnum):
    """Why a message waits, in the order in which the gate asks; the last three are found out by a delivery, and `loop` when the message
    is sent."""

    SESSION_GONE = "session-gone"
    AGENT_NOT_RUNNING = "agent-not-running"
    DO_NOT_DISTURB = "do-not-disturb"
    COPY_MODE = "copy-mode"
    HUMAN_TYPING = "human-typing"
    DIALOG = "dialog"
    DRAFT = "draft"
    BUSY = "busy"
    """The agent is at work, or does not read its keys."""
    UNREACHABLE = "unreachable"
    """The agent's own API, its airlock or its tmux server does not answer."""
    CALLED_OFF = "called-off"
    """Hark has taken the delivery back before Enter, or another daemon delivers to the session. Hark tries again by itself."""
    LOOP = "loop"
    """The message looks like a part of a loop between agents, and a human has to release it."""
    INTERNAL = "internal"
    """Something failed that no other reason foresees. The detail of the hold names the line of the log that says more."""


class Channel(StrEnum):
    NATIVE = "native"
    HOOK = "hook"
    TERMINAL = "terminal"
    INBOX = "inbox"
    """The agent fetches the message from its inbox, and hark types nothing."""


class Authority(StrEnum):
    """The authority with which an agent receives a message: as a user's prompt or as a notice."""

    USER = "user"
    """The agent receives the message as a prompt, as if its user had typed it."""
    NOTICE = "notice"
    """The agent receives the message as a notice beside a prompt."""


class Carrier(StrEnum):
    NONE = "none"
    EDITOR = "editor"
    STASH = "stash"
    SENTINEL = "sentinel"
    INTERRUPT = "interrupt"


class Notify(Struct, frozen=True, kw_only=True):
    """What hark shall tell the sender about a message."""

    on_delivery: bool = False
    after_s: float | None = None
    on_stop: bool = False
    on_failure: bool | None = None
    """True if hark shall tell the sender about a failure; None tells the sender if the sender is a session."""

    @property
    def is_wanted(self) -> bool:
        return self.on_delivery or self.after_s is not None or self.on_stop or self.on_failure is True


class Message(Struct, frozen=True, kw_only=True):
    id: MessageId
    session_id: SessionId
    """The session that shall receive the message (seed name: target_session_id)."""
    sender_session_id: SessionId | None = None
    sender_name: str | None = None
    text: str
    mode: Mode = Mode.SEQUENTIAL
    status: Status = Status.QUEUED
    hold_reason: HoldReason | None = None
    held_since: datetime | None = None
    """Since when the message has been held for the reason that it has now."""
    sequence: int = 0
    """The message's place in the order of arrival, which the store assigns."""
    queued_at: datetime
    timeout_at: datetime | None = None
    staged_at: datetime | None = None
    delivered_at: datetime | None = None
    """When the message was submitted; the seeds call this delivered."""
    acknowledged_at: datetime | None = None
    completed_at: datetime | None = None
    ended_at: datetime | None = None
    """When the message reached an end: completed, interrupted, failed, expired, cancelled, uncertain or dead."""
    attempts: int = 0
    """How often hark put the message's text into the box."""
    attempted_at: datetime | None = None
    """Since when the message's text may be in the box; None if the text is known not to be there."""
    interrupted_at: datetime | None = None
    """When hark told a running turn to end for this message; that happens at most once."""
    channel: Channel | None = None
    carrier: Carrier | None = None
    authority: Authority | None = None
    """The authority with which the agent has received the message."""
    is_as_user: bool = False
    """True if the sender wants the message to have a user's authority: hark then uses no way that gives it less."""
    is_inbox: bool = False
    """True if hark never types the message: it waits until the session's agent asks for it."""
    is_raw: bool = False
    is_alone: bool = False
    """True if the message is a question: it goes in a payload of its own, as a turn of its own, so that its answer is its own."""
    is_kept_back: bool = False
    """True if the message is held until a human releases it; it keeps no other message waiting."""
    batch_id: str | None = None
    idempotency_key: str | None = None
    notify_on_delivery: bool = False
    notify_after_s: float | None = None
    notify_on_stop: bool = False
    notify_on_failure: bool = False
    in_reply_to: MessageId | None = None
    """The message that this message replies to; None if it replies to no message."""
    thread_id: MessageId | None = None
    """The first message of the thread; None if this message is the first one, or the only one."""
    hops: int = 0
    """How many replies lead from the first message of the thread to this one: 0 for the first message."""

    @property
    def thread(self) -> MessageId:
        """The id of the thread, which is the id of its first message."""
        return self.thread_id or self.id


class Receipt(Struct, frozen=True, kw_only=True):
    """One recorded fact about a message."""

    message_id: MessageId
    previous: Status | None
    """The status of the message before this receipt; None for the first receipt, by which the message is queued."""
    status: Status
    at: datetime
    reason: HoldReason | None = None
    detail: str = ""
    channel: Channel | None = None
    carrier: Carrier | None = None
    authority: Authority | None = None
    had_draft: bool | None = None
    """True if hark carried a human's draft out of the box for this message, False if the box was empty, None if that is not
    known or the message did not go through the box."""


class Lease(Struct, frozen=True, kw_only=True):
    """The right to deliver to one session. Every grant has a higher fence; a write with an old fence is refused."""

    session_id: SessionId
    owner: str
    fence: int
    expires_at: datetime


class Draft(Struct, frozen=True, kw_only=True):
    """What a human had typed. Hark stores the draft before the first destructive key, and deletes it once it has verified that the
    draft is back in the box."""

    session_id: SessionId
    message_id: MessageId
    text: str
    cursor: int
    taken_at: datetime
    carrier: Carrier = Carrier.EDITOR
    """The carrier that took the draft out of the box, and that puts it back."""
