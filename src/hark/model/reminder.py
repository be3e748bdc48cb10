"""A reminder: a text that becomes a message to a session at a given time."""

from datetime import datetime

from msgspec import Struct

from hark.model.ids import ReminderId, SessionId


class Reminder(Struct, frozen=True, kw_only=True):
    id: ReminderId
    session_id: SessionId
    text: str
    created_at: datetime
    fire_at: datetime
    repeat: str | None = None
    """How it repeats (an interval or a cron line), or None for once."""
    fired_at: datetime | None = None
    cancelled_at: datetime | None = None
