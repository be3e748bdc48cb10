"""Waiting for what becomes of a message or a session, as the tool `wait` offers it."""

import asyncio
from typing import Any

from hark.api.shapes import Response
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.message import Message, Status
from hark.model.session import Session, SessionState
from hark.queue.lifecycle import has_reached

MESSAGE_GOALS = (Status.SUBMITTED, Status.ACKNOWLEDGED, Status.COMPLETED)
SESSION_GOALS = {"gone": EventKind.SESSION_GONE, "signal": EventKind.SIGNAL}
GOALS = (*(str(goal) for goal in MESSAGE_GOALS), *SESSION_GOALS)


class Waited(Response, frozen=True, kw_only=True):
    name: str
    reached: bool
    state: str
    """The message's status, the session's state, or the state of the signal."""
    text: str = ""
    """What the signal said."""


async def wait_for(hark: Any, name: str, goal: str, within_s: float) -> Waited:
    if goal in SESSION_GOALS:
        return await _session(hark, hark.sessions.find(name), goal, within_s)
    if goal in MESSAGE_GOALS:
        return await _message(hark, await hark.mailbox.find(name), Status(goal), within_s)
    raise HarkError("request-invalid", f"cannot wait for {goal!r}", f"wait for one of {', '.join(GOALS)}")


async def _message(hark: Any, message: Message, goal: Status, within_s: float) -> Waited:
    try:
        message = await hark.mailbox.wait(message.id, goal, within_s)
    except HarkError as failure:
        if failure.code != "wait-timeout":
            raise
        message = await hark.store.message(message.id)
    return Waited(name=message.id, reached=has_reached(message.status, goal), state=message.status)


async def _session(hark: Any, session: Session, goal: str, within_s: float) -> Waited:
    if goal == "gone" and session.state is SessionState.GONE:
        return Waited(name=session.name, reached=True, state=session.state)
    event = await _next_event(hark, session, SESSION_GOALS[goal], within_s)
    state = hark.sessions.get(session.id).state
    if event is None:
        return Waited(name=session.name, reached=False, state=state)
    return Waited(
        name=session.name, reached=True, state=event.data.get("state", state), text=event.data.get("text", "")
    )


async def _next_event(hark: Any, session: Session, kind: EventKind, within_s: float) -> Event | None:
    """None when none came in time."""
    after = await hark.store.last_event_seq()
    try:
        async with asyncio.timeout(within_s):
            async for event in hark.bus.follow(after):
                if event.session_id == session.id and event.kind is kind:
                    found: Event = event
                    return found
    except TimeoutError:
        pass
    return None
