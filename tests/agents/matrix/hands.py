"""A human's hands at an agent's box: type a draft, walk in it, put a mark at the cursor, read it by the agent's own editor.

The editor of the launch keeps a copy of what it is given and leaves one letter in the box, which is then rubbed out: so
each cell is read to the letter, and leaves an empty box behind.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from hark.agents.kinds import AgentKind, load_kinds
from hark.demo.human import KEYS, Human
from tests.agents.delivering import Delivering
from tests.agents.marks import MARKS
from tests.agents.matrix.drafts import Entry
from tests.agents.screen import Screen
from tests.support.terminals import wait_until

MARK = "X"
LEFTOVER = "z"
SAME = 5
SHOWN_WITHIN_S = 5.0
OPENS_WITHIN_S = 3.0
CLEARED_WITHIN_S = 10.0
STEP_S = 0.02
REST_S = 0.15
KEYS_PER_SECOND = 15
LONGEST_PASTE = 100
"""Some collapse a longer one, also if it is one line."""
WALKS_BY_LINES = ("aider",)
"""Left does not leave the line."""

EDITOR = """\
#!/bin/sh
cat "$1" > {copy}.new && printf {leftover} > "$1" && mv {copy}.new {copy}
"""


def write_editor(directory: Path) -> Path:
    editor = directory / "editor"
    editor.write_text(EDITOR.format(copy=directory / "copy", leftover=LEFTOVER))
    editor.chmod(0o700)
    return editor


class Hands(msgspec.Struct, frozen=True):
    agent: Delivering
    human: Human
    copy: Path

    @property
    def kind(self) -> AgentKind:
        return load_kinds().get(self.agent.launch.kind)

    def enter(self, text: str, entry: Entry) -> None:
        before = self.agent.screen()
        match entry:
            case Entry.LINES:
                self._enter_lines(text)
            case Entry.KEYS:
                self.human.type(text, KEYS_PER_SECOND)
            case Entry.PASTE:
                self.human.paste(text)
        if text:
            self.wait_still(before)

    def _enter_lines(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                rest()
                self.human.press(self.kind.newline_key or "C-j")
            for start in range(0, len(line), LONGEST_PASTE):
                rest()
                self.human.paste(line[start : start + LONGEST_PASTE])

    def walk(self, text: str, behind: int) -> None:
        """From the end of the text, until so many characters stand behind the cursor."""
        if self.agent.launch.kind in WALKS_BY_LINES:
            lines = text[: len(text) - behind].split("\n")
            ups = text.count("\n") - len(lines) + 1
            self.press(*["Up"] * ups, *(["C-a"] + ["Right"] * len(lines[-1]) if behind else []))
        else:
            self.press(*["Left"] * behind)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.human.press(key) if key in KEYS else self.human.type(key)
            rest(STEP_S)

    def mark(self) -> Screen:
        """The screen with the mark at the cursor."""
        before = self.agent.screen()
        self.human.type(MARK, KEYS_PER_SECOND)
        return self.wait_still(before)

    def read(self) -> str | None:
        """All that is in the box, which is empty afterwards; None when no editor opens."""
        self.copy.unlink(missing_ok=True)
        self.press(*MARKS[self.agent.launch.kind].editor)
        if not wait_quietly(self.copy.exists, OPENS_WITHIN_S):
            return None
        text = self.copy.read_text()
        wait_quietly(lambda: LEFTOVER in self.agent.screen().cursor_row, SHOWN_WITHIN_S)
        self.wait_still(None)
        self.human.press("Backspace")
        return text

    def clear(self) -> None:
        """Whatever is in the box."""
        if wait_quietly(self.is_empty, 0.5):
            return
        if self.read() is None:
            for key in ("Backspace", "Delete"):
                self.press(*[key] * 40)
        if not wait_quietly(self.is_empty, 1.0):
            self.press(*MARKS[self.agent.launch.kind].shell_end)
        wait_until(self.is_empty, CLEARED_WITHIN_S, "an empty box", lambda: self.agent.screen().text)

    def is_empty(self) -> bool:
        return MARKS[self.agent.launch.kind].has_empty_box(self.agent.screen())

    def wait_still(self, before: Screen | None) -> Screen:
        """Until what was typed is drawn: the screen has changed and the cursor stands still. An agent that is busy draws all
        the time; what comes too early is worked off in its order all the same."""
        seen = [self.agent.screen()]

        def is_still() -> bool:
            seen.append(self.agent.screen())
            places = {(one.cursor_x, one.cursor_y, one.cursor_row) for one in seen[-SAME:]}
            return len(seen) > SAME and len(places) == 1 and (before is None or seen[-1] != before)

        wait_quietly(is_still, SHOWN_WITHIN_S)
        return seen[-1]


def rest(seconds: float = REST_S) -> None:
    """A human's, between two keys."""
    threading.Event().wait(seconds)


def wait_quietly(condition: Callable[[], bool], within_s: float) -> bool:
    """Whether it came in time; what to make of it if not is the caller's."""
    try:
        wait_until(condition, within_s, "it")
    except AssertionError:
        return False
    return True
