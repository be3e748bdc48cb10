"""The browsers that may look at the dashboard.

`hark dashboard` makes a link with a one-time code. The first request with the code gets a secret in its place, which the browser keeps
as a cookie. Codes live in memory only; of a secret only its digest is stored, so nobody can take a secret from the database.
"""

import getpass
import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct, structs

from hark.model.errors import HarkError
from hark.model.viewer import Browser
from hark.store.contract import Store

COOKIE_S = 30 * 86400
LONGEST_LINK_S = 3600.0
MOST_LINKS = 100
MOST_BROWSERS = 200
SEEN_EVERY = timedelta(minutes=5)
"""How much time passes before it is stored again that a browser was seen."""
LONGEST_AGENT = 200


class Link(Struct, frozen=True, kw_only=True):
    """What the browser gets that opens a one-time address first."""

    user: str
    is_read_only: bool
    until: datetime


class Browsers:
    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._links: dict[str, Link] = {}
        self._used: dict[str, datetime] = {}
        """The digests of codes that were used, until nobody could use them any more."""
        self._by_digest: dict[str, Browser] = {}
        self._connections: dict[str, set[Callable[[], None]]] = {}

    async def load(self) -> None:
        now = self._clock()
        for browser in await self._store.browsers():
            if browser.expires_at > now:
                self._by_digest[browser.digest] = browser
            else:
                await self._store.delete_browser(browser.id)

    def make_link(self, *, user: str | None = None, is_read_only: bool = False, seconds: float = 120.0) -> str:
        """Return the code of a one-time address, which is valid for so many seconds."""
        now = self._clock()
        self._links = {digest: link for digest, link in self._links.items() if link.until > now}
        self._used = {digest: until for digest, until in self._used.items() if until > now}
        if len(self._links) >= MOST_LINKS:
            raise HarkError("loop-limit", "too many addresses wait to be opened", "open one, or wait until they expire")
        code = secrets.token_urlsafe(32)
        until = now + timedelta(seconds=min(seconds, LONGEST_LINK_S))
        self._links[_digest(code)] = Link(user=user or own_user(), is_read_only=is_read_only, until=until)
        return code

    async def exchange(self, code: str, user_agent: str) -> tuple[Browser, str]:
        """Return the new browser and the secret for its cookie. A code works once: raise `code-used` or `code-unknown` otherwise."""
        digest, now = _digest(code), self._clock()
        link = self._links.pop(digest, None)
        if link is None:
            word = "code-used" if digest in self._used else "code-unknown"
            was = "was opened before" if word == "code-used" else "is unknown or too old"
            raise HarkError(word, f"this address {was}", "run `hark dashboard` again; every address works once")
        self._used[digest] = now + timedelta(seconds=LONGEST_LINK_S)
        if link.until <= now:
            raise HarkError("code-unknown", "this address is too old", "run `hark dashboard` again")
        return await self._admit(link, user_agent, now)

    async def _admit(self, link: Link, user_agent: str, now: datetime) -> tuple[Browser, str]:
        secret = secrets.token_urlsafe(32)
        browser = Browser(
            id=secrets.token_hex(6),
            user=link.user,
            digest=_digest(secret),
            is_read_only=link.is_read_only,
            user_agent="".join(one for one in user_agent if one.isprintable())[:LONGEST_AGENT],
            created_at=now,
            last_seen_at=now,
            expires_at=now + timedelta(seconds=COOKIE_S),
        )
        await self._store.save_browser(browser)
        self._by_digest[browser.digest] = browser
        for oldest in sorted(self._by_digest.values(), key=lambda one: one.last_seen_at)[:-MOST_BROWSERS]:
            await self.revoke(oldest.id)
        return browser, secret

    def find(self, secret: str) -> Browser | None:
        """Return the browser that has this secret; None if no browser has it, or if it has expired or was revoked."""
        browser = self._by_digest.get(_digest(secret)) if secret else None
        return browser if browser and browser.expires_at > self._clock() else None

    async def note_seen(self, browser: Browser) -> None:
        """Store that the browser was seen now, but not at every request."""
        current, now = self._by_digest.get(browser.digest), self._clock()
        if current is None or now - current.last_seen_at < SEEN_EVERY:
            return
        seen = structs.replace(current, last_seen_at=now, expires_at=now + timedelta(seconds=COOKIE_S))
        self._by_digest[browser.digest] = seen
        await self._store.save_browser(seen)

    def all(self) -> list[Browser]:
        now = self._clock()
        return [browser for browser in self._by_digest.values() if browser.expires_at > now]

    async def revoke(self, browser_id: str) -> None:
        """Make the cookie of a browser worthless, and end its connections."""
        found = [browser for browser in self._by_digest.values() if browser.id == browser_id]
        if not found:
            raise HarkError(
                "browser-not-found", f"there is no browser {browser_id}", "`hark dashboard sessions` lists them"
            )
        del self._by_digest[found[0].digest]
        await self._store.delete_browser(browser_id)
        for hang_up in tuple(self._connections.get(browser_id, ())):
            hang_up()

    def connect(self, browser_id: str, hang_up: Callable[[], None]) -> Callable[[], None]:
        """Take note of an open connection of a browser; `hang_up` is called when the browser is revoked. Return a function to call when
        the connection has ended."""
        self._connections.setdefault(browser_id, set()).add(hang_up)

        def disconnect() -> None:
            left = self._connections.get(browser_id, set())
            left.discard(hang_up)
            if not left:
                self._connections.pop(browser_id, None)

        return disconnect

    def is_connected(self, browser_id: str) -> bool:
        return browser_id in self._connections


def own_user() -> str:
    """Return the name of the user whose daemon this is."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
