"""The guard of the TCP port: it lets in only requests with the token, to a loopback name, and from no page of another origin."""

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hark.api.problems import problem_response
from hark.model.errors import HarkError

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class Guard:
    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = (
            check(Headers(scope=scope), self._token, self._port) if scope["type"] in ("http", "websocket") else None
        )
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.detail})
        else:
            await problem_response(refusal)(scope, receive, send)


def check(headers: Headers, token: str, port: int) -> HarkError | None:
    """Return the refusal of a request, or None to let the request in.

    A wrong Host means that somebody pointed a name at us (DNS rebinding); a foreign Origin means that a web page calls."""
    host = _address(f"//{headers.get('host', '')}")
    if host is None or host[1] not in LOOPBACK_NAMES or host[2] not in (None, port):
        return HarkError("host-refused", "the Host header does not name this daemon", f"use 127.0.0.1:{port}")
    origin = headers.get("origin")
    if origin is not None and not _is_own(origin, port):
        return HarkError(
            "origin-refused",
            "the request comes from a web page of another origin",
            "call from the dashboard, or without a browser",
        )
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        return HarkError(
            "token-wrong",
            "the token is missing or wrong",
            "send `Authorization: Bearer TOKEN`; the token is in the state directory, in the file `token`",
        )
    return None


def _is_own(origin: str, port: int) -> bool:
    found = _address(origin)
    return found is not None and found[0] == "http" and found[1] in LOOPBACK_NAMES and found[2] == port


def _address(url: str) -> tuple[str, str | None, int | None] | None:
    """Return scheme, host and port; None if the value is not an address."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port
    except ValueError:
        return None
