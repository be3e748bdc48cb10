"""The session of a run as the courier sees it: one message, perhaps a draft that is out of the box, and a pane that the gate lets pass."""

from datetime import UTC, datetime

from hark.delivery.gate import PaneState
from hark.delivery.session_view import Facts, SessionView
from hark.model.ids import MessageId, SessionId
from hark.model.message import Draft, Message, Status
from tests.campaigns.simulation.scenario import MESSAGE_ID, Scenario
from tests.campaigns.simulation.terminal import Terminal

START = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
SESSION_ID = SessionId("simulated")


def look_at(terminal: Terminal, scenario: Scenario) -> SessionView:
    """The view on which the next step is decided. Every fact is known: nothing costs anything here."""
    message = Message(
        id=MessageId(MESSAGE_ID),
        session_id=SESSION_ID,
        text=scenario.body,
        queued_at=START,
        status=Status.STAGED if terminal.is_staged else Status.QUEUED,
        attempted_at=START if terminal.has_begun else None,
    )
    facts = Facts(in_order=(message,), is_suspended=False, has_channel=False, pane=PaneState(is_there=True))
    return SessionView(now=START, waiting=(message,), draft=_draft(terminal.record), facts=facts)


def _draft(text: str | None) -> Draft | None:
    if text is None:
        return None
    message_id = MessageId(MESSAGE_ID)
    return Draft(session_id=SESSION_ID, message_id=message_id, text=text, cursor=len(text), taken_at=START)
