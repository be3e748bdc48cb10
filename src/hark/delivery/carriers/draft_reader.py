"""Reads a draft exactly, where only the screen can be asked: a mark finds out what the screen does not show.

A screen does not tell a wrap from a newline, nor how many blanks stand at the end of a row. So hark leads the cursor to a place
with a key, pastes a mark there (never types it: typed text may answer a dialog), looks at the mark, and erases it again:

    End, mark    the blanks before the mark are the blanks at the end of the line
    Home, mark   the line begins in the row in which the mark appears: all rows from there on are one line, wrapped
    Left, mark   one step before a wrap: the cursor has stepped over a blank of the wrap, or over a letter

The letters before the mark tell where the mark stands, because a new wrap does not change them. Nothing is taken away, and every
mark is seen to come and to go before the next key. Anything unexpected ends the reading.
"""

from collections.abc import Generator

from msgspec import Struct

from hark.delivery.carriers.cursor import same_rows
from hark.delivery.carriers.steps import Answer, LeaveUndo, Paste, Press, Seen, Step
from hark.delivery.carriers.submit import Job, Looking, watch_for
from hark.delivery.carriers.undo import (
    LATE_S,
    MARKS,
    WORKED_OFF_S,
    Undo,
    Write,
    behind_cursor,
    behind_in_last_row,
    going_back,
    shown_text,
)
from hark.delivery.screen.box import Box, read_box
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.wrapping import is_surely_newline

SHOWN_WITHIN_S = 0.6
READ_WITHIN_S = 0.9
"""How long the reading may take: keys are held for two seconds at the most, and the delivery is still to come."""


class LineKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    home: str = "Home"
    """The key that goes to the start of a line."""
    end: str = "End"
    """The key that goes to the end of a line."""
    kill: str = "C-k"
    """The key that takes away the text behind the cursor in its line."""
    erase: str = "BSpace"
    """The key that erases the character before the cursor."""
    is_preferred: bool = False
    """True if the line keys are preferred to the editor for a draft that stands on the screen without a wrap, because the agent is slow
    to come back from its editor."""
    only_stale: bool = False
    """True if the keys carry only a draft that has stood untouched for `input_stale_timeout`, or stands in the way of an urgent message,
    because they were tried on few drafts of this agent."""
    most_rows: int = 12
    """The largest number of rows of a draft that the keys carry; hark leaves a larger draft alone, and holds its message. Every line takes
    time while the human's keys are held, so hark also leaves a draft alone that it cannot read within 0.9 s."""
    takes_paths: bool = False
    """True if the agent turns a paste that is the path of a file into something else: then a draft goes back in one piece, with a mark
    behind it, which is erased."""
    not_for: str | None = None
    """A pattern for drafts that the keys must not carry, by how their rows, joined by newlines, begin: with these drafts the agent shows
    its cursor in another place than it is."""
    not_while: str | None = None
    """A pattern for what the screen shows below the box in a mode in which the keys do something else, such as vim's normal mode."""


class _Marked(Struct, frozen=True):
    row: int
    letters: int
    """The number of letters before the mark, in all of the box."""
    column: int
    """The column of the mark within the text of its row."""
    blanks: int | None
    """The number of blanks between the letters and the mark; None if the mark stands at the start of a row, because unseen blanks may
    hang behind the row above."""


class Reader:
    def __init__(self, job: Job, keys: LineKeys, seen: Seen, box: Box) -> None:
        self._job = job
        self._keys = keys
        self._box = box
        self._rows = [row.rstrip() for row in box.rows]
        self._units = [_count_units(seen.screen, box, row) for row in range(len(box.rows))]
        self._columns = seen.screen.columns
        self._ends_at_s = seen.at_s + READ_WITHIN_S
        self._now_s = seen.at_s
        self._mark = choose_mark(seen.screen)
        self._is_logical = job.lines == "logical"
        shown = shown_text(seen.screen, box)
        behind = behind_cursor(shown, seen.screen, box) if shown else behind_in_last_row(seen.screen, box)
        self._undo = going_back("\n".join(box.rows), behind, job.look)
        """The undo that leads the cursor back to where it was, as far as the screen tells."""
        self.is_mark_due = False
        """True if a mark was pasted that was never seen, and may still come."""

    def read(self) -> Generator[Step, Answer, str | None]:
        """Read the text of the draft. Return None if it cannot be told; the box is then as it was, except for its cursor."""
        last = len(self._rows) - 1
        moves = ("Down",) * (last - self._box.cursor_row) + (self._keys.end,)
        lines: list[str] = []
        while True:
            found = yield from self._read_line(last, moves)
            if found is None:
                return None
            first, line = found
            lines.insert(0, line)
            if first == 0:
                return "\n".join(lines)
            last, moves = first - 1, (self._keys.home, "Up", self._keys.end)

    def _read_line(self, last: int, moves: tuple[str, ...]) -> Generator[Step, Answer, tuple[int, str] | None]:
        """Read the line that ends in this row. Return the row in which the line begins, and its text, or None if they cannot be told."""
        end = yield from self._try_mark(moves)
        if end is None or end.letters != self._letters_to(last):
            return None
        is_own_row = end.row == last and not self._rows[last]
        blanks = end.column if end.blanks is None and is_own_row else end.blanks
        if blanks is None:
            return None
        if last == 0 and self._job.lines != "unknown":
            return last, self._rows[last] + " " * blanks
        if last and is_surely_newline(self._rows, last - 1, self._columns - self._box.starts[last - 1]):
            return last, self._rows[last] + " " * blanks
        start = yield from self._try_mark((self._keys.home,))
        if last == 0:
            # The box of an unknown program may begin elsewhere than it seems to: text before its start does not belong to the draft.
            is_start = start is not None and start.row == 0 and start.letters == 0
            return (0, self._rows[0] + " " * blanks) if is_start else None
        if start is None or start.letters != self._letters_to(start.row - 1) or start.row > last:
            return None
        if start.row == last:
            return (last, self._rows[last] + " " * blanks) if self._is_logical else None
        self._is_logical = True
        text = yield from self._join(start.row, last, blanks)
        return None if text is None else (start.row, text)

    def _join(self, first: int, last: int, blanks: int) -> Generator[Step, Answer, str | None]:
        """Join the rows of one line, with the blanks that its wraps hide. The cursor ends up in the first row of the line."""
        text, steps = self._rows[last] + " " * blanks, blanks + self._units[last]
        keys: tuple[str, ...] = (self._keys.end,)
        for row in range(last - 1, first - 1, -1):
            marked = yield from self._try_mark((*keys, *(self._job.look.left_key,) * (steps + 1)))
            over = marked and self._letters_to(row) - marked.letters
            if marked is None or over not in (0, 1) or not self._rows[row] or (over == 0 and marked.blanks is None):
                return None
            hidden = 0 if over else (marked.blanks or 0) + 1
            text = self._rows[row] + " " * hidden + text
            steps, keys = self._units[row] + hidden - 1, ()
        return text

    def _try_mark(self, keys: tuple[str, ...]) -> Generator[Step, Answer, _Marked | None]:
        if self._now_s > self._ends_at_s or not self._mark or not (yield Press(keys, self._undo)):
            return None
        if not (yield Paste(self._mark, erasing_mark(self._keys.erase, self._undo))):
            return None
        seen = yield from self._watch_for_mark()
        if not self._shows_mark(seen.screen):
            yield from self._take_back(seen.screen)
            return None
        yield LeaveUndo(erasing_mark(self._keys.erase, self._undo))
        marked = self._locate(seen.screen)
        if not (yield Press((self._keys.erase,), self._undo)):
            return None
        seen = yield from watch_for(self._is_as_before, SHOWN_WITHIN_S)
        self._now_s = seen.at_s
        return marked if self._is_as_before(seen.screen) else None

    def _watch_for_mark(self) -> Looking:
        """Wait until the mark is seen. A dialog that comes meanwhile may have swallowed the mark, and the key that erases it would then
        take a letter of the draft: from then on the undo does nothing, and the draft stays on record, by which a mark is found."""
        seen = yield from watch_for(lambda screen: self._shows_mark(screen) or self._is_hidden(screen), SHOWN_WITHIN_S)
        if not self._is_hidden(seen.screen):
            return seen
        self.is_mark_due = True
        yield LeaveUndo((Write(leaves_draft_out=True),))
        seen = yield from watch_for(self._shows_mark, SHOWN_WITHIN_S)
        self.is_mark_due = not self._shows_mark(seen.screen)
        return seen

    def _is_hidden(self, screen: Screen) -> bool:
        return read_box(screen, self._job.look) is None

    def _take_back(self, screen: Screen) -> Generator[Step, Answer, None]:
        """Erase the mark if it stands right before the cursor: the box is not what it looked like, but the mark at least does not stay
        in it."""
        box = read_box(screen, self._job.look)
        if box is not None and before_cursor(screen, box)[-1:] == self._mark:
            yield Press((self._keys.erase,), self._undo)
        elif box is not None and not self.is_mark_due and not any(self._mark in row for row in box.rows):
            self.is_mark_due = True
            yield LeaveUndo((Write(then_wait_s=LATE_S), *erasing_mark(self._keys.erase, self._undo)))

    def _shows_mark(self, screen: Screen) -> bool:
        """Return whether the mark and everything else is drawn: without the mark the text is the same as before."""
        box = read_box(screen, self._job.look)
        return box is not None and squeeze("".join(box.rows)).replace(self._mark, "", 1) == squeeze(
            "".join(self._rows)
        ) != squeeze("".join(box.rows))

    def _is_as_before(self, screen: Screen) -> bool:
        box = read_box(screen, self._job.look)
        return box is not None and same_rows(box, self._box)

    def _locate(self, screen: Screen) -> _Marked:
        box = read_box(screen, self._job.look)
        assert box is not None
        row = next(index for index, text in enumerate(box.rows) if self._mark in text)
        before = box.rows[row].partition(self._mark)[0]
        letters = len(squeeze("".join(box.rows[:row]) + before))
        blanks = len(before) - len(before.rstrip(" ")) if before.strip() or row == 0 else None
        return _Marked(row, letters, len(before), blanks)

    def _letters_to(self, row: int) -> int:
        return len(squeeze("".join(self._rows[: row + 1])))


def erasing_mark(key: str, then: Undo) -> Undo:
    """Return the undo while a mark stands before the cursor."""
    return (Write(then_wait_s=WORKED_OFF_S), Write(keys=(key,)), *then)


def before_cursor(screen: Screen, box: Box) -> str:
    """Return the text before the cursor in its row; at the start of a row, the text of the row above."""
    here = screen.rows[screen.cursor_y].part(box.starts[box.cursor_row], screen.cursor_x)
    return here if here or not box.cursor_row else box.rows[box.cursor_row - 1].rstrip()


def choose_mark(screen: Screen, text: str = "") -> str:
    """Return a mark that is neither on the screen nor in the text, or "" if all marks are."""
    return next((mark for mark in MARKS if mark not in text and not screen.contains(mark)), "")


def squeeze(text: str) -> str:
    return "".join(text.split())


def _count_units(screen: Screen, box: Box, row: int) -> int:
    """Return the number of characters in a row that an arrow key steps over one by one."""
    cells = screen.rows[box.top + row].cells[box.starts[row] :]
    while cells and not cells[-1].strip():
        cells = cells[:-1]
    return sum(1 for cell in cells if cell)
