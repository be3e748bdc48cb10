"""A message, its status, and the receipts that tell its story."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import MessageId, SessionId


class Status(StrEnum):
    QUEUED = "queued"
    """The message waits for its turn."""
    HELD = "held"
    """May not be delivered now, for the reason that stands beside it."""
    STAGED = "staged"
    """Our text is in the input box, verified; Enter has not been pressed."""
    SUBMITTED = "submitted"
    """Enter was pressed and the box let go of the text; or the agent fetched it from its inbox."""
    ACKNOWLEDGED = "acknowledged"
    """The agent itself proved that it took the message: it named its id."""
    COMPLETED = "completed"
    """The turn that worked on it has stopped."""
    EXPIRED = "expired"
    """Its time-out passed before it was typed."""
    CANCELLED = "cancelled"
    """Somebody has taken the message back before it was typed."""
    UNCERTAIN = "uncertain"
    """It cannot be proven whether the agent got it; never repeated by itself."""
    DEAD = "dead"
    """The agent has refused the message too often, and it is given up."""


class Mode(StrEnum):
    SEQUENTIAL = "sequential"
    IMPORTANT = "important"
    URGENT = "urgent"


class HoldReason(StrEnum):
    """Why a message waits, in the order in which the gate asks."""

    SESSION_GONE = "session-gone"
    AGENT_NOT_RUNNING = "agent-not-running"
    DO_NOT_DISTURB = "do-not-disturb"
    COPY_MODE = "copy-mode"
    HUMAN_TYPING = "human-typing"
    DIALOG = "dialog"
    DRAFT = "draft"
    BUSY = "busy"


class Channel(StrEnum):
    NATIVE = "native"
    HOOK = "hook"
    TERMINAL = "terminal"
    INBOX = "inbox"
    """The agent fetches the message from its inbox: nothing is typed."""


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
    """What a sender wants to be told about a message."""

    on_delivery: bool = False
    after_s: float | None = None
    on_stop: bool = False
    on_failure: bool | None = None
    """Tell the sender about a failure; None means: if the sender is a session."""

    @property
    def is_wanted(self) -> bool:
        return self.on_delivery or self.after_s is not None or self.on_stop or self.on_failure is True


class Message(Struct, frozen=True, kw_only=True):
    id: MessageId
    session_id: SessionId
    """The session that shall receive it (seed name: target_session_id)."""
    sender_session_id: SessionId | None = None
    sender_name: str | None = None
    text: str
    mode: Mode = Mode.SEQUENTIAL
    status: Status = Status.QUEUED
    hold_reason: HoldReason | None = None
    held_since: datetime | None = None
    """Since when it has been held for this very reason."""
    sequence: int = 0
    """Place in the order of arrival; given by the store."""
    queued_at: datetime
    timeout_at: datetime | None = None
    staged_at: datetime | None = None
    delivered_at: datetime | None = None
    """When it was submitted; the seeds' word for it is delivered."""
    acknowledged_at: datetime | None = None
    completed_at: datetime | None = None
    ended_at: datetime | None = None
    """When it expired, was cancelled or was given up."""
    attempts: int = 0
    """How often its text was put into the box."""
    attempted_at: datetime | None = None
    """Since when its text may be in the box; None when it is known not to be there."""
    interrupted_at: datetime | None = None
    """When a running turn was told to end for its sake; at most once."""
    channel: Channel | None = None
    carrier: Carrier | None = None
    authority: Authority | None = None
    """The authority with which the agent has received the message."""
    is_as_user: bool = False
    """The sender wants it to have a user's authority: other ways are not taken."""
    is_inbox: bool = False
    """It is never typed: it waits until the session's agent asks for it."""
    is_raw: bool = False
    batch_id: str | None = None
    idempotency_key: str | None = None
    notify_on_delivery: bool = False
    notify_after_s: float | None = None
    notify_on_stop: bool = False
    notify_on_failure: bool = False


class Receipt(Struct, frozen=True, kw_only=True):
    """One recorded fact about a message."""

    message_id: MessageId
    previous: Status | None
    """None for the first: it was queued."""
    status: Status
    at: datetime
    reason: HoldReason | None = None
    detail: str = ""
    channel: Channel | None = None
    carrier: Carrier | None = None
    authority: Authority | None = None
    had_draft: bool | None = None
    """True if a human's draft was carried out of the box for this message, False if the box was empty, None if that is not
    known or there was no box in between."""


class Lease(Struct, frozen=True, kw_only=True):
    """The right to deliver to one session. Every grant has a higher fence; a write with an old fence is refused."""

    session_id: SessionId
    owner: str
    fence: int
    expires_at: datetime


class Draft(Struct, frozen=True, kw_only=True):
    """What a human had typed, stored before the first destructive key and deleted once it is verified back in the box."""

    session_id: SessionId
    message_id: MessageId
    text: str
    cursor: int
    taken_at: datetime
    carrier: Carrier = Carrier.EDITOR
    """How it was taken, and so how it goes back."""
