"""Decides which sessions need a human, since when, and in which order.

An agent needs a human if it asks for a permission, or if the last status that it announced asks for a person: `needs_input`,
`needs_testing` or `error`. It has waited since the first of these that still stands. A session that is gone needs nobody. `completed`
is no need: the agent has finished, and asks for nothing.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import SessionId
from hark.model.session import Session, SessionState
from hark.model.signal import SignalState
from hark.queue.turns import Phase, Turns


class Why(StrEnum):
    """Why a session needs a human."""

    PERMISSION = "permission"
    """The agent asks for a permission, in a dialog of its own."""
    INPUT = "input"
    """The agent has announced that it needs input."""
    TESTING = "testing"
    """The agent has announced that its work needs testing."""
    ERROR = "error"
    """The agent has announced an error."""


_ANNOUNCED = {
    SignalState.NEEDS_INPUT: Why.INPUT,
    SignalState.NEEDS_TESTING: Why.TESTING,
    SignalState.ERROR: Why.ERROR,
}


class Need(Struct, frozen=True, kw_only=True):
    session_id: SessionId
    name: str
    why: Why
    since: datetime
    """Since when the session has waited for a human."""
    question: str
    """What the agent asks for, in its own words; empty if it has not said."""


class Overview(Struct, frozen=True):
    """The sessions that need a human, with the one that has waited longest first, and the number of sessions that work."""

    needs: tuple[Need, ...] = ()
    working: int = 0


def find_need(session: Session, turns: Turns) -> Need | None:
    """Return why the session needs a human; None if it needs nobody."""
    if session.state is SessionState.GONE:
        return None
    announced = _ANNOUNCED.get(session.signal_state) if session.signal_state else None
    asks = turns.phase is Phase.WAITING
    if announced is None and not asks:
        return None
    # A dialog is on the screen now, so it is what the human has to answer first.
    why = Why.PERMISSION if asks or announced is None else announced
    asked = turns.detail if asks else ""
    said = last_line(session.signal_text) if announced else ""
    began = [turns.at] if asks else []
    began += [session.last_signal_at] if announced else []
    since = min((at for at in began if at is not None), default=session.created_at)
    return Need(session_id=session.id, name=session.name, why=why, since=since, question=asked or said)


def is_working(session: Session, turns: Turns) -> bool:
    """True if the session's agent works and needs nobody. Where the agent's turns are not heard, its own announcement counts."""
    if session.state is not SessionState.RUNNING or find_need(session, turns):
        return False
    has_announced = session.signal_state is SignalState.WORKING
    return turns.phase is Phase.BUSY or (turns.phase is Phase.UNKNOWN and has_announced)


def survey(sessions: Iterable[tuple[Session, Turns]]) -> Overview:
    """Return what all sessions need. Sessions that have waited equally long come in the order of their ids."""
    known = list(sessions)
    needs = [need for session, turns in known if (need := find_need(session, turns))]
    working = sum(is_working(session, turns) for session, turns in known)
    return Overview(tuple(sorted(needs, key=lambda need: (need.since, need.session_id))), working)


def segment(overview: Overview) -> str:
    """Return the words for a status line, such as "2 need you · 5 working"; empty if there is nothing to say."""
    count = len(overview.needs)
    parts = [f"{count} need{'s' if count == 1 else ''} you"] if count else []
    parts += [f"{overview.working} working"] if overview.working else []
    return " · ".join(parts)


def last_line(text: str) -> str:
    """Return the last line of the text that is not blank: agents end an announcement with what they ask for."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
