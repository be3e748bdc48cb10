"""Names of the port, calls of browsers, and the life of a one-time address."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from hark.api.access.guard import Names
from hark.daemon.viewing.browsers import COOKIE_S, Browsers
from hark.model.errors import HarkError
from hark.model.settings.config import parse_hosts
from tests.support.memory_store import MemoryStore

NAMES = Names(4275, parse_hosts("box.ts.net, dash.example:8443"))


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        ("http://127.0.0.1:4275", True),
        ("http://localhost:4275", True),
        ("https://127.0.0.1:4275", False),
        ("http://127.0.0.1", False),
        ("http://127.0.0.1:80", False),
        ("https://box.ts.net", True),
        ("https://box.ts.net:8443", False),
        ("https://dash.example:8443", True),
        ("https://dash.example", False),
        ("https://box.ts.net.evil.example", False),
        ("https://evil.example@box.ts.net", False),
        ("null", False),
        ("", False),
    ],
)
def test_only_our_own_pages_are_of_our_origin(origin: str, is_ours: bool) -> None:
    assert NAMES.is_origin(origin) is is_ours


@pytest.mark.parametrize("words", ["http://x", "a b", "x/y", "-x", "x:99999999", "*"])
def test_what_is_no_name_is_no_host(words: str) -> None:
    with pytest.raises(HarkError, match="config-invalid"):
        parse_hosts(words)


def test_an_address_and_a_cookie_end_when_their_time_is_over() -> None:
    now = [datetime(2026, 3, 1, tzinfo=UTC)]

    async def story() -> None:
        store = MemoryStore()
        await store.open()
        browsers = Browsers(store, lambda: now[0])
        late, code = browsers.make_link(seconds=10), browsers.make_link(seconds=60)
        now[0] += timedelta(seconds=11)
        with pytest.raises(HarkError, match="code-unknown"):
            await browsers.exchange(late, "x")
        browser, secret = await browsers.exchange(code, "Fire\x1bfox")
        assert (browsers.find(secret), browsers.find(""), browsers.find("x")) == (browser, None, None)
        assert browser.user_agent == "Firefox"
        assert secret not in str(await store.browsers())
        now[0] += timedelta(seconds=COOKIE_S + 1)
        assert browsers.find(secret) is None
        again = Browsers(store, lambda: now[0])
        await again.load()
        assert (again.all(), await store.browsers()) == ([], [])

    asyncio.run(story())
