"""The waiting of the tool `wait`: until a message reaches a status, or until a session's agent is in a state."""

import asyncio
import re

from hark.api.shapes.foundation import Response
from hark.daemon.service import Service
from hark.model.errors import HarkError
from hark.model.event import EventKind
from hark.model.ids import MESSAGE_ID_LENGTH
from hark.model.message import Message, Status
from hark.model.session import Session, SessionState
from hark.queue.lifecycle import has_reached

MESSAGE_ID = re.compile(rf"[0-9a-f]{{{MESSAGE_ID_LENGTH}}}")


class Waited(Response, frozen=True, kw_only=True):
    name: str
    reached: bool
    state: str
    """The message's status; for a session, what its agent is doing, or `gone`."""


async def wait_for(hark: Service, name: str, goal: str, within_s: float) -> Waited:
    if goal in (Status.SUBMITTED, Status.ACKNOWLEDGED) or MESSAGE_ID.fullmatch(name):
        return await _message(hark, await hark.mailbox.find(name), _status(goal), within_s)
    session = hark.sessions.find(name)
    wait = _gone(hark, session, within_s) if goal == "gone" else _agent(hark, session, goal, within_s)
    is_reached = await wait
    is_gone = hark.sessions.get(session.id).state is SessionState.GONE
    return Waited(name=session.name, reached=is_reached, state="gone" if is_gone else hark.turns.of(session.id).phase)


def _status(goal: str) -> Status:
    if goal not in (Status.SUBMITTED, Status.ACKNOWLEDGED, Status.COMPLETED):
        raise HarkError(
            "request-invalid", f"a message cannot become {goal}", "wait for submitted, acknowledged or completed"
        )
    return Status(goal)


async def _message(hark: Service, message: Message, goal: Status, within_s: float) -> Waited:
    try:
        message = await hark.mailbox.wait(message.id, goal, within_s)
    except HarkError as failure:
        if failure.code != "wait-timeout":
            raise
        message = await hark.record.message(message.id)
    return Waited(name=message.id, reached=has_reached(message.status, goal), state=message.status)


async def _agent(hark: Service, session: Session, goal: str, within_s: float) -> bool:
    try:
        await hark.waits.until([session], goal, within_s)
    except HarkError as failure:
        if failure.code != "wait-timeout":
            raise
        return False
    return True


async def _gone(hark: Service, session: Session, within_s: float) -> bool:
    after = await hark.record.last_event_seq()
    try:
        async with asyncio.timeout(within_s):
            if hark.sessions.get(session.id).state is SessionState.RUNNING:
                async for event in hark.bus.follow(after):
                    if event.session_id == session.id and event.kind is EventKind.SESSION_GONE:
                        break
    except TimeoutError:
        pass
    return bool(hark.sessions.get(session.id).state is SessionState.GONE)
