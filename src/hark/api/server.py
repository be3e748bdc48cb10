"""The ASGI application: it serves every call of the tables, the WebSocket of events, and MCP."""

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hark import __version__
from hark.api import openapi
from hark.api.calls import (
    answers,
    drafts,
    editors,
    inbox,
    messages,
    metrics,
    needs,
    output,
    questions,
    scheduler,
    sessions,
    signals,
    spawn,
    system,
)
from hark.api.dashboard import access, live, pages, reading
from hark.api.dashboard.board import Board
from hark.api.mcp.door import Door
from hark.api.problems import problem_response
from hark.api.route import endpoint
from hark.daemon.service import Service
from hark.model.errors import HarkError

# Calls with a longer path come first, because a session's name may contain slashes.
CALLS = (
    *system.CALLS,
    *access.CALLS,
    *reading.CALLS,
    *metrics.CALLS,
    *editors.CALLS,
    *scheduler.CALLS,
    *inbox.CALLS,
    *spawn.CALLS,
    *answers.CALLS,
    *drafts.CALLS,
    *messages.CALLS,
    *signals.CALLS,
    *needs.CALLS,
    *questions.CALLS,
    *output.CALLS,
    *sessions.CALLS,
)


def make_api(hark: Service, max_text_bytes: int) -> Starlette:
    # JSON may write a one-byte character as \uXXXX, which takes six bytes.
    largest_body = 6 * max_text_bytes + 65536
    door = Door(hark, largest_body)
    routes: list[BaseRoute] = [
        *pages.routes(),
        WebSocketRoute("/events", system.follow_events),
        WebSocketRoute("/live", live.follow_live),
        Route("/mcp", door, methods=["POST"]),
    ]
    routes += [Route(call.path, endpoint(call), methods=[call.method]) for call in CALLS]
    app = Starlette(
        routes=routes, exception_handlers={HTTPException: _not_routed}, middleware=[Middleware(VersionHeader)]
    )
    app.state.hark = hark
    app.state.mcp = door
    app.state.board = Board(hark)
    app.state.largest_body = largest_body
    app.state.openapi = msgspec.json.encode(openapi.describe(CALLS))
    return app


class VersionHeader:
    """Adds the daemon's version to every answer: a newer client then knows why the daemon did not understand a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_version(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"hark-version", __version__.encode())]
            await send(message)

        await self._app(scope, receive, send_with_version)


async def _not_routed(request: Request, failure: Exception) -> Response:
    assert isinstance(failure, HTTPException)
    code = "method-not-allowed" if failure.status_code == 405 else "route-not-found"
    response = problem_response(
        HarkError(
            code, f"{request.method} {request.url.path}: {code.replace('-', ' ')}", "/openapi.json lists every call"
        )
    )
    response.headers.update(failure.headers or {})
    return response
