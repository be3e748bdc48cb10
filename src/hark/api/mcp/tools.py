"""The MCP tools as one table, without the SDK: the arguments of each tool, and what the tool does."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from hark.api.inbox import CheckInbox, InboxList, acknowledged, checked, signalled
from hark.api.mcp.waiting import Waited, wait_for
from hark.api.rights import AgentCaller
from hark.api.scheduler import ReminderInfo, reminder_info
from hark.api.shapes import Request, Response, Spawn
from hark.api.spawn import spawned
from hark.daemon.inbox import IsThere
from hark.daemon.service import Service
from hark.daemon.timers.reminders import make_when
from hark.model.answer import AnswerSource
from hark.model.duration import parse_duration
from hark.model.errors import HarkError
from hark.model.ids import is_group
from hark.model.message import Message, Mode, Notify
from hark.model.session import Session
from hark.model.signal import SignalState
from hark.queue.lifecycle import ENDS

LONGEST_WAIT_S = 600.0
LONGEST_INBOX_WAIT_S = 60.0


class Caller(Struct, frozen=True):
    hark: Service
    session: Session | None
    is_there: IsThere
    environment: dict[str, str] = {}
    """The variables of the caller's environment that the call brought along."""
    agent: AgentCaller | None = None
    """The agent whose session's token the caller has shown, with that session's rights; None if the caller is the user."""

    def own_session(self) -> Session:
        if self.session is None:
            raise HarkError(
                "request-invalid",
                "hark does not know which session calls",
                "start the agent with `hark new` or `hark run`, or set HARK_SESSION where the agent starts hark-mcp",
            )
        return self.session


class Tool(Struct, frozen=True):
    name: str
    description: str
    arguments: type[Struct]
    handler: Callable[[Caller, Any], Awaitable[Struct]]

    @property
    def schema(self) -> dict[str, Any]:
        (_,), components = msgspec.json.schema_components([self.arguments])
        schema: dict[str, Any] = components[self.arguments.__name__]
        return {key: value for key, value in schema.items() if key not in ("title", "description")}

    async def call(self, caller: Caller, arguments: dict[str, Any]) -> Struct:
        try:
            wish = msgspec.convert(arguments, self.arguments)
        except msgspec.ValidationError as wrong:
            raise HarkError("request-invalid", f"{self.name}: {wrong}", "check the tool's schema") from wrong
        return await self.handler(caller, wish)


Words = Annotated[str, Meta(min_length=1)]
SessionName = Annotated[
    str, Meta(description="name or id of a session; or several with commas between them, or a pattern such as crew/*")
]
Duration = Annotated[str, Meta(description="such as 30s, 5m or 1h30m")]
STRING = Meta(extra_json_schema={"type": "string"})
"""Adds a type beside the choices in the schema, because some agents' model services require a type."""


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


async def send(caller: Caller, wish: SendArguments) -> SendAnswer:
    if not is_group(wish.to):
        return await _send_to(caller, caller.hark.sessions.find(wish.to), wish)
    own = caller.session.id if caller.session else None
    first, *others = [await _send_to(caller, one, wish) for one in caller.hark.sessions.find_group(wish.to, own)]
    return msgspec.structs.replace(first, others=tuple(others))


async def _send_to(caller: Caller, target: Session, wish: SendArguments) -> SendAnswer:
    sent = await caller.hark.mailbox.send(
        target,
        wish.text,
        sender=caller.session.id if caller.session else None,
        sender_name=None,
        mode=Mode.URGENT if wish.urgent else Mode.IMPORTANT if wish.important else Mode.SEQUENTIAL,
        is_inbox=wish.inbox,
        is_as_user=wish.as_user,
        notify=Notify(
            on_delivery=wish.notify_on_delivery,
            after_s=parse_duration(wish.notify_after) if wish.notify_after else None,
            on_stop=wish.notify_on_stop,
        ),
    )
    return SendAnswer(id=sent.message.id, to=target.name, status=sent.message.status)


class ReplyArguments(Request, frozen=True):
    id: Annotated[str, Meta(description="the id of the message that you were sent")]
    text: Words


async def reply(caller: Caller, wish: ReplyArguments) -> SendAnswer:
    own = caller.own_session()
    message = await caller.hark.mailbox.find(wish.id)
    if message.session_id != own.id:
        raise HarkError("message-not-found", f"message {message.id} was sent to another session", "check the id")
    receiver = caller.hark.mailbox.receiver_of_reply(message, own.id)
    sent = await caller.hark.mailbox.send(
        receiver, wish.text, sender=own.id, sender_name=None, mode=Mode.SEQUENTIAL, in_reply_to=message
    )
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


async def ask(caller: Caller, wish: AskArguments) -> Answered:
    sent = await _send_to(caller, caller.hark.sessions.find(wish.to), SendArguments(to=wish.to, text=wish.text))
    within_s = min(parse_duration(wish.timeout), LONGEST_WAIT_S)
    await wait_for(caller.hark, sent.id, "completed", within_s)
    return await _answered(caller, await caller.hark.mailbox.find(sent.id))


class ReadArguments(Request, frozen=True):
    id: Annotated[str, Meta(description="the id of a message that you have sent or were sent")]


async def read(caller: Caller, wish: ReadArguments) -> Answered:
    message = await caller.hark.mailbox.find(wish.id)
    if caller.agent and caller.agent.session.id not in (message.session_id, message.sender_session_id):
        caller.agent.require("read")
    return await _answered(caller, message)


async def _answered(caller: Caller, message: Message) -> Answered:
    found = await caller.hark.record.answer(message.id)
    if found is None:
        reason = "the message has not completed; ask again with read" if message.status not in ENDS else ""
        return Answered(id=message.id, status=message.status, answer=None, source=AnswerSource.NONE, reason=reason)
    text = found.text if found.source is not AnswerSource.NONE else None
    return Answered(id=message.id, status=message.status, answer=text, source=found.source, reason=found.reason)


class SpawnArguments(Request, frozen=True):
    task: Words
    agent: Annotated[str, Meta(description="claude, codex, gemini, …; the user's default agent if it is left out")] = ""
    name: Annotated[str, Meta(description="name of the new session")] = ""
    directory: Annotated[str, Meta(description="directory in which the agent starts; yours by default")] = ""
    notify_on_stop: Annotated[
        bool, Meta(description="send me a message when the agent has stopped working on the task")
    ] = True


class SpawnAnswer(Response, frozen=True, kw_only=True):
    session: str
    message_id: str


async def spawn(caller: Caller, wish: SpawnArguments) -> SpawnAnswer:
    if caller.agent:
        caller.agent.require("spawn")
    own = caller.session
    made = await spawned(
        caller.hark,
        Spawn(
            agent=wish.agent or None,
            task=wish.task,
            name=wish.name or None,
            directory=wish.directory or (own.directory if own else None),
            environment=caller.environment,
            sender_session_id=own.id if own else None,
            notify_on_stop=wish.notify_on_stop and own is not None,
        ),
    )
    return SpawnAnswer(session=made.session.name, message_id=made.message.id)


class CheckInboxArguments(Request, frozen=True):
    wait: Duration = ""
    again: Annotated[bool, Meta(description="also hand out what was handed out before and never acknowledged")] = False


async def check_inbox(caller: Caller, wish: CheckInboxArguments) -> InboxList:
    within_s = min(parse_duration(wish.wait), LONGEST_INBOX_WAIT_S) if wish.wait else 0.0
    looked = CheckInbox(wait_seconds=within_s, again=wish.again)
    return await checked(caller.hark, caller.own_session(), looked, caller.is_there)


class AckArguments(Request, frozen=True):
    id: Annotated[str, Meta(description="the message's id")]
    done: Annotated[bool, Meta(description="what the message asked for is done")] = False


class AckAnswer(Response, frozen=True, kw_only=True):
    id: str
    status: str


async def ack(caller: Caller, wish: AckArguments) -> AckAnswer:
    message = await acknowledged(caller.hark, caller.own_session(), wish.id, is_done=wish.done)
    return AckAnswer(id=message.id, status=message.status)


class SignalArguments(Request, frozen=True):
    state: Annotated[Literal["working", "completed", "needs_input", "needs_testing", "error"], STRING]
    text: Annotated[str, Meta(description="one line for whoever watches")] = ""


class SignalAnswer(Response, frozen=True, kw_only=True):
    session: str
    nudge_seq: int


async def signal(caller: Caller, wish: SignalArguments) -> SignalAnswer:
    session = await signalled(caller.hark, caller.own_session(), SignalState(wish.state), wish.text)
    return SignalAnswer(session=session.name, nudge_seq=session.nudge_seq)


class RemindArguments(Request, frozen=True):
    text: Words
    after: Duration = ""
    at: Annotated[str, Meta(description="a time instead of a delay, such as 2026-11-16T14:30:00+01:00")] = ""
    every: Annotated[str, Meta(description="repeat at this interval, such as 30m")] = ""
    cron: Annotated[
        str, Meta(description="a cron line instead of a delay: MINUTE HOUR DAY MONTH WEEKDAY, such as 0 9 * * 1-5")
    ] = ""
    to: Annotated[str, Meta(description="session to remind; yourself by default")] = ""


async def remind(caller: Caller, wish: RemindArguments) -> ReminderInfo:
    session = caller.hark.sessions.find(wish.to) if wish.to else caller.own_session()
    when = make_when(
        parse_duration(wish.after) if wish.after else None,
        _instant(wish.at) if wish.at else None,
        parse_duration(wish.every) if wish.every else None,
        wish.cron or None,
    )
    asker = caller.session.id if caller.session else None
    return reminder_info(await caller.hark.scheduler.remind(session, when, wish.text, sender=asker))


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as wrong:
        raise HarkError(
            "request-invalid", f"{text!r} is not a time", "write it as 2026-11-16T14:30:00+01:00"
        ) from wrong


class SessionsArguments(Request, frozen=True):
    pass


class SessionLine(Response, frozen=True, kw_only=True):
    name: str
    id: str
    agent: str
    state: str
    directory: str
    is_you: bool


class SessionLines(Response, frozen=True, kw_only=True):
    sessions: list[SessionLine]


async def sessions(caller: Caller, wish: SessionsArguments) -> SessionLines:
    own = caller.session.id if caller.session else None
    return SessionLines(
        sessions=[
            SessionLine(name=s.name, id=s.id, agent=s.agent, state=s.state, directory=s.directory, is_you=s.id == own)
            for s in caller.hark.sessions.running()
        ]
    )


Goal = Annotated[
    Literal[
        "submitted",
        "acknowledged",
        "completed",
        "idle",
        "busy",
        "waiting",
        "working",
        "needs_input",
        "needs_testing",
        "error",
        "signal:working",
        "signal:completed",
        "signal:needs_input",
        "signal:needs_testing",
        "signal:error",
        "gone",
    ],
    STRING,
]


class WaitArguments(Request, frozen=True):
    name: Annotated[str, Meta(description="a message's id, or a session's name")]
    goal: Goal = field(name="for")
    timeout: Duration = "60s"


async def wait(caller: Caller, wish: WaitArguments) -> Waited:
    return await wait_for(caller.hark, wish.name, wish.goal, min(parse_duration(wish.timeout), LONGEST_WAIT_S))


TOOLS = (
    Tool(
        "send",
        "Send a message to another session's agent. hark types it into that agent's input box when that is safe; with inbox it "
        "waits until that agent checks its inbox. Returns the message's id; wait tells what becomes of the message.",
        SendArguments,
        send,
    ),
    Tool(
        "reply",
        "Answer a message that another session's agent has sent you: the text goes to that agent. Reply once, and only if an answer "
        "is wanted.",
        ReplyArguments,
        reply,
    ),
    Tool(
        "ask",
        "Send a message to another session's agent, wait until it has worked on it, and return its answer. At the timeout it "
        "returns without an answer; read fetches it later.",
        AskArguments,
        ask,
    ),
    Tool(
        "read",
        "Return what an agent has answered to a message: its final words of the turn in which it worked on the message.",
        ReadArguments,
        read,
    ),
    Tool(
        "spawn",
        "Start another agent in a session of its own and give it its first task. Returns the session's name.",
        SpawnArguments,
        spawn,
    ),
    Tool(
        "check_inbox",
        "Take the messages out of your inbox; hark hands each out once. Acknowledge each with ack.",
        CheckInboxArguments,
        check_inbox,
    ),
    Tool(
        "ack",
        "Tell the sender that you have understood a message; with done, that what it asked for is done. For messages of "
        "your inbox and for those that were typed ([Input from: NAME via hark send · ID]).",
        AckArguments,
        ack,
    ),
    Tool(
        "signal",
        "Announce your status to the people who watch: working, completed, needs_input, needs_testing or error.",
        SignalArguments,
        signal,
    ),
    Tool(
        "remind",
        "Send a message to yourself (or another session) later, instead of sleeping: after a while, at a time, every so often, or "
        "by a cron line. hark types it like any other message.",
        RemindArguments,
        remind,
    ),
    Tool("sessions", "List the running sessions, which you can reach.", SessionsArguments, sessions),
    Tool(
        "wait",
        "Wait until a message is submitted (the agent got it), acknowledged or completed; or until a session's agent is "
        "idle, busy, waiting (for a permission), completed (with all that was sent to it), gone, or announces something "
        "(signal:working, signal:completed, signal:needs_input, signal:needs_testing, signal:error). Returns at the timeout too, with reached false.",
        WaitArguments,
        wait,
    ),
)
