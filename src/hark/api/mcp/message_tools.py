"""The MCP tools that send messages and read what has been answered to them."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hark.api.mcp.tool import LONGEST_WAIT_S, Caller, Duration, SessionName, Words
from hark.api.mcp.waiting import wait_for
from hark.api.shapes.foundation import Request, Response
from hark.daemon.mailbox import NewMessage
from hark.model.answer import AnswerSource
from hark.model.errors import HarkError
from hark.model.ids import is_group
from hark.model.message import Message, Mode, Notify
from hark.model.session import Session
from hark.model.text.duration import parse_duration
from hark.queue.lifecycle import ENDS


class SendArguments(Request, frozen=True):
    to: SessionName
    text: Words
    important: Annotated[bool, Meta(description="deliver before other waiting messages")] = False
    urgent: Annotated[bool, Meta(description="interrupt what the agent is doing; for emergencies only")] = False
    inbox: Annotated[bool, Meta(description="do not type the message; the agent fetches it with check_inbox")] = False
    as_user: Annotated[
        bool, Meta(description="deliver only as a user's prompt, never as a notice in the middle of a turn")
    ] = False
    notify_on_delivery: Annotated[bool, Meta(description="send me a message when this one is delivered")] = False
    notify_after: Annotated[
        str, Meta(description="remind me of the message this long after its delivery, such as 5m")
    ] = ""
    notify_on_stop: Annotated[
        bool, Meta(description="send me a message when the turn that worked on this one has stopped")
    ] = False


class SendAnswer(Response, frozen=True, kw_only=True):
    id: str
    to: str
    status: str
    others: tuple["SendAnswer", ...] = ()
    """The messages to the other sessions, if the text went to several."""


async def send(caller: Caller, arguments: SendArguments) -> SendAnswer:
    if not is_group(arguments.to):
        return await _send_to(caller, caller.hark.sessions.find(arguments.to), arguments)
    own = caller.session.id if caller.session else None
    first, *others = [
        await _send_to(caller, one, arguments) for one in caller.hark.sessions.find_group(arguments.to, own)
    ]
    return msgspec.structs.replace(first, others=tuple(others))


async def _send_to(
    caller: Caller, target: Session, arguments: SendArguments, *, is_question: bool = False
) -> SendAnswer:
    sent = await caller.hark.mailbox.send(
        target,
        NewMessage(
            text=arguments.text,
            sender=caller.session.id if caller.session else None,
            mode=Mode.URGENT if arguments.urgent else Mode.IMPORTANT if arguments.important else Mode.SEQUENTIAL,
            is_inbox=arguments.inbox,
            is_as_user=arguments.as_user,
            is_alone=is_question,
            notify=Notify(
                on_delivery=arguments.notify_on_delivery,
                after_s=parse_duration(arguments.notify_after) if arguments.notify_after else None,
                on_stop=arguments.notify_on_stop,
            ),
        ),
    )
    return SendAnswer(id=sent.message.id, to=target.name, status=sent.message.status)


class ReplyArguments(Request, frozen=True):
    id: Annotated[str, Meta(description="the id of the message that you were sent")]
    text: Words


async def reply(caller: Caller, arguments: ReplyArguments) -> SendAnswer:
    own = caller.own_session()
    message = await caller.hark.mailbox.find(arguments.id)
    if message.session_id != own.id:
        raise HarkError("message-not-found", f"message {message.id} was sent to another session", "check the id")
    receiver = caller.hark.mailbox.receiver_of_reply(message, own.id)
    sent = await caller.hark.mailbox.send(receiver, NewMessage(text=arguments.text, sender=own.id, in_reply_to=message))
    return SendAnswer(id=sent.message.id, to=receiver.name, status=sent.message.status)


class AskArguments(Request, frozen=True):
    to: Annotated[str, Meta(description="name or id of a session")]
    text: Words
    timeout: Duration = "5m"


class Answered(Response, frozen=True, kw_only=True):
    id: str
    status: str
    answer: str | None
    """The agent's final words; null if there are none, or none yet."""
    source: str
    """Where the words come from; `screen` may have more or less than the answer, `none` means that there is no answer."""
    reason: str
    """Why there is no answer, or why it may not be the whole answer."""


async def ask(caller: Caller, arguments: AskArguments) -> Answered:
    target = caller.hark.sessions.find(arguments.to)
    sent = await _send_to(caller, target, SendArguments(to=arguments.to, text=arguments.text), is_question=True)
    within_s = min(parse_duration(arguments.timeout), LONGEST_WAIT_S)
    await wait_for(caller.hark, sent.id, "completed", within_s)
    return await _read_answer(caller, await caller.hark.mailbox.find(sent.id))


class ReadArguments(Request, frozen=True):
    id: Annotated[str, Meta(description="the id of a message that you have sent or were sent")]


async def read(caller: Caller, arguments: ReadArguments) -> Answered:
    message = await caller.hark.mailbox.find(arguments.id)
    if caller.agent and caller.agent.session.id not in (message.session_id, message.sender_session_id):
        caller.agent.require("read")
    return await _read_answer(caller, message)


async def _read_answer(caller: Caller, message: Message) -> Answered:
    found = await caller.hark.record.answer(message.id)
    if found is None:
        reason = "the message has not completed; ask again with read" if message.status not in ENDS else ""
        return Answered(id=message.id, status=message.status, answer=None, source=AnswerSource.NONE, reason=reason)
    text = found.text if found.source is not AnswerSource.NONE else None
    return Answered(id=message.id, status=message.status, answer=text, source=found.source, reason=found.reason)
