"""One running agent for all cells of a kind, with a human attached to it; started again when a cell has left it unusable."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.agents.delivering import Delivering, delivering
from tests.agents.marks import MARKS
from tests.agents.matrix.hands import Hands, rest, wait_quietly, write_editor
from tests.agents.matrix.verdict import Wrong
from tests.agents.running import COLUMNS, DEADLINE_S, ROWS
from tests.support.terminals import wait_until

RULER = "m" * 120
"""More than a row, and too short to be collapsed."""


class Stage:
    agent: Delivering
    hands: Hands
    columns: int
    """Of the agent's input."""

    def __init__(self, kind: str, *, is_vim: bool = False) -> None:
        self.kind = kind
        self.is_vim = is_vim
        self.is_spoilt = False
        """A cell has gone wrong on it."""
        self._owned = ExitStack()

    def __enter__(self) -> Self:
        try:
            self._start()
            self.columns = self._measure()
        except BaseException:
            self._owned.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._owned.close()

    def make_ready(self) -> None:
        """Idle, its box empty, a human attached, the pane as large as ever."""
        try:
            assert not self.is_spoilt
            self._tidy()
        except (AssertionError, Wrong):
            self._owned.close()
            self._start()

    def attach(self) -> None:
        human = self.agent.human()
        self._owned.enter_context(human)
        human.wait_attached(DEADLINE_S)
        self.hands = Hands(self.agent, human, self._directory / "copy")

    def detach(self) -> None:
        self.hands.human.close()

    def wait_idle(self) -> None:
        """Only a title or a footer tells, and it may say so between two requests of one turn."""
        is_busy = MARKS[self.kind].is_busy
        if not wait_quietly(lambda: not is_busy(self.agent.screen()), DEADLINE_S):
            raise Wrong("the turn does not end")

    def _start(self) -> None:
        self.is_spoilt = False
        self._owned = ExitStack()
        made = tempfile.TemporaryDirectory(prefix="hk", dir="/tmp", ignore_cleanup_errors=True)
        self._directory = Path(self._owned.enter_context(made))
        editor = str(write_editor(self._directory))
        options: dict[str, Any] = {"is_vim": True} if self.is_vim else {}
        self.agent = self._owned.enter_context(delivering(self.kind, editor=editor, **options))
        self.agent.deliver("warm up")
        self.agent.wait_bodies("warm up")
        self.agent.wait_ready()
        self.attach()
        self.agent.wait_ready()

    def _tidy(self) -> None:
        tmux, pane = self.agent.tmux, self.agent.pane
        if tmux.read(pane, "#{pane_in_mode}") == "1":
            tmux.run("send-keys", "-t", pane, "-X", "cancel")
        self.resize(COLUMNS, ROWS)
        self.deny_dialog()
        self.wait_idle()
        if not wait_quietly(self.hands.is_empty, 1.0):
            self.hands.clear()
        self.agent.wait_ready()

    def resize(self, columns: int, rows: int) -> None:
        self.agent.tmux.run("resize-window", "-t", self.agent.pane, "-x", str(columns), "-y", str(rows))

    def deny_dialog(self) -> None:
        marks = MARKS[self.kind]
        if self.has_dialog():
            rest()
            for key in marks.denial:
                self.agent.tmux.press(self.agent.pane, key)
                rest()

    def has_dialog(self) -> bool:
        """Where the question stays on the screen after it was answered, it is one only at the cursor."""
        screen, dialog = self.agent.screen(), MARKS[self.kind].dialog
        return dialog in (screen.cursor_row if self.kind == "aider" else screen.text)

    def _measure(self) -> int:
        self.hands.human.paste(RULER)
        wait_until(
            lambda: "mmmm" in self.agent.screen().text, DEADLINE_S, "the ruler", lambda: self.agent.screen().text
        )
        self.hands.wait_still(None)
        rows = [row.count("m") for row in self.agent.screen().rows if "mmmm" in row]
        self.hands.clear()
        return max(rows)
