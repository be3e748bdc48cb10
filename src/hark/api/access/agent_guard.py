"""The guard of `agent.sock`: it lets in an agent that shows the token of its session, with the rights of that session."""

import hmac
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hark.api.access.rights import AgentCaller
from hark.api.problems import problem_response
from hark.daemon.process.tokens import agent_token
from hark.model.errors import HarkError
from hark.model.session import Session, SessionState

SESSION_HEADER = b"hark-session"


class AgentGuard:
    def __init__(
        self, app: ASGIApp, secret: str, rights: frozenset[str], find: Callable[[str], Session | None]
    ) -> None:
        """`find` returns the session with the given id, or None."""
        self._app = app
        self._secret = secret
        self._rights = rights
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = self._session(Headers(scope=scope)) if scope["type"] in ("http", "websocket") else None
        if session is None or (scope["type"] == "websocket" and "read" not in self._rights):
            await _refuse(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name != SESSION_HEADER]
        headers.append((SESSION_HEADER, session.id.encode()))
        await self._app({**scope, "headers": headers, "hark_caller": AgentCaller(session, self._rights)}, receive, send)

    def _session(self, headers: Headers) -> Session | None:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        session_id = token.strip().partition(".")[0]
        expected = agent_token(self._secret, session_id)
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), expected.encode()):
            return None
        session = self._find(session_id)
        return session if session and session.state is not SessionState.GONE else None


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    refusal = HarkError(
        "token-wrong",
        "the token of a session is missing, wrong, or of a session that has ended",
        "use the token in HARK_TOKEN of the session's environment",
    )
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.detail})
    elif scope["type"] == "http":
        await problem_response(refusal)(scope, receive, send)
