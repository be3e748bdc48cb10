"""A model of an agent in its terminal: an input box with everything that can stand in its way.

Inputs come from two hands, `hark` and `human`, and the model knows no difference between them; it only keeps a record of what
each of them caused. `view()` is what the agent would draw now.
"""

from typing import Literal, NamedTuple

from tests.campaigns.simulation.buffer import Buffer, expand
from tests.campaigns.simulation.flavour import STASH, Flavour
from tests.campaigns.simulation.layout import Collapsed, Units, units_of

Who = Literal["human", "hark"]
APPROVES = ("Enter", "1", "2", "y")
DENIES = ("Escape", "3")
BUSY_MS = 400.0


class Prompt(NamedTuple):
    who: Who
    text: str


class View(NamedTuple):
    units: Units
    cursor: int
    front: Literal["box", "dialog", "editor"]
    has_popup: bool
    is_stashed: bool
    is_busy: bool
    lines: int
    """Of the transcript: it only grows."""


class Agent:
    def __init__(self, flavour: Flavour) -> None:
        self.flavour = flavour
        self.buffer = Buffer(flavour.width, flavour.wraps_words)
        self.transcript = ["an earlier answer"]
        self.stash: tuple[Units, int] | None = None
        self.is_insert_mode = not flavour.is_vim
        self.has_dialog = False
        self.is_editor_open = False
        self.busy_until = 0.0
        self.unanswered = ""
        """The prompt of the running turn, if the agent gives it back when it is interrupted."""
        self.last_input_at = -10_000.0
        self.prompts: list[Prompt] = []
        self.submitted_at = 0.0
        self.done: list[tuple[Who, str]] = []
        """What keys have caused beside editing: approved, denied, moved a selection, recalled, completed, newline."""
        self.history: list[Units] = []
        self._recalled = 0
        self._pasted_at = -10_000.0
        self._pastes = 0
        self._lines_at_editor = 0
        self._swallows = False
        self._typed_ahead: list[tuple[str, str, Who]] = []
        self._selected: tuple[int, int] | None = None
        """From a key that selects to the next one."""

    def view(self, now: float) -> View:
        front: Literal["box", "dialog", "editor"] = "box"
        if self.has_dialog:
            front = "dialog"
        elif self.is_editor_open:
            front = "editor"
        return View(
            self.buffer.units,
            self.buffer.cursor,
            front,
            self.has_popup,
            self.stash is not None,
            now < self.busy_until,
            self._lines_at_editor if self.is_editor_open else len(self.transcript),
        )

    @property
    def has_popup(self) -> bool:
        """Completions of a command, or of a file at the cursor."""
        units = self.buffer.units
        if not units or self.buffer.cursor != len(units):
            return False
        word = "".join(units[-12:]).rpartition("\n")[2].rpartition(" ")[2]
        return word.startswith("@") or (units[0] == "/" and " " not in units and "\n" not in units)

    def paste(self, text: str, who: Who, now: float) -> None:
        if self._is_elsewhere("paste", text, who, now) or self.has_dialog:
            return
        self._pasted_at = now
        limit = self.flavour.collapses_over
        if 0 <= limit < text.count("\n"):
            self._pastes += 1
            self.buffer.insert((Collapsed(f"[Pasted text #{self._pastes} +{text.count(chr(10))} lines]", text),))
        else:
            self.buffer.insert(units_of(text))

    def press(self, key: str, who: Who, now: float) -> None:
        if self._is_elsewhere("key", key, who, now):
            return
        if self.has_dialog:
            self._press_in_dialog(key, who)
        elif key == "Enter":
            self._enter(who, now)
        elif key == "Escape" and now < self.busy_until:
            self._interrupt(who, now)
        elif key == "Escape" and who == "hark":
            self.done.append((who, "escaped an idle box"))
        elif key == STASH.key and self.flavour.has_stash:
            self._press_stash()
        elif key in ("Up", "Down"):
            self._press_row(key, who)
        elif key == "Left" and who == "hark" and not self.buffer.units and self.flavour.look.left_key != key:
            self.done.append((who, "opened another view"))
        elif key == "C-c":
            self._clear(who, now)
        elif not self.is_insert_mode and len(key) == 1:
            self._command(key)
        else:
            self._edit(key)

    def open_editor(self, now: float) -> bool:
        self.last_input_at = now
        if self.has_dialog or self.has_popup or self.flavour.editor is None or self.is_editor_open:
            return False
        self.is_editor_open = True
        self._lines_at_editor = len(self.transcript)
        return True

    def close_editor(self, text: str | None, now: float, *, is_failed: bool = False) -> None:
        """No text leaves everything as it was, collapsed pastes and cursor included; so does the same text, mostly, and an editor that
        fails, always."""
        self.is_editor_open = False
        self.last_input_at = now
        assert self.flavour.editor is not None
        units = self.buffer.units if text is None or text == self.buffer.text else units_of(text)
        if self.flavour.editor.fails_to_keep:
            self._load(text)
        elif not is_failed and (kept := _trimmed(units) if self.flavour.editor.trims else units) != self.buffer.units:
            self.buffer.set(kept)
        self._swallows = self.flavour.editor_swallows
        ahead, self._typed_ahead = self._typed_ahead, []
        for kind, what, who in ahead:
            (self.paste if kind == "paste" else self.press)(what, who, now)

    def _load(self, text: str | None) -> None:
        """As OpenCode does: it loads the same text too, but no empty one, and counts no newlines when it puts the cursor to the end."""
        if text:
            units = units_of(text)
            self.buffer.set(units, len(units) - units.count("\n"))

    @property
    def has_typed_ahead(self) -> bool:
        return any(who == "human" for _, _, who in self._typed_ahead)

    def open_dialog(self) -> None:
        self.has_dialog = True

    def close_dialog(self) -> None:
        self.has_dialog = False

    def print(self, line: str) -> None:
        self.transcript.append(line)

    def _is_elsewhere(self, kind: str, what: str, who: Who, now: float) -> bool:
        """Taken by the editor, or swallowed behind it."""
        self.last_input_at = now
        if self.is_editor_open:
            if not self.flavour.editor_loses_keys:
                self._typed_ahead.append((kind, what, who))
            return True
        swallowed, self._swallows = self._swallows and kind == "key", False
        return swallowed

    def _press_in_dialog(self, key: str, who: Who) -> None:
        if key in APPROVES or key in DENIES:
            self.done.append((who, "approved" if key in APPROVES else "denied"))
            self.has_dialog = False
        elif key in ("Up", "Down"):
            self.done.append((who, "moved the selection"))

    def _enter(self, who: Who, now: float) -> None:
        units = self.buffer.units
        if self.has_popup:
            self.done.append((who, "completed"))
            self.buffer.insert(units_of("README "))
        elif now - self._pasted_at < self.flavour.settle_ms:
            self.done.append((who, "newline"))
            self.buffer.insert(("\n",))
        elif units and units[-1] == "\\" and self.buffer.cursor == len(units):
            self.done.append((who, "newline"))
            self.buffer.set((*units[:-1], "\n"))
        elif expand(units).strip():
            self._submit(who, now)

    def _submit(self, who: Who, now: float) -> None:
        units = self.buffer.units
        self.prompts.append(Prompt(who, expand(units).strip()))
        self.history.append(units)
        self._recalled = len(self.history)
        self.transcript += [f"> {line}" for line in "".join(units).strip().split("\n")]
        self.busy_until = now + BUSY_MS
        self.submitted_at = now
        if self.flavour.keeps_submitted and who == "hark":
            return
        self.buffer.set(())
        if self.stash:
            self.buffer.set(self.stash[0])
            self.stash = None

    def _press_stash(self) -> None:
        if self.buffer.text.strip():
            self.stash = (self.buffer.units, self.buffer.cursor)
            self.buffer.set(())
        elif self.stash and not self.buffer.units:
            self.buffer.set(*self.stash)
            self.stash = None

    def _clear(self, who: Who, now: float) -> None:
        if now < self.busy_until:
            self.done.append((who, "interrupted"))
        elif not self.buffer.units:
            self.done.append((who, "quit"))
        else:
            self.history.append(self.buffer.units)
            self.buffer.set(())

    def _interrupt(self, who: Who, now: float) -> None:
        """What it has not answered yet it may put back, in front of the draft."""
        self.done.append((who, "interrupted"))
        self.busy_until = now
        if self.unanswered:
            self.buffer.set((*units_of(self.unanswered + "\n"), *self.buffer.units))
            self.unanswered = ""

    def _press_row(self, key: str, who: Who) -> None:
        if key == "Up" and self.flavour.keeps_cleared and self._is_recalling():
            self.buffer.set(self.history[self._recalled - 1])
            self._recalled -= 1
            return
        if not self.buffer.move_row(-1 if key == "Up" else 1):
            self.done.append((who, "left the box for the history"))
            self.buffer.set(units_of("an old prompt"))

    def _is_recalling(self) -> bool:
        """In an empty box, or further back from what the last Up has brought."""
        if not self.buffer.units:
            self._recalled = len(self.history)
        elif self._recalled == len(self.history) or self.buffer.units != self.history[self._recalled]:
            return False
        return self._recalled > 0

    def _command(self, letter: str) -> None:
        """vim's NORMAL mode."""
        buffer = self.buffer
        if letter == "x":
            buffer.delete(buffer.cursor, buffer.cursor + 1)
        elif letter == "d":
            buffer.delete(buffer.cursor, buffer.line_end())
        elif letter == "h":
            buffer.move(buffer.cursor - 1)
        elif letter == "i":
            self.is_insert_mode = True

    def _edit(self, key: str) -> None:
        buffer, by_rows = self.buffer, self.flavour.by_rows
        selected, self._selected = self._selected, None
        if selected and key in ("BSpace", "DC", "Right"):
            buffer.move(selected[1])
            if key != "Right":
                buffer.delete(*selected)
            return
        start, end = (buffer.row_start(), buffer.row_end()) if by_rows else (buffer.line_start(), buffer.line_end())
        match key:
            case "Left" | "S-Left" | "C-b":
                buffer.move(buffer.cursor - 1)
            case "Right":
                buffer.move(buffer.cursor + 1)
            case "S-End":
                self._select(buffer.cursor, len(buffer.units), len(buffer.units))
            case "S-Home":
                self._select(0, buffer.cursor, 0)
            case "C-a":
                buffer.move(buffer.line_start())
            case "Home":
                buffer.move(start)
            case "End":
                buffer.move(end)
            case "BSpace":
                buffer.delete(max(buffer.cursor - 1, 0), buffer.cursor)
            case "DC":
                buffer.delete(buffer.cursor, min(buffer.cursor + 1, len(buffer.units)))
            case "C-k":
                buffer.delete(buffer.cursor, end if end > buffer.cursor else min(end + 1, len(buffer.units)))
            case "C-u":
                buffer.delete(start if start < buffer.cursor else max(start - 1, 0), buffer.cursor)
            case "C-j":
                buffer.insert(("\n",))
            case "Escape":
                self.is_insert_mode = not self.flavour.is_vim
            case _:
                buffer.insert(units_of(key))

    def _select(self, start: int, end: int, cursor: int) -> None:
        self._selected = (start, end) if start < end else None
        self.buffer.move(cursor)


def _trimmed(units: Units) -> Units:
    """As Codex does with what is left in its editor, also if it is the same as before."""
    letters = [at for at, unit in enumerate(units) if not unit.isspace()]
    return units[letters[0] : letters[-1] + 1] if letters else ()
