"""What an agent may do over `agent.sock`: the rights of its own session, and what the setting `agent_rights` grants beyond them.

Every call of the API has one rule in the table below; a test checks that. A rule looks at the caller and at the request, and
returns the body of the request as the call may carry it out, or refuses the request.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request

from hark.agents.native.processes import ancestors
from hark.api.listening import BY_UNIX_SOCKET
from hark.api.service import service_of, session_of
from hark.daemon.process.slow_calls import work_aside
from hark.model.errors import HarkError
from hark.model.session import Session
from hark.model.settings.config import AGENT_RIGHTS, parse_rights


class AgentCaller(Struct, frozen=True):
    """An agent that has shown the token of its session."""

    session: Session
    rights: frozenset[str]
    """The rights that the settings grant to agents beyond their own session."""

    def require(self, right: str) -> None:
        if right not in self.rights:
            raise _refused(f"an agent may not {AGENT_RIGHTS[right]}", f"a human may grant it: agent_rights = {right!r}")


Rule = Callable[[AgentCaller, Request, Any], Awaitable[Any]]


async def everybody(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let every agent through: the call reads what every agent may know."""
    return body


async def nobody(caller: AgentCaller, request: Request, body: Any) -> Any:
    raise _refused("this call is not for agents", "a human can make it outside the session")


async def own_session(caller: AgentCaller, request: Request, body: Any) -> Any:
    _check_own(caller, session_of(request))
    return body


async def own_in_body(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let an agent through if the body of the call names its own session or none, and fill in its own session."""
    if body.session_id is not None:
        _check_own(caller, service_of(request).sessions.find(body.session_id))
    return msgspec.structs.replace(body, session_id=caller.session.id)


async def as_sender(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let an agent through as the sender: whatever the request says about its sender, the sender is the session of the token."""
    if getattr(body, "raw", False):
        caller.require("raw")
    return _sent_by(caller, body)


async def own_message(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let an agent through to a message that it has sent or received."""
    message = await service_of(request).mailbox.find(request.path_params["message"])
    if caller.session.id not in (message.session_id, message.sender_session_id):
        raise _refused(f"message {message.id} is not yours", "an agent sees only what it has sent and what it was sent")
    return msgspec.structs.replace(body, session_id=caller.session.id) if hasattr(body, "session_id") else body


async def replier(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let an agent through to reply, as itself, to a message that it was sent."""
    await own_message(caller, request, body)
    return await as_sender(caller, request, body)


async def sent_message(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let an agent through to a message that it has sent: only the sender may cancel or retry a message."""
    message = await service_of(request).mailbox.find(request.path_params["message"])
    if caller.session.id != message.sender_session_id:
        raise _refused(
            f"message {message.id} was sent by somebody else", "an agent may take back or retry only what it has sent"
        )
    return body


async def own_reminder(caller: AgentCaller, request: Request, body: Any) -> Any:
    wanted = request.path_params["reminder"]
    waiting = await service_of(request).scheduler.waiting()
    is_own = {one.id for one in waiting if caller.session.id in (one.session_id, one.sender_session_id)}
    if any(one.id.startswith(wanted) for one in waiting) and not any(one.startswith(wanted) for one in is_own):
        raise _refused(f"reminder {wanted} is not yours", "`hark reminders` lists yours")
    return body


async def other_question(caller: AgentCaller, request: Request, body: Any) -> Any:
    """Let an agent through to answer what another session's agent asks, if the settings grant that. No agent answers itself."""
    caller.require("answer")
    one = await service_of(request).questions.find(request.path_params["question"])
    if one.question.session_id == caller.session.id:
        raise _refused("an agent may not answer what it asks itself", "its human answers")
    return msgspec.structs.replace(body, answered_as=caller.session.name)


def granted(right: str, *, is_sender: bool = False) -> Rule:
    async def rule(caller: AgentCaller, request: Request, body: Any) -> Any:
        caller.require(right)
        return _sent_by(caller, body) if is_sender else body

    return rule


def granted_or_own(right: str) -> Rule:
    async def rule(caller: AgentCaller, request: Request, body: Any) -> Any:
        if session_of(request).id != caller.session.id:
            caller.require(right)
        return body

    return rule


RULES: dict[tuple[str, str], Rule] = {
    ("GET", "/healthz"): everybody,
    ("GET", "/openapi.json"): everybody,
    ("GET", "/sessions"): everybody,
    ("GET", "/wait"): everybody,
    ("GET", "/needs"): everybody,
    ("GET", "/needs/line"): everybody,
    ("GET", "/sessions/{session:path}"): everybody,
    ("POST", "/send"): as_sender,
    ("POST", "/sessions/{session:path}/send"): as_sender,
    ("POST", "/scheduler/remind"): as_sender,
    ("GET", "/scheduler/reminders"): everybody,
    ("DELETE", "/scheduler/reminders/{reminder}"): own_reminder,
    ("POST", "/sessions/{session:path}/inbox"): own_session,
    ("POST", "/sessions/{session:path}/signal"): own_session,
    ("POST", "/sessions/{session:path}/near-miss"): own_session,
    ("GET", "/sessions/{session:path}/send-queue"): granted_or_own("read"),
    ("GET", "/sessions/{session:path}/draft"): granted_or_own("read"),
    ("GET", "/sessions/{session:path}/messages"): granted_or_own("read"),
    ("GET", "/sessions/{session:path}/last-answer"): granted_or_own("read"),
    ("GET", "/sessions/{session:path}/output"): granted_or_own("read"),
    ("GET", "/sessions/{session:path}/output/stream"): granted_or_own("read"),
    ("GET", "/messages/{message}"): own_message,
    ("GET", "/messages/{message}/thread"): own_message,
    ("POST", "/messages/{message}/ack"): own_message,
    ("POST", "/messages/{message}/reply"): replier,
    ("POST", "/messages/{message}/cancel"): sent_message,
    ("POST", "/messages/{message}/retry"): sent_message,
    ("POST", "/messages/{message}/release"): nobody,
    ("POST", "/editor"): own_in_body,
    ("POST", "/hooks"): own_in_body,
    ("GET", "/signals"): granted("read"),
    ("GET", "/events"): granted("read"),
    ("GET", "/stats"): granted("read"),
    ("GET", "/metrics"): granted("read"),
    ("GET", "/questions"): granted("read"),
    ("POST", "/questions/{question}/answer"): other_question,
    ("POST", "/spawn"): granted("spawn", is_sender=True),
    ("POST", "/sessions"): granted("spawn"),
    ("POST", "/sessions/run"): granted("spawn"),
    ("POST", "/sessions/{session:path}/restart"): granted("spawn"),
    ("POST", "/sessions/adopt"): granted("adopt"),
    ("POST", "/sessions/{session:path}/hold"): granted_or_own("hold"),
    ("POST", "/sessions/{session:path}/release"): granted("hold"),
    ("DELETE", "/sessions/{session:path}"): granted("kill"),
    ("PATCH", "/sessions/{session:path}"): granted("rename"),
    ("GET", "/search"): granted("read"),
    ("GET", "/messages/{message}/story"): own_message,
    ("GET", "/dashboard/snapshot"): nobody,
    ("GET", "/dashboard/overview"): nobody,
    ("GET", "/dashboard/away"): nobody,
    ("PUT", "/dashboard/acknowledgements"): nobody,
    ("GET", "/dashboard/notifications"): nobody,
    ("POST", "/dashboard/notifications"): nobody,
    ("POST", "/dashboard/links"): nobody,
    ("POST", "/dashboard/close"): nobody,
    ("GET", "/dashboard/me"): nobody,
    ("POST", "/dashboard/leave"): nobody,
    ("GET", "/dashboard/browsers"): nobody,
    ("DELETE", "/dashboard/browsers/{browser}"): nobody,
    ("POST", "/shutdown"): nobody,
    ("POST", "/restart"): nobody,
}


async def permit(request: Request, method: str, path: str, body: Any) -> Any:
    """Return the body as the call may carry it out, or raise `not-permitted`. Only requests over `agent.sock` have an agent as caller;
    for the calls in `TRACED` the process that calls is looked at as well."""
    caller = request.scope.get("hark_caller")
    if caller is None and (method, path) in TRACED:
        caller = await _traced(request)
    return body if caller is None else await RULES.get((method, path), nobody)(caller, request, body)


TRACED = frozenset({("POST", "/questions/{question}/answer")})
"""The calls that a program inside a session may not make over `hark.sock` either, where the kernel says which process calls."""


async def _traced(request: Request) -> AgentCaller | None:
    """Return the agent in whose session the calling process runs; None if it runs in no session, or if nobody knows."""
    client, hark = request.client, service_of(request)
    if client is None or client.host != BY_UNIX_SOCKET:
        return None
    chain = {process.pid for process in await work_aside("the caller", partial(ancestors, client.port))}
    inside = next((session for session in hark.sessions.running() if session.pane.pid in chain), None)
    return AgentCaller(inside, parse_rights(hark.config.agent_rights)) if inside else None


def _check_own(caller: AgentCaller, session: Session) -> None:
    if session.id != caller.session.id:
        raise _refused(f"{session.name} is not your session", "an agent speaks for its own session only")


def _sent_by(caller: AgentCaller, body: Any) -> Any:
    return msgspec.structs.replace(body, sender_session_id=caller.session.id, sender_name=None)


def _refused(detail: str, hint: str) -> HarkError:
    return HarkError("not-permitted", detail, f"{hint} (docs/security.md)")
