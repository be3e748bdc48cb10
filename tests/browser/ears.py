"""What a browser sounds: every note that its pages play, through the real audio of Chromium."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

from tests.support.terminals import wait_until

ATTENTION = [880, 660]
COMPLETION = [523, 659]
DEADLINE_S = 60.0

_LISTEN = """
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  heard(Math.round(this.frequency.value));
  return start.apply(this, when);
};
"""


class Ears:
    """The notes that all pages of one device have played, in their order."""

    def __init__(self, context: BrowserContext) -> None:
        self.notes: list[int] = []
        context.expose_binding("heard", lambda _source, note: self.notes.append(note))
        context.add_init_script(_LISTEN)

    def wait(self, page: Page, notes: list[int]) -> None:
        """Wait until exactly these notes were played; more of them fail at once."""
        wait_until(
            lambda: _while_pages_go_on(page) and len(self.notes) >= len(notes),
            DEADLINE_S,
            f"the notes {notes}",
            lambda: str(self.notes),
        )
        assert self.notes == notes


def _while_pages_go_on(page: Page) -> bool:
    """Let Playwright hand over what pages have reported; True."""
    page.evaluate("1")
    return True
