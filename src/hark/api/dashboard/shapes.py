"""The structs of the dashboard: rows of sessions, the snapshot, search, overview, alerts."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from hark.api.dashboard.access import Me
from hark.api.shapes.foundation import Request, Response
from hark.api.shapes.sessions import SessionInfo
from hark.model.message import HoldReason, Status
from hark.model.viewer import AlertChannel, AlertOutcome


class MessageNote(Response, frozen=True, kw_only=True):
    """A message that a human may have to look at."""

    id: str
    sender: str | None
    status: Status
    reason: HoldReason | None
    """Why the message is held; null if it is not held."""
    since: datetime
    """Since when the message has this status."""
    queued_at: datetime
    text: str
    """The first 200 characters of the message."""
    detail: str
    """Why the message did not arrive; empty if nobody has said."""


class SessionRow(SessionInfo, frozen=True, kw_only=True):
    """A session with all that the attention queue needs."""

    acked_seq: int = 0
    """The highest nudge_seq that the asking user has seen, on whatever device."""
    held: list[MessageNote]
    """The messages that are held now."""
    uncertain: list[MessageNote]
    """The messages of which nobody knows whether they arrived, and that nobody has dismissed."""
    dead: list[MessageNote]
    """The messages that did not arrive (dead, failed, expired), and that nobody has dismissed."""
    oldest_pending_at: datetime | None = None
    last_line: str = ""
    """The last line that the agent has printed, without control characters, at most 200 characters."""
    last_output_at: datetime | None = None


class Snapshot(Response, frozen=True, kw_only=True):
    """Everything that the dashboard shows first. Events up to `seq` are in it, and events after `seq` follow it."""

    seq: int
    at: datetime
    """The daemon's own time, for pages whose clock is wrong."""
    instance: str
    me: Me
    sessions: list[SessionRow]
    working: int
    """How many sessions work and need nobody."""
    away_after: int
    """The event up to which this user has read what happened while they were away."""


class Seen(Request, frozen=True, kw_only=True):
    subject: Annotated[str, Meta(min_length=1, max_length=120)]
    """The id of a session, `message:` and the id of a message, or `away`."""
    seq: Annotated[int, Meta(ge=0, le=2**53)]


class SeenInfo(Response, frozen=True, kw_only=True):
    subject: str
    seq: int


class NotificationReport(Request, frozen=True, kw_only=True):
    session_id: Annotated[str, Meta(max_length=120)]
    nudge_seq: Annotated[int, Meta(ge=0, le=2**53)]
    channel: AlertChannel
    outcome: AlertOutcome
    reason: Annotated[str, Meta(max_length=500)] = ""


class NotificationInfo(Response, frozen=True, kw_only=True):
    sequence: int
    at: datetime
    user: str
    browser_id: str | None
    session_id: str
    nudge_seq: int
    channel: AlertChannel
    outcome: AlertOutcome
    reason: str
    """Why the alert was suppressed or has failed; empty if it was shown."""


class NotificationList(Response, frozen=True, kw_only=True):
    notifications: list[NotificationInfo]


class SearchHit(Response, frozen=True, kw_only=True):
    kind: str
    """`message`, `answer` or `signal`."""
    at: datetime
    session_id: str
    session_name: str
    message_id: str | None
    text: str
    """The part of the text around the place where it was found, at most 300 characters."""


class SearchResults(Response, frozen=True, kw_only=True):
    hits: list[SearchHit]


class HourNumbers(Response, frozen=True, kw_only=True):
    """What happened in one hour."""

    hour: datetime
    """When the hour began."""
    queued: int
    delivered: int
    delivery_p50_s: float | None
    """The upper end of the bucket that holds the median of the times from queued to submitted; null if nothing was delivered."""
    delivery_p95_s: float | None
    turns: int
    """How many turns of agents began."""
    signals: dict[str, int]
    """The number of signals, by state."""
    holds: dict[str, int]
    """The number of holds that began, by reason."""
    failed: int
    """How many messages ended uncertain, dead, failed or expired."""


class OverviewNumbers(Response, frozen=True, kw_only=True):
    since: datetime
    hours: list[HourNumbers]
    """The hours, the oldest first, none missing; the last one is not over."""
    delivered: int
    delivery_p50_s: float | None
    delivery_p95_s: float | None
    hold_seconds: dict[str, float]
    """How long messages were held, by reason."""
    sessions: int
    working: int
    needing: int
    """How many sessions need a human."""


class AwayItem(Response, frozen=True, kw_only=True):
    """One thing that happened while the user was away, in words."""

    seq: int
    at: datetime
    kind: str
    """`signal`, `permission`, `started`, `gone`, `failed` or `completed`."""
    session_id: str
    session_name: str
    message_id: str | None
    text: str


class AwayFeed(Response, frozen=True, kw_only=True):
    after: int
    """The feed has what happened after this event."""
    seq: int
    """The newest event that the feed has taken in: acknowledge `away` with it."""
    items: list[AwayItem]
    counts: dict[str, int]
    """The number of items by kind, also of those that are cut off."""
    is_cut: bool


class LastLine(Response, frozen=True, kw_only=True):
    text: str
    at: datetime | None
