"""How a browser that was let in proves it: with a cookie, and with the key of its pages.

A browser sends a cookie to every port of its host. So every web server on this machine can read our cookie, and could use it or overwrite
it. The cookie alone therefore opens nothing: a page must also send a key, which it keeps in its local storage. Local storage belongs to one
origin, port included, so a server on another port never sees the key; and no script can read the cookie.
"""

import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie

from msgspec import Struct
from starlette.datastructures import Headers

from hark.model.viewer import Browser

KEY_HEADER = "hark-page-key"
SOCKET_PROTOCOL = "hark"
SOCKET_KEY = "hark-key."
"""The beginning of the WebSocket protocol that carries the key: pages cannot give a WebSocket any other header."""


class SignIn(Struct, frozen=True):
    """The names of cookies and the keys of pages, for one port of one installation of hark."""

    port: int
    token: str
    """The secret of this installation."""

    def cookie_name(self, *, is_secure: bool) -> str:
        """Return the name of the cookie. It names the installation and the port, so that no two of them share a cookie. Over https the
        prefix __Host- keeps other hosts and plain http from setting it."""
        name = f"hark_{self.port}_{self._proof('cookie')[:8]}"
        return f"__Host-{name}" if is_secure else name

    def secrets_in(self, headers: Headers) -> list[str]:
        """Return the secrets that the request's cookies hold under our names."""
        try:
            found = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return []
        names = (self.cookie_name(is_secure=True), self.cookie_name(is_secure=False))
        return [found[name].value for name in names if name in found]

    def key_of(self, browser: Browser) -> str:
        """Return the key for the pages of a browser. It follows from our secret, and cannot be computed from the cookie."""
        return self._proof(f"page:{browser.digest}")

    def has_key(self, headers: Headers, browser: Browser) -> bool:
        given = headers.get(KEY_HEADER) or _socket_key(headers)
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self.key_of(browser).encode())

    def _proof(self, words: str) -> str:
        return hmac.new(self.token.encode(), words.encode(), hashlib.sha256).hexdigest()


def is_secure(headers: Headers) -> bool:
    """True if the browser speaks https with a proxy before us."""
    return headers.get("x-forwarded-proto") == "https"


def socket_protocols(headers: Headers) -> list[str]:
    return [one.strip() for one in headers.get("sec-websocket-protocol", "").split(",")]


def _socket_key(headers: Headers) -> str:
    offered = (one for one in socket_protocols(headers) if one.startswith(SOCKET_KEY))
    return next(offered, "").removeprefix(SOCKET_KEY)
