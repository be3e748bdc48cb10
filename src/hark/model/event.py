"""Events: what happened, in one growing sequence that a client can resume from."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from hark.model.ids import MessageId, SessionId


class EventKind(StrEnum):
    SESSION_CREATED = "session.created"
    SESSION_RENAMED = "session.renamed"
    SESSION_GONE = "session.gone"
    SESSION_FORGOTTEN = "session.forgotten"
    """A session that was gone for long is no longer on record."""
    SESSION_HELD = "session.held"
    """A human asked not to be disturbed."""
    SESSION_RELEASED = "session.released"
    MESSAGE = "message"
    """A receipt was written; `data` holds it."""
    DRAFT_TAKEN = "draft.taken"
    """A human's draft is on record and is taken out of the box; `data` has its size and its carrier, never its text."""
    DRAFT_RETURNED = "draft.returned"
    """That draft is back in the box, verified; `data` as before."""
    TURN = "turn"
    """What an agent is doing has changed; `data` says to what."""
    HOOK = "hook"
    """An agent's hook reported; `data` says which."""
    SIGNAL = "signal"
    """An agent announced its status; `data` holds state, text, source and the session's nudge_seq and nudge_state, which is
    the same as state."""
    SIGNAL_CLEARED = "signal.cleared"
    """What it announced is over: its human has answered, or it went on. `data` holds the state that is over, and a nudge_state
    that is null."""


class Event(Struct, frozen=True, kw_only=True):
    seq: int = 0
    """Given by the store; grows by at least one with every event."""
    at: datetime
    kind: EventKind
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    data: dict[str, Any] = {}
