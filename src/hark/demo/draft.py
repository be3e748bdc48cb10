"""The text in the demo agent's input box: pastes that show collapsed, one stash, and the trip to the human's editor."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document

PLACEHOLDER = re.compile(r"\[Pasted text #\d+ \+\d+ lines\]")
GARBLED = "something else"


class Refusal(StrEnum):
    """What the agent does with a text that it does not take."""

    DROP = "drop"
    """It draws nothing."""
    SAY = "say"
    """It leaves the box as it is, and says so above it."""
    GARBLE = "garble"
    """It puts something else into the box."""
    KEEP = "keep"
    """It puts something else into the box, and lets nobody take that out again."""
    IGNORE_ENTER = "ignore-enter"
    """It takes the text, and does not submit it."""


class Draft:
    def __init__(
        self,
        collapse_over_lines: int | None,
        newlines_after_paste: int = 0,
        refusal: tuple[Refusal, str] | None = None,
    ) -> None:
        """`refusal`: what to do with a text that has this word in it."""
        self.buffer = Buffer(multiline=True)
        self.say: Callable[[str], None] = lambda _: None
        self._refusal = refusal
        self._is_kept = False
        self.buffer.on_text_changed += self._keep
        self.stash: Document | None = None
        self._collapse_over_lines = collapse_over_lines
        self._pasted: dict[str, str] = {}
        self._newlines_after_paste = newlines_after_paste
        self._newlines_left = 0

    @property
    def text(self) -> str:
        """The exact draft, with what collapsed pastes stand for."""
        return PLACEHOLDER.sub(lambda found: self._pasted.get(found[0], found[0]), self.buffer.text)

    def paste(self, text: str) -> None:
        # Terminals send the line ends of a paste as carriage returns.
        taken = self._taken(text.replace("\r\n", "\n").replace("\r", "\n"))
        if taken is None:
            return
        text = taken
        newlines = text.count("\n")
        if self._collapse_over_lines is not None and newlines + 1 > self._collapse_over_lines:
            placeholder = f"[Pasted text #{len(self._pasted) + 1} +{newlines} lines]"
            self._pasted[placeholder] = text
            text = placeholder
        self.buffer.insert_text(text)
        self._newlines_left = self._newlines_after_paste

    def takes_enter_for_newline(self) -> bool:
        """Whether this Enter comes too soon after a paste, and so starts a new line instead of submitting the draft."""
        self._newlines_left -= 1
        return self._newlines_left >= 0

    def ignores_enter(self) -> bool:
        """True if the text in the box is one that the agent does not submit."""
        return self._is_refused(Refusal.IGNORE_ENTER, self.text)

    def edit(self, text: str) -> None:
        """Takes the text that an editor gives back."""
        taken = self._taken(text)
        if taken is not None:
            self.replace(taken)

    def _taken(self, text: str) -> str | None:
        """What comes into the box instead of this text; None if nothing does."""
        if self._is_refused(Refusal.SAY, text):
            self.say("this text is not taken")
            return None
        if self._is_refused(Refusal.DROP, text):
            return None
        if self._is_refused(Refusal.KEEP, text):
            self._is_kept = True
        is_garbled = self._is_kept or self._is_refused(Refusal.GARBLE, text)
        return GARBLED if is_garbled else text

    def _is_refused(self, how: Refusal, text: str) -> bool:
        return self._refusal is not None and self._refusal[0] is how and self._refusal[1] in text

    def _keep(self, _: object) -> None:
        if self._is_kept and not self.buffer.text.startswith(GARBLED):
            self.replace(GARBLED)

    def clear(self) -> None:
        self.buffer.reset()

    def replace(self, text: str) -> None:
        self.buffer.document = Document(text, len(text))

    def give_back(self, text: str) -> None:
        """In front of what is there."""
        self.replace("\n".join(part for part in (text, self.buffer.text) if part))

    def swap_stash(self) -> None:
        """Put the draft away, over whatever was stashed before; on an empty box, bring it back with its cursor."""
        if self.buffer.text.strip():
            self.stash = self.buffer.document
            self.clear()
        elif self.stash and not self.buffer.text:
            self.buffer.document = self.stash
            self.stash = None

    def bring_back_stash(self) -> None:
        """After a submit the stash returns by itself, with the cursor at its end."""
        if self.stash:
            self.replace(self.stash.text)
            self.stash = None


def find_editor() -> Sequence[str]:
    """The words of the human's editor command; none if there is none that could be started."""
    with suppress(ValueError):
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        if words and shutil.which(words[0]):
            return words
    return []


def edit_text(editor: Sequence[str], text: str) -> str:
    """The text after the editor; unchanged if the editor fails. Blocks: the terminal is the editor's meanwhile."""
    with tempfile.TemporaryDirectory(prefix="hark-demo-") as directory:
        file = Path(directory) / "draft.md"
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        finished = subprocess.run([*editor, str(file)], check=False)
        if finished.returncode != 0:
            return text
        return file.read_bytes().decode("utf-8", "surrogateescape")
