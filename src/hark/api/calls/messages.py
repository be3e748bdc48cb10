"""Calls about messages."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hark.api.route import Call, Query, idempotency_key, query_number
from hark.api.service import service_of, session_of
from hark.api.shapes.messages import (
    MessageInfo,
    MessageList,
    Send,
    SendGroup,
    SendQueue,
    Sent,
    SentList,
    message_info,
    pending_message,
)
from hark.daemon.mailbox import NewMessage
from hark.daemon.service import Service
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.message import Message, Mode, Notify, Status
from hark.model.session import Session
from hark.queue.lifecycle import PENDING
from hark.queue.ordering import delivery_order, inbox_order, kept_back
from hark.queue.turns import Phase
from hark.store.contract import Enqueued


async def send(request: Request, body: Send) -> Sent | Response:
    if body.waits and (asker := own_session(request)):
        service_of(request).askers.check(asker, session_of(request).id)
    sent = await post(service_of(request), session_of(request), body, idempotency_key(request))
    answer = await sent_answer(service_of(request), sent)
    # The status 202 promises a delivery; an urgent message that does not wait any more gets 200.
    is_through = body.delivery_mode is Mode.URGENT and sent.message.status not in PENDING
    return Response(msgspec.json.encode(answer), 200, media_type="application/json") if is_through else answer


async def send_group(request: Request, body: SendGroup) -> SentList:
    """Send each session a message of its own under the same idempotency key, so that a repeated call sends nothing twice."""
    hark, key = service_of(request), idempotency_key(request)
    # A session that goes away at this moment must not refuse the message to all the others.
    wish = msgspec.convert(msgspec.structs.asdict(body) | {"queue": True}, _Wish)
    sessions = hark.sessions.find_group(",".join(body.to), body.sender_session_id)
    sent = await asyncio.gather(*(post(hark, session, wish, key) for session in sessions))
    return SentList(messages=[await sent_answer(hark, one) for one in sent])


def own_session(request: Request) -> SessionId | None:
    """Return the session whose own program makes the request; None if no session's program does."""
    caller = request.scope.get("hark_caller")
    return caller.session.id if caller else None


class _Wish(Send, frozen=True, kw_only=True, forbid_unknown_fields=False):
    pass


async def post(
    hark: Service, session: Session, body: Send, key: str | None, in_reply_to: Message | None = None
) -> Enqueued:
    sent: Enqueued = await hark.mailbox.send(
        session,
        NewMessage(
            text=body.text,
            sender=body.sender_session_id,
            sender_name=body.sender_name,
            mode=body.delivery_mode,
            timeout_s=body.timeout_seconds,
            idempotency_key=key,
            is_inbox=body.inbox,
            is_raw=body.raw,
            is_as_user=body.as_user,
            notify=Notify(
                on_delivery=body.notify_on_delivery,
                after_s=body.notify_after_seconds,
                on_stop=body.notify_on_stop,
                on_failure=body.notify_on_failure,
            ),
            is_alone=body.alone,
            in_reply_to=in_reply_to,
            keep_if_gone=body.queue,
        ),
    )
    if body.delivery_mode is not Mode.URGENT or body.inbox:
        return sent
    message = await hark.mailbox.settle_urgent(sent)
    return Enqueued(message, sent.position if message.status in PENDING else 0, sent.is_new)


async def reply(request: Request, body: Send) -> Sent:
    hark = service_of(request)
    message = await hark.mailbox.find(request.path_params["message"])
    receiver = hark.mailbox.receiver_of_reply(message, body.sender_session_id)
    return await sent_answer(hark, await post(hark, receiver, body, idempotency_key(request), in_reply_to=message))


async def thread(request: Request, _: None) -> MessageList:
    """Return the messages of a thread. An agent sees those that it has sent or was sent; with the right to read it sees all."""
    hark = service_of(request)
    message = await hark.mailbox.find(request.path_params["message"])
    messages = await hark.record.thread(message.thread)
    if (caller := request.scope.get("hark_caller")) and "read" not in caller.rights:
        messages = [m for m in messages if caller.session.id in (m.session_id, m.sender_session_id)]
    return MessageList(messages=[await _info(request, one) for one in messages])


async def sent_answer(hark: Service, sent: Enqueued) -> Sent:
    message = sent.message
    return Sent(
        id=message.id,
        session_id=message.session_id,
        session_name=hark.sessions.get(message.session_id).name,
        status=message.status,
        queue_position=sent.position,
        delivery_mode=message.mode,
        estimated_delivery=await hark.estimates.of(sent),
        interrupted=message.interrupted_at is not None,
    )


async def send_queue(request: Request, _: None) -> SendQueue:
    session, record = session_of(request), service_of(request).record
    waiting = await record.pending(session.id)
    pending = [*delivery_order(waiting), *kept_back(waiting), *inbox_order(waiting)]
    draft = await record.draft(session.id)
    typed = await service_of(request).pending_inputs.of(session)
    phase = service_of(request).turns.of(session.id).phase
    return SendQueue(
        session_id=session.id,
        is_idle=None if phase is Phase.UNKNOWN else phase is Phase.IDLE,
        pending_count=len(pending),
        pending_messages=[pending_message(message) for message in pending],
        saved_user_input=draft.text if draft else None,
        pending_user_input=typed.text if typed else None,
        pending_input_first_seen=typed.first_seen if typed else None,
    )


async def list_messages(request: Request, _: None) -> MessageList:
    session, record = session_of(request), service_of(request).record
    messages = await record.messages(session.id, limit=int(query_number(request, "limit", 50, 1, 1000)))
    return MessageList(messages=[message_info(m, session.name, list(await record.receipts(m.id))) for m in messages])


async def get_message(request: Request, _: None) -> MessageInfo:
    hark = service_of(request)
    message = await hark.mailbox.find(request.path_params["message"])
    if goal := request.query_params.get("wait"):
        if goal not in (Status.SUBMITTED, Status.ACKNOWLEDGED, Status.COMPLETED):
            raise HarkError(
                "request-invalid", f"cannot wait for {goal!r}", "wait for submitted, acknowledged or completed"
            )
        message = await _wait_for_status(
            request, message, Status(goal), query_number(request, "wait_seconds", 30, 0, 60)
        )
    return await _info(request, message)


async def _wait_for_status(request: Request, message: Message, goal: Status, within_s: float) -> Message:
    """Wait for the message. If the program of the session that sent it waits for its completion, that session waits for the other."""
    hark, asker = service_of(request), own_session(request)
    if asker is None or asker != message.sender_session_id or goal is not Status.COMPLETED:
        reached: Message = await hark.mailbox.wait(message.id, goal, within_s)
        return reached
    with hark.askers.waiting(asker, message.session_id):
        return await _while_connected(request, hark.mailbox.wait(message.id, goal, within_s))


async def _while_connected(request: Request, work: Coroutine[Any, Any, Message]) -> Message:
    """Do the work, but stop when the caller has gone: then nobody waits any more."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_until_disconnected(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise HarkError("wait-timeout", "the caller has gone", "ask again")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _until_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def cancel_message(request: Request, _: None) -> MessageInfo:
    return await _info(request, await service_of(request).mailbox.cancel(request.path_params["message"]))


async def retry_message(request: Request, _: None) -> MessageInfo:
    return await _info(request, await service_of(request).mailbox.retry(request.path_params["message"]))


async def release_message(request: Request, _: None) -> MessageInfo:
    return await _info(request, await service_of(request).mailbox.release(request.path_params["message"]))


async def _info(request: Request, message: Message) -> MessageInfo:
    hark = service_of(request)
    name = hark.sessions.get(SessionId(message.session_id)).name
    receipts, answer = await hark.record.receipts(message.id), await hark.record.answer(message.id)
    return message_info(message, name, list(receipts), answer)


_SEND_ERRORS = (
    "session-not-found",
    "session-gone",
    "ask-loop",
    "loop-limit",
    "session-ambiguous",
    "request-invalid",
    "text-empty",
    "text-too-long",
    "text-control-bytes",
    "name-invalid",
    "name-reserved",
    "idempotency-conflict",
    "disk-full",
)

CALLS = (
    Call(
        method="POST",
        path="/send",
        summary="Queue a message for each of several sessions: names, patterns such as crew/*, or * for everyone.",
        handler=send_group,
        body=SendGroup,
        response=SentList,
        status=202,
        errors=_SEND_ERRORS,
    ),
    Call(
        method="POST",
        path="/sessions/{session:path}/send",
        summary="Queue a message. With an Idempotency-Key header the same key never delivers twice.",
        handler=send,
        body=Send,
        response=Sent,
        status=202,
        also=(200,),
        errors=_SEND_ERRORS,
    ),
    Call(
        method="GET",
        path="/sessions/{session:path}/send-queue",
        summary="List the messages that wait for a session, and why.",
        handler=send_queue,
        response=SendQueue,
        errors=("session-not-found",),
    ),
    Call(
        method="GET",
        path="/sessions/{session:path}/messages",
        summary="List the messages of a session, the newest first.",
        handler=list_messages,
        response=MessageList,
        queries=(Query("limit", "how many", {"type": "integer", "minimum": 1, "maximum": 1000}),),
        errors=("session-not-found",),
    ),
    Call(
        method="GET",
        path="/messages/{message}",
        summary="Return one message and its receipts; optionally wait for a status first.",
        handler=get_message,
        response=MessageInfo,
        queries=(
            Query(
                "wait",
                "wait until the message has this status, or has ended",
                {"enum": ["submitted", "acknowledged", "completed"]},
            ),
            Query("wait_seconds", "how long to wait at most", {"type": "number", "minimum": 0, "maximum": 60}),
        ),
        errors=("message-not-found", "message-ambiguous", "wait-timeout", "ask-loop"),
    ),
    Call(
        method="POST",
        path="/messages/{message}/reply",
        summary="Queue a reply for the session that sent the message.",
        handler=reply,
        body=Send,
        response=Sent,
        status=202,
        errors=("message-not-found", "message-ambiguous", *_SEND_ERRORS),
    ),
    Call(
        method="GET",
        path="/messages/{message}/thread",
        summary="List the messages of the thread that a message belongs to, the oldest first.",
        handler=thread,
        response=MessageList,
        errors=("message-not-found", "message-ambiguous"),
    ),
    Call(
        method="POST",
        path="/messages/{message}/cancel",
        summary="Take a message back before it is typed.",
        handler=cancel_message,
        response=MessageInfo,
        errors=("message-not-found", "transition-illegal"),
    ),
    Call(
        method="POST",
        path="/messages/{message}/retry",
        summary="Try a dead or uncertain message again.",
        handler=retry_message,
        response=MessageInfo,
        errors=("message-not-found", "transition-illegal"),
    ),
    Call(
        method="POST",
        path="/messages/{message}/release",
        summary="Let a message go that is held because it looks like a part of a loop between agents.",
        handler=release_message,
        response=MessageInfo,
        errors=("message-not-found", "message-ambiguous", "transition-illegal"),
    ),
)
