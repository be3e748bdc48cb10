"""Calls for a session's agent: to check its inbox, to acknowledge messages, and to signal."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request as HttpRequest

from hark.api.route import Call
from hark.api.service import service_of, session_of
from hark.api.shapes.foundation import Nothing, Request, Response
from hark.api.shapes.messages import MessageInfo, message_info
from hark.api.shapes.sessions import SessionInfo, session_info
from hark.daemon.inbox import IsThere
from hark.daemon.service import Service
from hark.delivery.wording import check_text
from hark.model.errors import HarkError
from hark.model.message import Message, Mode
from hark.model.session import Session
from hark.model.signal import SignalSource, SignalState
from hark.signals.marker import NearMiss

LONGEST_SIGNAL = 4096


class CheckInbox(Request, frozen=True, kw_only=True):
    wait_seconds: Annotated[float, Meta(ge=0, le=60)] = 0.0
    """How many seconds to wait for a message to come if none waits now."""
    again: bool = False
    """True to get messages again that were handed out before and never acknowledged."""


class InboxMessage(Response, frozen=True, kw_only=True):
    id: str
    sender: str | None
    sender_session_id: str | None
    text: str
    delivery_mode: Mode
    queued_at: datetime
    handed_out_at: datetime | None
    in_reply_to: str | None
    """The message that this message replies to."""


class InboxList(Response, frozen=True, kw_only=True):
    session_id: str
    messages: list[InboxMessage]
    waiting_count: int
    """How many messages still wait in the inbox."""


class Acknowledge(Request, frozen=True, kw_only=True):
    done: bool = False
    """True if the work that the message asked for is done."""
    session_id: str | None = None
    """The session that acknowledges; if it is given, the message must be one to that session."""


class Signal(Request, frozen=True, kw_only=True):
    state: SignalState
    text: str = ""
    source: Literal["command", "terminal"] = "command"
    """How the signal was heard: `terminal` means as a marker on a terminal that only `hark watch` reads, not the daemon."""


class Missed(Request, frozen=True, kw_only=True):
    """A line that contains a namespace and is no marker, on a terminal that only `hark watch` reads, not the daemon."""

    line: Annotated[str, Meta(max_length=8192)]
    why: Annotated[str, Meta(max_length=500)]
    is_mention: bool = False


async def check_inbox(request: HttpRequest, body: CheckInbox) -> InboxList:
    return await take_out(service_of(request), session_of(request), body, is_there(request))


async def acknowledge(request: HttpRequest, body: Acknowledge) -> MessageInfo:
    hark = service_of(request)
    session = hark.sessions.find(body.session_id) if body.session_id else None
    message = await acknowledge_message(hark, session, request.path_params["message"], is_done=body.done)
    name = hark.sessions.get(message.session_id).name
    return message_info(message, name, list(await hark.record.receipts(message.id)))


async def signal(request: HttpRequest, body: Signal) -> SessionInfo:
    source = SignalSource(body.source)
    return session_info(await announce(service_of(request), session_of(request), body.state, body.text, source))


async def near_miss(request: HttpRequest, body: Missed) -> Nothing:
    missed = NearMiss(body.line, body.why, body.is_mention)
    service_of(request).signals.tell_misses(session_of(request), [missed])
    return Nothing()


def is_there(request: HttpRequest) -> IsThere:
    async def answer() -> bool:
        return not await request.is_disconnected()

    return answer


# The functions below do the work of the calls, for HTTP in this file and for MCP in `api/mcp`.


async def take_out(hark: Service, session: Session, body: CheckInbox, is_there: IsThere) -> InboxList:
    earlier = await hark.inbox.unacknowledged(session) if body.again else []
    within_s = 0.0 if earlier else body.wait_seconds
    taken = await hark.inbox.check(session, within_s, is_there)
    return InboxList(
        session_id=session.id,
        messages=[inbox_message(message) for message in (*earlier, *taken)],
        waiting_count=len(await hark.inbox.waiting(session)),
    )


async def acknowledge_message(hark: Service, session: Session | None, wanted: str, *, is_done: bool) -> Message:
    """Acknowledge a message. A session may acknowledge only messages to itself; without a session, any message may be acknowledged."""
    message: Message = await hark.mailbox.find(wanted)
    if session is not None and message.session_id != session.id:
        raise HarkError("message-not-found", f"message {message.id} was sent to another session", "check the id")
    return await hark.inbox.acknowledge(message, is_done=is_done)


async def announce(
    hark: Service, session: Session, state: SignalState, text: str, source: SignalSource = SignalSource.COMMAND
) -> Session:
    if text:
        check_text(text, LONGEST_SIGNAL)
    changed: Session = await hark.signals.command(session, state, text, source)
    return changed


def inbox_message(message: Message) -> InboxMessage:
    return InboxMessage(
        id=message.id,
        sender=message.sender_name,
        sender_session_id=message.sender_session_id,
        text=message.text,
        delivery_mode=message.mode,
        queued_at=message.queued_at,
        handed_out_at=message.delivered_at,
        in_reply_to=message.in_reply_to,
    )


CALLS = (
    Call(
        method="POST",
        path="/sessions/{session:path}/inbox",
        summary="Hand out the messages in the inbox, which become submitted. For the session's own agent.",
        handler=check_inbox,
        body=CheckInbox,
        response=InboxList,
        errors=("session-not-found", "session-ambiguous"),
    ),
    Call(
        method="POST",
        path="/messages/{message}/ack",
        summary="Say that the agent has understood the message; with done, that it has done what was asked.",
        handler=acknowledge,
        body=Acknowledge,
        response=MessageInfo,
        errors=("message-not-found", "message-ambiguous", "session-not-found", "transition-illegal"),
    ),
    Call(
        method="POST",
        path="/sessions/{session:path}/signal",
        summary="Announce a status of the session's agent.",
        handler=signal,
        body=Signal,
        response=SessionInfo,
        errors=("session-not-found", "session-ambiguous", "text-control-bytes", "text-too-long"),
    ),
    Call(
        method="POST",
        path="/sessions/{session:path}/near-miss",
        summary="Log a line that looks like a signal of the session's agent but is not one.",
        handler=near_miss,
        body=Missed,
        response=Nothing,
        errors=("session-not-found", "session-ambiguous"),
    ),
)
