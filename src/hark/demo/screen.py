"""Draws the demo agent's screen: the transcript above, and below it the input box or a dialog, and one footer row.

The demo agent draws on the normal screen, as most agents do. Whoever reads the terminal while the agent draws should see whole
frames, so the agent writes transcript lines and the frame below them in one write. It never asks the terminal for the cursor
position, because the answer would arrive as if the human had typed it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    VerticalAlign,
    Window,
)
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output.vt100 import Vt100_Output

from hark.demo.draft import Draft
from hark.demo.turns import Phase, Worker

RULE = "─"
PROMPT, CONTINUATION = "❯ ", "  "
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
# How long to wait after an Escape byte: long enough for a terminal to send a key's bytes, short enough for an Escape to feel immediate.
ESCAPE_TIMEOUT_S = 0.05
# The control characters that are replaced in the transcript, so that a line of it cannot control the terminal.
HARMLESS = {code: "�" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


class FrameOutput(Vt100_Output):
    """Keeps what is written within `held`, and writes it to the terminal together with the next frame."""

    is_held = False

    @contextmanager
    def held(self) -> Iterator[None]:
        self.is_held = True
        try:
            yield
        finally:
            self.is_held = False

    def flush(self) -> None:
        if not self.is_held:
            super().flush()


class Screen:
    def __init__(self, worker: Worker, draft: Draft, bindings: KeyBindings) -> None:
        self._worker = worker
        self._draft = draft
        self._spinner = cycle(SPINNER)
        self._output = FrameOutput(sys.stdout, read_size, term=os.environ.get("TERM"), enable_cpr=False)
        self._box = Window(
            BufferControl(draft.buffer, input_processors=[TabsProcessor(char1=" ", char2=" ")]),
            wrap_lines=True,
            get_line_prefix=lambda line, wraps: CONTINUATION if line or wraps else PROMPT,
            dont_extend_height=True,
        )
        self._dialog = Window(
            FormattedTextControl(self._draw_dialog, focusable=True, get_cursor_position=lambda: Point(1, 1)),
            dont_extend_height=True,
        )
        self.application: Application[None] = Application(
            Layout(self._arrange(), self._box),
            key_bindings=bindings,
            output=self._output,
            erase_when_done=True,
            terminal_size_polling_interval=None,
        )
        self.application.ttimeoutlen = ESCAPE_TIMEOUT_S
        self.application.timeoutlen = ESCAPE_TIMEOUT_S

    def show(self, text: str) -> None:
        with self._output.held():
            self.application.renderer.erase()
            self._output.write(text.translate(HARMLESS).replace("\n", "\r\n"))
            self._output.write_raw("\r\n")
        self.refresh()

    def refresh(self) -> None:
        self.application.layout.focus(self._dialog if self._worker.dialog else self._box)
        self.application.invalidate()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend the terminal to another program for a while. The terminal stays in raw mode, because keys typed ahead must not be
        echoed."""
        self.application.renderer.erase()
        yield
        self._output.write_raw("\r")
        self.refresh()

    def _arrange(self) -> HSplit:
        is_asking = Condition(lambda: self._worker.dialog is not None)
        return HSplit(
            [
                Window(char=RULE, height=1),
                ConditionalContainer(HSplit([self._box, Window(char=RULE, height=1)]), ~is_asking),
                ConditionalContainer(self._dialog, is_asking),
                Window(FormattedTextControl(self._draw_footer), height=1),
            ],
            align=VerticalAlign.TOP,
        )

    def _draw_dialog(self) -> str:
        command = self._worker.dialog.command if self._worker.dialog else ""
        return f" Run {command}?\n ❯ 1. Yes\n   2. No"

    def _draw_footer(self) -> str:
        phase = self._worker.phase
        spinner = f" {next(self._spinner)}" if phase is Phase.BUSY else ""
        stashed = " · stashed" if self._draft.stash else ""
        return f"  demo agent · {phase}{spinner}{stashed}"


def read_size() -> Size:
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    return Size(rows=rows or 24, columns=columns or 80)
