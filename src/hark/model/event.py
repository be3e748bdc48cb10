"""Events record what happened, in one growing sequence. A client can resume at any place of the sequence."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from hark.model.ids import MessageId, SessionId


class EventKind(StrEnum):
    SESSION_CREATED = "session.created"
    SESSION_RENAMED = "session.renamed"
    SESSION_GONE = "session.gone"
    SESSION_RESTARTED = "session.restarted"
    """The agent of a session that was gone has started again; the session has kept its id, its name and its queue."""
    SESSION_RESTART_PLANNED = "session.restart_planned"
    """The agent of a session has failed, and hark will start it again; `data` says when, and how often it has failed in a row."""
    SESSION_GIVEN_UP = "session.given_up"
    """The agent of a session has failed so often that hark does not start it again by itself; `data` says why."""
    SESSION_FORGOTTEN = "session.forgotten"
    """A session that had been gone for a long time is no longer on record."""
    SESSION_HELD = "session.held"
    """A human asked not to be disturbed."""
    SESSION_RELEASED = "session.released"
    MESSAGE = "message"
    """A receipt was written; `data` holds it."""
    DRAFT_TAKEN = "draft.taken"
    """Hark has recorded a human's draft and takes it out of the box; `data` has the draft's size and carrier, never its text."""
    DRAFT_RETURNED = "draft.returned"
    """Hark has verified that a human's draft is back in the box; `data` has the draft's size and carrier, never its text."""
    TURN = "turn"
    """An agent has begun to do something else; `data` says what it does now."""
    HOOK = "hook"
    """A hook of an agent has reported something; `data` says which hook."""
    SIGNAL = "signal"
    """An agent announced its status; `data` holds state, text, source, the session's nudge_seq, and nudge_state, which is the
    same as state."""
    SIGNAL_CLEARED = "signal.cleared"
    """The status that an agent announced is over, because its human has answered or the agent went on. `data` holds the state
    that is over, and a nudge_state that is null."""
    QUESTION_ASKED = "question.asked"
    """An agent has asked its human something; `data` holds the question's id, kind, text and options."""
    QUESTION_ENDED = "question.ended"
    """A question has ended; `data` holds its id, how it ended, the answer, and who gave it, as far as hark knows."""


class Event(Struct, frozen=True, kw_only=True):
    seq: int = 0
    """The number that the store gives to the event; it grows by at least one with every event."""
    at: datetime
    kind: EventKind
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    data: dict[str, Any] = {}
