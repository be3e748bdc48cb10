"""Short ways to make views of a session, and to find out what is done in the end."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from hark.delivery.actions import Action, Find
from hark.delivery.gate import PaneState
from hark.delivery.next_step import next_step
from hark.delivery.session_view import Conversation, Fact, Facts, SessionView
from hark.model.ids import MessageId, SessionId
from hark.model.message import Carrier, Channel, Draft, Message, Status

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
ANA = SessionId("ana-id")
FREE = Facts(
    batch=(),
    in_order=(),
    is_suspended=False,
    has_channel=False,
    conversation=Conversation(),
    is_in_transcript=False,
    pane=PaneState(is_there=True, foreground="demo"),
    is_unbegun=False,
    has_prompt_under_way=False,
)
"""The facts of a session in whose way nothing is: its messages are typed."""


def earlier(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def make_message(name: str = "m1", **fields: Any) -> Message:
    known: dict[str, Any] = {"text": name, "queued_at": earlier(60)}
    return Message(id=MessageId(name), session_id=ANA, **(known | fields))


def in_box(name: str = "m1", **fields: Any) -> Message:
    """A message whose text may be in the box."""
    return make_message(name, attempted_at=earlier(1), attempts=1, **fields)


def given_to(channel: Channel, name: str = "m1", seconds_ago: float = 1.0, **fields: Any) -> Message:
    """A message that was given to the agent's API or to one of its hooks."""
    return make_message(name, status=Status.STAGED, channel=channel, staged_at=earlier(seconds_ago), **fields)


def make_draft(message: str = "m1") -> Draft:
    return Draft(
        session_id=ANA,
        message_id=MessageId(message),
        text="half a thought",
        cursor=14,
        taken_at=earlier(5),
        carrier=Carrier.EDITOR,
    )


def view_of(*waiting: Message, **fields: Any) -> SessionView:
    return SessionView(now=NOW, waiting=waiting, **fields)


def facts_of(view: SessionView, **known: Any) -> Facts:
    """The facts that can be found out: `FREE`, except for those that are named."""
    return replace(FREE, **({"in_order": view.waiting, "batch": view.waiting} | known))


def decide(view: SessionView, facts: Facts) -> tuple[Action, list[Fact]]:
    """Ask what to do, find out what is asked for, and ask again; return the action in the end, and the facts that it took."""
    asked: list[Fact] = []
    while isinstance(action := next_step(view), Find):
        fact = action.fact
        assert not view.facts.has(fact), f"{fact} is known, and asked for again"
        assert getattr(facts, fact) is not UNSET
        view = replace(view, facts=replace(view.facts, **{fact: getattr(facts, fact)}))
        asked.append(fact)
    return action, asked
