"""The call that starts an agent and gives it its first task."""

from typing import Any

from starlette.requests import Request

from hark.api.messages import idempotency_key, post, sent_answer
from hark.api.route import Call
from hark.api.shapes import Send, Spawn, Spawned, session_info
from hark.delivery.wording import check_text
from hark.model.errors import HarkError

COLUMNS, ROWS = 120, 40


async def spawn(request: Request, body: Spawn) -> Spawned:
    return await spawned(request.app.state.hark, body, idempotency_key(request))


async def spawned(hark: Any, body: Spawn, key: str | None = None) -> Spawned:
    """A text that cannot be sent starts nothing."""
    check_text(body.task, hark.config.max_text_bytes)
    kind = hark.kinds.get(body.agent)
    command = body.command or list(kind.commands[:1])
    if not command:
        raise HarkError("request-invalid", f"{body.agent} has no program of its own", "say how it is started")
    session = await hark.sessions.start(
        command,
        name=body.name,
        agent=body.agent,
        directory=body.directory,
        environment=body.environment,
        columns=COLUMNS,
        rows=ROWS,
        socket=None,
    )
    first = Send(
        text=body.task,
        sender_session_id=body.sender_session_id,
        sender_name=body.sender_name,
        notify_on_stop=body.notify_on_stop,
    )
    sent = await post(hark, session, first, key)
    return Spawned(session=session_info(session), message=await sent_answer(hark, sent))


CALLS = (
    Call(
        method="POST",
        path="/spawn",
        summary="Start an agent in a new session and give it its first task when it is ready.",
        handler=spawn,
        body=Spawn,
        response=Spawned,
        status=201,
        errors=("name-taken", "name-invalid", "agent-unknown", "request-invalid", "text-empty", "tmux-missing"),
    ),
)
