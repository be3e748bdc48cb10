"""Real Chromium against a real daemon, tmux and agents. There are no skips: without a Chromium these tests fail, and say what to do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright

from tests.integration.end_to_end.running import RunningHark

DEADLINE_MS = 60_000
STATIC = Path(__file__).parents[2] / "src/hark/api/static"


def find_chromium() -> str:
    names = [os.environ.get("HARK_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    assert found, "there is no Chromium: scripts/browser-install installs one, HARK_CHROMIUM names another"
    return found


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Playwright's own event loop runs as long as this fixture lives, and no other loop can run in the thread meanwhile: so it ends with the
    file, before tests of other files come."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    assert (STATIC / "index.html").is_file(), "the dashboard is not built: scripts/web-build builds it"
    browser = playwright.chromium.launch(
        executable_path=find_chromium(),
        # The sandbox needs rights that a container may not have; the pages are our own.
        args=["--no-sandbox", "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required"],
    )
    yield browser
    browser.close()


class Dashboard:
    """The dashboard of one daemon. Each device is a browser context of its own, with its own cookie and its own storage."""

    def __init__(self, hark: RunningHark, chromium: Browser) -> None:
        self.hark = hark
        self._chromium = chromium
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []
        """What pages have complained about: errors of scripts, broken policies, failed requests."""

    def link(self, **wanted: object) -> str:
        if self.hark.daemon_pid() is None:
            self.hark.ok("daemon", "start")
        url: str = self.hark.api("POST", "/dashboard/links", wanted).json["url"]
        return url

    def device(self, **options: Any) -> BrowserContext:
        """Return a browser that was never here before. `options` are those of Playwright's `new_context`."""
        context = self._chromium.new_context(**({"viewport": {"width": 1200, "height": 800}} | options))
        context.set_default_timeout(DEADLINE_MS)
        self._contexts.append(context)
        return context

    def sign_in(self, context: BrowserContext | None = None, **wanted: object) -> Page:
        """Open a one-time address, on a new device unless one is given, and return the page."""
        page = self.page(context or self.device())
        page.goto(self.link(**wanted))
        return page

    def page(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._on_console)
        return page

    def _on_console(self, message: ConsoleMessage) -> None:
        # A daemon that is down, or a page that is not signed in, makes the browser complain about its connection: tests do that on purpose.
        is_connection = "WebSocket connection" in message.text or "Failed to load resource" in message.text
        if message.type == "error" and not is_connection:
            self.complaints.append(message.text)

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark(dashboard_port="0") as running:
        yield running


@pytest.fixture
def dashboard(hark: RunningHark, chromium: Browser) -> Iterator[Dashboard]:
    dashboard = Dashboard(hark, chromium)
    yield dashboard
    dashboard.close()
    assert not dashboard.complaints


@pytest.fixture
def session(hark: RunningHark) -> Callable[[str], str]:
    """Start a session that runs a plain shell, and return its id."""

    def start(name: str, *command: str) -> str:
        made = hark.json("new", "-d", "-n", name, "--", *(command or ("bash", "--norc")))
        return str(made["id"])

    return start
