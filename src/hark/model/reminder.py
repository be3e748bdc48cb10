"""A reminder: a text that becomes a message to a session at a given time."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import ReminderId, SessionId


class ReminderKind(StrEnum):
    REMINDER = "reminder"
    """A reminder that somebody asked for."""
    FOLLOW_UP = "follow-up"
    """What a sender is told a while after the delivery of a message; `text` is that message's id."""


class Reminder(Struct, frozen=True, kw_only=True):
    id: ReminderId
    session_id: SessionId
    text: str
    created_at: datetime
    fire_at: datetime
    repeat: str | None = None
    """How it repeats: `every SECONDS`, `cron MINUTE HOUR DAY MONTH WEEKDAY`, or None for once."""
    fired_at: datetime | None = None
    cancelled_at: datetime | None = None
    kind: ReminderKind = ReminderKind.REMINDER
    sender_session_id: SessionId | None = None
    """The session that has asked for it."""
    sender_name: str | None = None
    """The name of whoever has asked for it, at that time."""
    is_elapsed: bool = False
    """It is due so much time after it was asked for, whatever the wall clock is set to meanwhile; otherwise it is due when the
    wall clock says so."""
    failures: int = 0
    """How often it could not be fired, one after the other."""
    failure: str | None = None
    """Why it could not be fired the last time."""
    set_aside_at: datetime | None = None
    """When it was given up: it stays on record with its failure, and is not tried again."""
