"""Reads terminals in pages cell by cell, and compares them with what tmux has."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

DEADLINE_S = 60.0

_CELLS = """
(terminal) => {
  const buffer = terminal.buffer.active;
  const rows = [];
  for (let y = 0; y < terminal.rows; y += 1) {
    const line = buffer.getLine(buffer.baseY + y);
    const row = [];
    for (let x = 0; x < terminal.cols; x += 1) {
      const cell = line.getCell(x);
      if (cell.getWidth() === 0) continue;
      row.push([cell.getChars() || " ", cell.getWidth(), cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor(),
        ...[cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), cell.isInverse(), cell.isStrikethrough()].map((is) => (is ? 1 : 0))].join(","));
    }
    rows.push(row);
  }
  return rows;
}
"""
_LIVE = f"() => ({_CELLS})(document.querySelector('.terminal-box').terminal)"
# A second terminal of the same size shows what tmux says that the pane shows.
_CAPTURED = f"""
async (text) => {{
  const live = document.querySelector('.terminal-box').terminal;
  const fresh = new live.constructor({{cols: live.cols, rows: live.rows, allowProposedApi: true}});
  fresh.loadAddon({{activate: (terminal) => terminal.unicode.register(live._core.unicodeService._providers['11']), dispose() {{}}}});
  fresh.unicode.activeVersion = '11';
  await new Promise((done) => fresh.write(text, done));
  return ({_CELLS})(fresh);
}}
"""

Rows = list[list[str]]


class Pane:
    """A session's pane, in tmux and in a page."""

    def __init__(self, hark: RunningHark, session: str) -> None:
        self._hark = hark
        self._target = str(hark.session(session)["pane_id"])

    def type(self, text: str) -> None:
        self._hark.tmux("send-keys", "-t", self._target, "-l", "--", text)

    def press(self, *keys: str) -> None:
        self._hark.tmux("send-keys", "-t", self._target, *keys)

    def fact(self, name: str) -> str:
        return self._hark.tmux("display-message", "-p", "-t", self._target, f"#{{{name}}}").strip()

    def capture(self) -> str:
        return self._hark.tmux("capture-pane", "-p", "-e", "-N", "-t", self._target)

    def wait_text(self, text: str) -> None:
        wait_until(lambda: text in self.capture(), DEADLINE_S, f"{text} in the pane", self.capture)

    def wait_title(self, title: str) -> None:
        wait_until(lambda: self.fact("pane_title") == title, DEADLINE_S, f"the title {title}")

    def wait_same(self, page: Page) -> None:
        """Wait until the page's terminal has the same cells as tmux, and its cursor."""

        def difference() -> list[Any]:
            expected: Rows = page.evaluate(_CAPTURED, _positioned(self.capture()))
            shown: Rows = page.evaluate(_LIVE)
            if len(shown) != len(expected):
                return ["another number of rows"]
            cells: list[Any] = [
                (y, *pair)
                for y, rows in enumerate(zip(shown, expected, strict=True))
                if (pair := _first_difference(*rows))
            ]
            cursor = page.evaluate(
                "(() => { const b = document.querySelector('.terminal-box').terminal.buffer.active; return [b.cursorX, b.cursorY]; })()"
            )
            if cursor != [int(self.fact("cursor_x")), int(self.fact("cursor_y"))]:
                cells.append(("cursor", cursor, [self.fact("cursor_x"), self.fact("cursor_y")]))
            return cells

        wait_until(
            lambda: not difference(), DEADLINE_S, "the page to show what tmux shows", lambda: str(difference()[:5])
        )


def _positioned(captured: str) -> str:
    """Put every row of a capture at its place, so that full rows do not wrap."""
    rows = captured.removesuffix("\n").split("\n")
    # The attributes go on from row to row in what tmux captures.
    return "\x1b[?7l" + "".join(f"\x1b[{y};1H{row}" for y, row in enumerate(rows, 1))


def _first_difference(shown: list[str], expected: list[str]) -> tuple[int, list[str], list[str]] | None:
    padded = shown + [_BLANK] * max(0, len(expected) - len(shown))
    for x, (one, other) in enumerate(zip(padded, expected, strict=False)):
        if one != other:
            return x, padded[x : x + 3], expected[x : x + 3]
    return None


_BLANK = " ,1,0,-1,0,-1,0,0,0,0,0,0"


def text_of(page: Page) -> str:
    """What the page's terminal shows, as text."""
    text: str = page.evaluate(
        """() => {
          const {terminal} = document.querySelector('.terminal-box');
          const buffer = terminal.buffer.active;
          return Array.from({length: terminal.rows}, (_, y) => buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? '').join('\\n');
        }"""
    )
    return text


def wait_shown(page: Page, text: str) -> None:
    wait_until(lambda: text in text_of(page), DEADLINE_S, f"{text} in the page", lambda: text_of(page))
