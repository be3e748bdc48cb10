"""Who looks at the dashboard: browsers that were let in, what their users have seen, and what became of alerts."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Browser(Struct, frozen=True, kw_only=True):
    """A browser that has exchanged a one-time address for a cookie."""

    id: str
    user: str
    """The person whose acknowledgements the browser sets."""
    digest: str
    """The SHA-256 of the cookie's secret, in hexadecimal digits. The secret itself is stored nowhere."""
    is_read_only: bool
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


class AlertChannel(StrEnum):
    """The way in which a browser alerts its user."""

    SOUND = "sound"
    DESKTOP = "desktop"
    PUSH = "push"
    TITLE = "title"


class AlertOutcome(StrEnum):
    SHOWN = "shown"
    SUPPRESSED = "suppressed"
    FAILED = "failed"


class Notification(Struct, frozen=True, kw_only=True):
    """What became of one alert in one browser, as the browser has reported it."""

    sequence: int = 0
    """The number that the store gives to the report."""
    at: datetime
    user: str
    browser_id: str | None
    session_id: str
    nudge_seq: int
    channel: AlertChannel
    outcome: AlertOutcome
    reason: str
    """Why the alert was suppressed or has failed; empty if it was shown."""


class Hit(Struct, frozen=True, kw_only=True):
    """One place in which a searched text was found."""

    kind: str
    """`message`, `answer` or `signal`."""
    at: datetime
    session_id: str
    message_id: str | None
    text: str
