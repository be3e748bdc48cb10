"""The text in the demo agent's input box, with collapsed pastes, one stash, and a way to the human's editor and back."""

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
    """What the demo agent does with a text that it refuses."""

    DROP = "drop"
    """The agent drops the text and draws nothing."""
    SAY = "say"
    """The agent leaves the box as it is, and says above the box that it does not take the text."""
    GARBLE = "garble"
    """The agent puts something else into the box."""
    KEEP = "keep"
    """The agent puts something else into the box, and lets nobody take that out again."""
    IGNORE_ENTER = "ignore-enter"
    """The agent takes the text into the box, but ignores the Enter that would submit it."""


class Draft:
    def __init__(
        self,
        collapse_over_lines: int | None,
        newlines_after_paste: int = 0,
        refusal: tuple[Refusal, str] | None = None,
    ) -> None:
        """`refusal` says what to do with a text, and the word that makes the agent refuse a text; None refuses nothing."""
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
        """The exact draft, with the full text of collapsed pastes."""
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
        """Return True if this Enter comes too soon after a paste, and so starts a new line instead of submitting the draft. Each call
        counts as one Enter."""
        self._newlines_left -= 1
        return self._newlines_left >= 0

    def ignores_enter(self) -> bool:
        """True if the agent refuses to submit the text in the box."""
        return self._is_refused(Refusal.IGNORE_ENTER, self.text)

    def edit(self, text: str) -> None:
        """Put the text that an editor returned into the box, unless the agent refuses it."""
        taken = self._taken(text)
        if taken is not None:
            self.replace(taken)

    def _taken(self, text: str) -> str | None:
        """Return what goes into the box for this text: the text itself, or something else if the agent garbles it; None if nothing
        goes into the box."""
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
        """Put a text into the box, in front of the draft that is there."""
        self.replace("\n".join(part for part in (text, self.buffer.text) if part))

    def swap_stash(self) -> None:
        """Stash the draft, in place of any draft that was stashed before; on an empty box, bring the stashed draft back with its
        cursor."""
        if self.buffer.text.strip():
            self.stash = self.buffer.document
            self.clear()
        elif self.stash and not self.buffer.text:
            self.buffer.document = self.stash
            self.stash = None

    def bring_back_stash(self) -> None:
        """Put the stashed draft back into the box with the cursor at its end, as happens by itself after a submit."""
        if self.stash:
            self.replace(self.stash.text)
            self.stash = None


def find_editor() -> Sequence[str]:
    """Return the words of the human's editor command; no words if there is no editor that can be started."""
    with suppress(ValueError):
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        if words and shutil.which(words[0]):
            return words
    return []


def edit_text(editor: Sequence[str], text: str) -> str:
    """Return the text after the human edited it; unchanged if the editor fails. This blocks, because the editor has the terminal
    meanwhile."""
    with tempfile.TemporaryDirectory(prefix="hark-demo-") as directory:
        file = Path(directory) / "draft.md"
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        finished = subprocess.run([*editor, str(file)], check=False)
        if finished.returncode != 0:
            return text
        return file.read_bytes().decode("utf-8", "surrogateescape")
