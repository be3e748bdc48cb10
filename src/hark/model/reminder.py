"""A reminder is a text that becomes a message to a session at a given time."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import ReminderId, SessionId


class ReminderKind(StrEnum):
    REMINDER = "reminder"
    """A reminder that somebody asked for."""
    FOLLOW_UP = "follow-up"
    """A notice that the sender gets some time after the delivery of a message; `text` is that message's id."""


class Reminder(Struct, frozen=True, kw_only=True):
    id: ReminderId
    session_id: SessionId
    text: str
    created_at: datetime
    fire_at: datetime
    repeat: str | None = None
    """How the reminder repeats: `every SECONDS`, `cron MINUTE HOUR DAY MONTH WEEKDAY`, or None for once."""
    fired_at: datetime | None = None
    cancelled_at: datetime | None = None
    kind: ReminderKind = ReminderKind.REMINDER
    sender_session_id: SessionId | None = None
    """The session that has asked for the reminder."""
    sender_name: str | None = None
    """The name that whoever asked for the reminder had at that time."""
    is_elapsed: bool = False
    """True if the reminder is due a given time after somebody asked for it, even if the wall clock is set meanwhile; False if the
    reminder is due when the wall clock shows `fire_at`."""
    failures: int = 0
    """How often in a row the reminder could not be fired."""
    failure: str | None = None
    """Why the reminder could not be fired the last time."""
    set_aside_at: datetime | None = None
    """When hark gave the reminder up: it stays on record with its failure, and hark does not try it again."""
