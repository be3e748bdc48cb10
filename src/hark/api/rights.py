"""What an agent may do over `agent.sock`: the rights of its own session, and what the setting `agent_rights` grants beyond them.

Every call of the API has one rule in the table below; a test checks that. A rule looks at the caller and at the request, and
returns the body of the request as the call may carry it out, or refuses the request.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request

from hark.api.service import service_of
from hark.model.config import AGENT_RIGHTS
from hark.model.errors import HarkError
from hark.model.session import Session


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
    _check_own(caller, _named(request))
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


def granted(right: str, *, is_sender: bool = False) -> Rule:
    async def rule(caller: AgentCaller, request: Request, body: Any) -> Any:
        caller.require(right)
        return _sent_by(caller, body) if is_sender else body

    return rule


def granted_or_own(right: str) -> Rule:
    async def rule(caller: AgentCaller, request: Request, body: Any) -> Any:
        if _named(request).id != caller.session.id:
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
    ("POST", "/editor"): own_in_body,
    ("POST", "/hooks"): own_in_body,
    ("GET", "/signals"): granted("read"),
    ("GET", "/events"): granted("read"),
    ("GET", "/stats"): granted("read"),
    ("GET", "/metrics"): granted("read"),
    ("POST", "/spawn"): granted("spawn", is_sender=True),
    ("POST", "/sessions"): granted("spawn"),
    ("POST", "/sessions/run"): granted("spawn"),
    ("POST", "/sessions/{session:path}/restart"): granted("spawn"),
    ("POST", "/sessions/adopt"): granted("adopt"),
    ("POST", "/sessions/{session:path}/hold"): granted_or_own("hold"),
    ("POST", "/sessions/{session:path}/release"): granted("hold"),
    ("DELETE", "/sessions/{session:path}"): granted("kill"),
    ("PATCH", "/sessions/{session:path}"): granted("rename"),
    ("POST", "/shutdown"): nobody,
    ("POST", "/restart"): nobody,
}


async def permit(request: Request, method: str, path: str, body: Any) -> Any:
    """Return the body as the call may carry it out, or raise `not-permitted`. Only requests over `agent.sock` have an agent as caller."""
    caller = request.scope.get("hark_caller")
    return body if caller is None else await RULES.get((method, path), nobody)(caller, request, body)


def _named(request: Request) -> Session:
    """Return the session that the path of a call names."""
    session: Session = service_of(request).sessions.find(request.path_params["session"])
    return session


def _check_own(caller: AgentCaller, session: Session) -> None:
    if session.id != caller.session.id:
        raise _refused(f"{session.name} is not your session", "an agent speaks for its own session only")


def _sent_by(caller: AgentCaller, body: Any) -> Any:
    return msgspec.structs.replace(body, sender_session_id=caller.session.id, sender_name=None)


def _refused(detail: str, hint: str) -> HarkError:
    return HarkError("not-permitted", detail, f"{hint} (docs/security.md)")
