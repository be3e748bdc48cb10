"""Short ways to make the nouns, and to expect a refusal."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, ReminderId, SessionId
from hark.model.message import HoldReason, Message, Status
from hark.model.reminder import Reminder
from hark.model.session import Pane, Session
from hark.queue.lifecycle import Step
from hark.store.contract import Store

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
ANA, BEN = SessionId("ana-id"), SessionId("ben-id")


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def make_session(session_id: str, name: str = "", **fields: Any) -> Session:
    known: dict[str, Any] = {
        "agent": "claude",
        "host": "here",
        "pane": Pane(socket="/tmp/tmux-0/default", pane_id="%5", pid=4711),
        "command": ("claude", "--resume"),
        "directory": "/srv/project",
        "created_at": NOW,
    }
    return Session(id=SessionId(session_id), name=name or session_id, **(known | fields))


def make_message(message_id: str, session_id: SessionId = ANA, **fields: Any) -> Message:
    known: dict[str, Any] = {"text": f"text of {message_id}", "queued_at": NOW}
    return Message(id=MessageId(message_id), session_id=session_id, **(known | fields))


def make_reminder(reminder_id: str, session_id: SessionId = ANA, **fields: Any) -> Reminder:
    known: dict[str, Any] = {"text": "look", "created_at": NOW, "fire_at": later(60)}
    return Reminder(id=ReminderId(reminder_id), session_id=session_id, **(known | fields))


def make_event(**fields: Any) -> Event:
    known: dict[str, Any] = {"at": NOW, "kind": EventKind.HOOK}
    return Event(**(known | fields))


def make_step(status: Status, at: datetime = NOW, **fields: Any) -> Step:
    reason = HoldReason.DRAFT if status is Status.HELD else None
    return Step(status=status, at=at, **({"reason": reason} | fields))


async def add(store: Store, *sessions: Session) -> None:
    for session in sessions:
        await store.add_session(session, make_event(kind=EventKind.SESSION_CREATED, session_id=session.id))


async def enqueue(store: Store, *messages: Message) -> list[Message]:
    return [(await store.enqueue(message)).message for message in messages]


async def walk(store: Store, message: Message, *statuses: Status) -> Message:
    for status in statuses:
        message = await store.move(message.id, make_step(status))
    return message


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(HarkError) as caught:
        yield
    assert caught.value.code == code
