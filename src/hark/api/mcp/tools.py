"""The MCP tools as one table, without the SDK: the arguments of each tool, and what the tool does."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, field

from hark.api.calls.inbox import CheckInbox, InboxList, acknowledge_message, announce, take_out
from hark.api.calls.scheduler import ReminderInfo, reminder_info
from hark.api.calls.spawn import Spawn, start_with_task
from hark.api.mcp.message_tools import (
    AskArguments,
    ReadArguments,
    ReplyArguments,
    SendArguments,
    ask,
    read,
    reply,
    send,
)
from hark.api.mcp.tool import LONGEST_WAIT_S, STRING, Caller, Duration, Tool, Words
from hark.api.mcp.waiting import Waited, wait_for
from hark.api.shapes.foundation import Request, Response
from hark.daemon.timers.reminders import make_when
from hark.model.errors import HarkError
from hark.model.signal import SignalState
from hark.model.text.duration import parse_duration

LONGEST_INBOX_WAIT_S = 60.0


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


async def spawn(caller: Caller, arguments: SpawnArguments) -> SpawnAnswer:
    if caller.agent:
        caller.agent.require("spawn")
    own = caller.session
    made = await start_with_task(
        caller.hark,
        Spawn(
            agent=arguments.agent or None,
            task=arguments.task,
            name=arguments.name or None,
            directory=arguments.directory or (own.directory if own else None),
            environment=caller.environment,
            sender_session_id=own.id if own else None,
            notify_on_stop=arguments.notify_on_stop and own is not None,
        ),
    )
    return SpawnAnswer(session=made.session.name, message_id=made.message.id)


class CheckInboxArguments(Request, frozen=True):
    wait: Duration = ""
    again: Annotated[bool, Meta(description="also hand out what was handed out before and never acknowledged")] = False


async def check_inbox(caller: Caller, arguments: CheckInboxArguments) -> InboxList:
    within_s = min(parse_duration(arguments.wait), LONGEST_INBOX_WAIT_S) if arguments.wait else 0.0
    looked = CheckInbox(wait_seconds=within_s, again=arguments.again)
    return await take_out(caller.hark, caller.own_session(), looked, caller.is_there)


class AckArguments(Request, frozen=True):
    id: Annotated[str, Meta(description="the message's id")]
    done: Annotated[bool, Meta(description="what the message asked for is done")] = False


class AckAnswer(Response, frozen=True, kw_only=True):
    id: str
    status: str


async def ack(caller: Caller, arguments: AckArguments) -> AckAnswer:
    message = await acknowledge_message(caller.hark, caller.own_session(), arguments.id, is_done=arguments.done)
    return AckAnswer(id=message.id, status=message.status)


class SignalArguments(Request, frozen=True):
    state: Annotated[Literal["working", "completed", "needs_input", "needs_testing", "error"], STRING]
    text: Annotated[str, Meta(description="one line for whoever watches")] = ""


class SignalAnswer(Response, frozen=True, kw_only=True):
    session: str
    nudge_seq: int


async def signal(caller: Caller, arguments: SignalArguments) -> SignalAnswer:
    session = await announce(caller.hark, caller.own_session(), SignalState(arguments.state), arguments.text)
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


async def remind(caller: Caller, arguments: RemindArguments) -> ReminderInfo:
    session = caller.hark.sessions.find(arguments.to) if arguments.to else caller.own_session()
    when = make_when(
        parse_duration(arguments.after) if arguments.after else None,
        _instant(arguments.at) if arguments.at else None,
        parse_duration(arguments.every) if arguments.every else None,
        arguments.cron or None,
    )
    asker = caller.session.id if caller.session else None
    return reminder_info(await caller.hark.scheduler.remind(session, when, arguments.text, sender=asker))


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


async def sessions(caller: Caller, arguments: SessionsArguments) -> SessionLines:
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


async def wait(caller: Caller, arguments: WaitArguments) -> Waited:
    return await wait_for(
        caller.hark, arguments.name, arguments.goal, min(parse_duration(arguments.timeout), LONGEST_WAIT_S)
    )


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
