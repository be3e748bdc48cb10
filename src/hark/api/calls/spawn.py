"""The call that starts an agent and gives it its first task."""

from starlette.requests import Request as HttpRequest

from hark.api.calls.messages import post, sent_answer
from hark.api.route import Call, idempotency_key
from hark.api.service import service_of
from hark.api.shapes.foundation import Request, Response
from hark.api.shapes.messages import Send, Sent
from hark.api.shapes.sessions import SessionInfo, session_info
from hark.daemon.mailbox import NewMessage
from hark.daemon.registry.default_agent import command_for
from hark.daemon.registry.idempotency import Once
from hark.daemon.registry.starter import Start
from hark.daemon.service import Service
from hark.model.ids import SessionId
from hark.model.message import Notify


class Spawn(Request, frozen=True, kw_only=True):
    agent: str | None = None
    """The agent kind; by default the kind that hark recognises in `command`, or the default agent."""
    task: str
    """The text of the agent's first message, which hark delivers when the agent is ready."""
    name: str | None = None
    command: list[str] = []
    """The command that starts the agent; by default the program of its agent kind."""
    directory: str | None = None
    environment: dict[str, str] = {}
    sender_session_id: str | None = None
    sender_name: str | None = None
    notify_on_stop: bool = False


class Spawned(Response, frozen=True, kw_only=True):
    session: SessionInfo
    message: Sent


async def spawn(request: HttpRequest, body: Spawn) -> Spawned:
    hark, key = service_of(request), idempotency_key(request)
    if key is None:
        return await start_with_task(hark, body)
    once = Once(call="spawn", key=key, body=body, answer=Spawned)
    made: Spawned = await hark.repeats.run(once, lambda session_id: start_with_task(hark, body, key, session_id))
    return made


async def start_with_task(
    hark: Service, body: Spawn, key: str | None = None, session_id: SessionId | None = None
) -> Spawned:
    """Check the task before anything starts, start the session unless one with `session_id` exists, and send it the task."""
    notify = Notify(on_stop=body.notify_on_stop)
    hark.mailbox.check(
        NewMessage(text=body.task, sender=body.sender_session_id, sender_name=body.sender_name, notify=notify)
    )
    command = command_for(hark.kinds, body.agent, body.command, body.environment, hark.config.default_agent)
    if session_id and hark.sessions.is_known(session_id):
        session = hark.sessions.get(session_id)
    else:
        session = await hark.starter.start(_start(body, command, session_id))
    first = Send(
        text=body.task,
        sender_session_id=body.sender_session_id,
        sender_name=body.sender_name,
        notify_on_stop=body.notify_on_stop,
    )
    sent = await post(hark, session, first, key)
    return Spawned(session=session_info(session), message=await sent_answer(hark, sent))


def _start(body: Spawn, command: list[str], session_id: SessionId | None) -> Start:
    return Start(
        command=command,
        environment=body.environment,
        name=body.name,
        agent=body.agent,
        directory=body.directory,
        session_id=session_id,
    )


CALLS = (
    Call(
        method="POST",
        path="/spawn",
        summary="Start an agent in a new session and give it its first task when it is ready. With an Idempotency-Key header "
        "the same key starts one agent.",
        handler=spawn,
        body=Spawn,
        response=Spawned,
        status=201,
        errors=(
            "name-taken",
            "name-invalid",
            "name-reserved",
            "agent-unknown",
            "request-invalid",
            "text-empty",
            "tmux-missing",
            "idempotency-conflict",
            "tmux-unsafe",
        ),
    ),
)
