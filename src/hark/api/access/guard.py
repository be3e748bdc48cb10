"""The guard of the TCP port: it lets in requests with the token or with the cookie of a browser, to a name of ours, and from no page of
another origin.

A wrong Host means that somebody pointed a name at us (DNS rebinding). A foreign Origin means that a web page calls; a browser sends the
cookie to every port of its host, so pages of other local servers call with the cookie, too: Origin and Sec-Fetch-Site tell them from ours,
and they lack the key of our own pages (sign_in.py).
"""

import hmac
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hark.api.access.sign_in import SOCKET_PROTOCOL, SignIn, socket_protocols
from hark.api.dashboard.permission import check_browser
from hark.api.problems import problem_response
from hark.daemon.viewing.browsers import Browsers
from hark.model.errors import HarkError
from hark.model.viewer import Browser

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
OPEN_PATHS = ("/assets/", "/icons/", "/open/")
"""Where paths begin that need neither token nor cookie: there are only the dashboard's own files, and the one-time addresses."""
OPEN_FILES = frozenset({"/", "/manifest.webmanifest", "/sw.js", "/favicon.ico"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self' {sockets}; manifest-src 'self'; worker-src 'self'; media-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)


class Names(Struct, frozen=True):
    """The names under which the port may be called."""

    port: int
    hosts: frozenset[str] = frozenset()
    """Names of a reverse proxy, from the setting `dashboard_hosts`, with or without a port."""

    def is_host(self, host: str) -> bool:
        found = _address(f"//{host}")
        if found is None or found[1] is None:
            return False
        if host.lower() in self.hosts or (found[1] in self.hosts and found[2] in (None, 80, 443)):
            return True
        return found[1] in LOOPBACK_NAMES and found[2] in (None, self.port)

    def is_origin(self, origin: str) -> bool:
        found = _address(origin)
        if found is None or found[1] is None:
            return False
        if found[1] in LOOPBACK_NAMES:
            return found[0] == "http" and found[2] == self.port
        return found[0] in ("http", "https") and self.is_host(urlsplit(origin).netloc)


class Guard:
    def __init__(self, app: ASGIApp, token: str, names: Names, browsers: Browsers) -> None:
        self._app = app
        self._sign_in = SignIn(names.port, token)
        self._names = names
        self._browsers = browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            browser = check(scope, headers, self._sign_in, self._names, self._browsers)
        except HarkError as refusal:
            await _refuse(refusal, scope, receive, _hardened(send, headers))
            return
        if browser:
            await self._browsers.note_seen(browser)
        tcp = {"hark_browser": browser, "hark_sign_in": self._sign_in, "hark_tcp": True}
        await self._app({**scope, **tcp}, receive, _hardened(send, headers))


async def _refuse(refusal: HarkError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.detail})
    else:
        await problem_response(refusal)(scope, receive, send)


def _hardened(send: Send, headers: Headers) -> Send:
    """Return a `send` that adds the headers that keep a page in its place."""
    host = headers.get("host", "")
    policy = POLICY.format(sockets=f"ws://{host} wss://{host}" if _is_plain(host) else "")

    async def send_hardened(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            more = [*HEADERS, (b"content-security-policy", policy.encode())]
            more += [] if b"cache-control" in given else [(b"cache-control", b"no-store")]
            message["headers"] = [*message.get("headers", ()), *more]
        if message["type"] == "websocket.accept" and SOCKET_PROTOCOL in socket_protocols(headers):
            message["subprotocol"] = SOCKET_PROTOCOL
        await send(message)

    return send_hardened


def check(scope: Scope, headers: Headers, sign_in: SignIn, names: Names, browsers: Browsers) -> Browser | None:
    """Return the browser that sends the request; None if the request has the token, or needs nothing. Raise the refusal otherwise."""
    # Two of them would let a page choose which one we look at.
    is_clear = len(headers.getlist("host")) == 1 and len(headers.getlist("origin")) <= 1
    if not is_clear or not names.is_host(headers["host"]):
        raise HarkError("host-refused", "the Host header does not name this daemon", f"use 127.0.0.1:{names.port}")
    path, is_socket = scope["path"], scope["type"] == "websocket"
    is_open = not is_socket and (path in OPEN_FILES or path.startswith(OPEN_PATHS))
    _check_origin(headers, names, is_open=is_open)
    if is_open:
        return None
    if "authorization" in headers:
        _check_token(headers, sign_in.token)
        return None
    browser = next(filter(None, map(browsers.find, sign_in.secrets_in(headers))), None)
    if browser is None:
        raise _not_signed_in(headers)
    if not sign_in.has_key(headers, browser):
        raise HarkError("not-signed-in", "the request has a cookie, but not the key of a page", "run `hark dashboard`")
    method = "GET" if is_socket else scope["method"]
    if (is_socket or method not in ("GET", "HEAD")) and "origin" not in headers:
        raise _foreign("a request that changes something must say from which page it comes")
    check_browser(browser, method, path)
    return browser


def _check_origin(headers: Headers, names: Names, *, is_open: bool) -> None:
    origin = headers.get("origin")
    if origin is not None and not names.is_origin(origin):
        raise _foreign("the request comes from a web page of another origin")
    # A link on another page may lead to the dashboard; nothing else of a browser's comes from another site or another port.
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_open:
        raise _foreign("the request comes from a web page of another origin")


def _check_token(headers: Headers, token: str) -> None:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise _token_wrong()


def _not_signed_in(headers: Headers) -> HarkError:
    if "cookie" not in headers and "sec-fetch-mode" not in headers:
        return _token_wrong()
    return HarkError("not-signed-in", "this browser was not let in, or not any more", "run `hark dashboard`")


def _token_wrong() -> HarkError:
    return HarkError(
        "token-wrong",
        "the token is missing or wrong",
        "send `Authorization: Bearer TOKEN`; the token is in the state directory, in the file `token`",
    )


def _foreign(detail: str) -> HarkError:
    return HarkError("origin-refused", detail, "call from the dashboard, or without a browser")


def _is_plain(host: str) -> bool:
    return bool(host) and all(one.isalnum() or one in ".-:[]" for one in host)


def _address(url: str) -> tuple[str, str | None, int | None] | None:
    """Return scheme, host and port; None if the value is not an address."""
    try:
        parts = urlsplit(url)
        return None if "@" in parts.netloc else (parts.scheme, parts.hostname, parts.port)
    except ValueError:
        return None
