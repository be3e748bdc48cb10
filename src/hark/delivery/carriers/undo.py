"""The undo: the short list of writes that takes our text out of the box and puts the draft back.

The undo is known before our first byte goes in, and is left with whoever holds the human's keys. The holder runs it without a
look at the screen when the daemon dies or the hold's deadline comes, and then lets the keys go. So the undo has to come to the
same end wherever it begins: our text may be in the box or not yet, and the draft may still be there, whole or in part.
"""

import re
from collections.abc import Sequence
from unicodedata import category

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.screen.box import Box, BoxLook, mentions, read_box, shows_placeholder
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.wrapping import is_surely_newline

TAB_WIDTH = 4
"""The number of blanks that stay in the box for a tab, with agents that draw a tab as blanks."""
SPARE_ERASURES = 64
"""The number of Backspaces beyond the length of a text: a completion that has caught the Enter may have made the text longer."""
SPARE_STEPS = 8
"""The number of arrow keys beyond those that lead to the end or the start of a text."""
COLLAPSED_ABOVE = 4096
"""The length of a paste above which every agent that has placeholders for long pastes shows one: a few Backspaces take a placeholder
out."""
MOST_DELETES = 24
"""The largest number of Deletes for a text of ours: agents leave their cursor at the end of the text, or a few characters before it."""
ROWS_ERASED = 20
"""How often to press a key that erases a row: Claude Code does not show a text of more rows in full, and takes forty of these keys in
one read for a paste."""
WORKED_OFF_S = 0.08
"""How long an agent may take to work off what it has read last: a key that comes sooner finds the box as it was before."""
ONE_BY_ONE_S = 0.02
"""How long to wait between writes that only have to be read separately: pieces of a paste, and keys that do the same whatever the box
holds by then."""
LATE_S = 0.7
"""How much longer an agent may take to insert a paste that it has read but not shown within a second: Claude Code did at a load of 12."""
EDITOR_GONE_S = 0.3
"""How long an agent takes to come back from its editor when the daemon is gone: keys that come sooner are lost."""
SUBMITTED_S = 0.15
"""How long an agent takes to work off an Enter."""
LONGEST_PASTE = 120
"""The largest number of characters in one piece of a paste: agents may show a longer piece collapsed."""
PIECEMEAL_BELOW = 4096
MOST_LINES = 6
"""The largest number of lines below the cursor over which an undo leads the cursor line by line: each takes two writes with pauses."""
MARKS = "§¶¤"
"""The characters that serve as marks. None is a letter or a digit, because those answer dialogs."""
_NOT_PASTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Write(Struct, frozen=True):
    """One write of an undo: keys by tmux's names, or a text to paste, and then a pause before the next write."""

    keys: tuple[str, ...] = ()
    paste: str = ""
    then_wait_s: float = 0.0
    read_wait_s: float | None = None
    """The pause if whoever runs the undo sees that the agent has read the write; None means the same pause as `then_wait_s`."""
    back_wait_s: float | None = None
    """How long to pause after the agent is seen to come back from its editor; None if the agent cannot be in its editor."""
    leaves_draft_out: bool = False
    """True for a write that does nothing and stands in place of those that would surely bring the draft back: after such an undo the
    draft may be out of the box, and only on record."""


Undo = tuple[Write, ...]


def leaves_draft_out(undo: Undo) -> bool:
    """Return whether this undo takes our text out, but does not bring the draft back."""
    return any(write.leaves_draft_out for write in undo)


class WayBack(Struct, frozen=True, kw_only=True):
    """How the human's draft comes back once our text is out of the box."""

    draft: Undo = ()
    drafts_text: str = ""
    """The text of the draft, if the draft is pasted back: this text may still be in the box."""
    after_enter: Undo = ()
    """The undo from the Enter on."""
    after_submit: Undo = ()
    """The undo from the moment in which the box is seen to have let go of our text."""
    wait_s: float = WORKED_OFF_S
    """How long to wait before the first key of the undo: a key that comes sooner finds the box as it was before."""

    def before_enter(self, text: str, look: BoxLook) -> Undo:
        """Return the undo while this text of ours may be in the box."""
        return (Write(then_wait_s=self.wait_s), *erasing((text, self.drafts_text), look), *self.draft)


NOTHING_TAKEN = WayBack()
"""The way back if the box was empty: once our text is out, the box is as it was."""


def after_enter_on_empty(text: str, look: BoxLook) -> WayBack:
    """Return the way back for a box that was empty, if our text is known: an agent that took the text may keep it in the box. In an
    empty box there is nothing to erase."""
    return WayBack(after_enter=(Write(then_wait_s=SUBMITTED_S), *erasing((text,), look)))


def pasting_back(draft: str, behind: str | None, text: str, look: BoxLook, wait_s: float = WORKED_OFF_S) -> WayBack:
    """Return the way back that pastes the draft. `behind` is the part of the draft that stands behind the cursor, None if that is not
    known. After the Enter the same writes are right: an Enter that made a new line has left our text in the box, and otherwise there
    is nothing to erase."""
    back = pasted(draft, behind, look)
    wait = Write(then_wait_s=max(wait_s, SUBMITTED_S))
    after_enter = (wait, *erasing((text, draft), look), *back)
    # The draft, or a part of it, may be in the box by then.
    after_submit = (wait, *erasing(("", draft), look), *back)
    return WayBack(draft=back, drafts_text=draft, after_enter=after_enter, after_submit=after_submit, wait_s=wait_s)


def erasing(texts: Sequence[str], look: BoxLook) -> Undo:
    """Return the writes that take any one of these texts out of the box, in vim's normal mode too, where Backspace and Delete erase
    nothing. The first text is ours: agents leave their cursor near its end. In the other texts the cursor may stand anywhere."""
    if look.empty_keys:
        return (Write(keys=look.empty_keys, then_wait_s=WORKED_OFF_S),)
    ours, *others = texts
    collapsed = look.placeholder is not None and len(ours) > COLLAPSED_ABOVE
    backspaces = max([COLLAPSED_ABOVE if collapsed else erasures(ours), *map(erasures, others)])
    deletes = max([min(erasures(ours), MOST_DELETES), *map(erasures, others)])
    insert = (look.insert_key,) if look.insert_key else ()
    deleting = Write(keys=("DC",) * deletes, then_wait_s=WORKED_OFF_S, read_wait_s=ONE_BY_ONE_S)
    rows = [Write(keys=(key,) * ROWS_ERASED, then_wait_s=WORKED_OFF_S) for key in look.row_erasers]
    return (
        Write(keys=(*insert, *("BSpace",) * backspaces)),
        deleting if rows else replace(deleting, read_wait_s=None),
        *rows,
    )


def ways_out(presses: int, look: BoxLook) -> list[tuple[str, ...]]:
    """Return the lists of keys to press in turn to take a text out: this many Backspaces, and as many Deletes, in a mode in which they
    erase; then keys that erase whole rows."""
    insert = (look.insert_key,) if look.insert_key else ()
    rows = [(key,) * ROWS_ERASED for key in look.row_erasers]
    return [(*insert, *("BSpace",) * presses), ("DC",) * presses, *rows]


def erasures(text: str, look: BoxLook | None = None) -> int:
    """Return how many Backspaces take a text out of any box. A single Backspace takes out a placeholder, whatever it stands for."""
    longest = look.collapses_over if look and look.collapses_over is not None else len(text)
    shown = text[:longest]
    return len(shown) + (TAB_WIDTH - 1) * shown.count("\t") + SPARE_ERASURES


def pasted(draft: str, behind: str | None, look: BoxLook) -> Undo:
    """Return the writes that bring a draft into an empty box, and its cursor to its place. The draft is pasted with a mark behind it,
    which is erased again, because a paste of one character may count as a key, and a paste that is the path of a file may become
    something else."""
    mark = next((mark for mark in MARKS if mark not in draft), "")
    if not draft or not mark or _NOT_PASTED.search(draft):
        return ()
    pieces = pieces_of(draft) if len(draft) < PIECEMEAL_BELOW else [draft]
    writes = [
        *(Write(paste=piece, then_wait_s=WORKED_OFF_S, read_wait_s=ONE_BY_ONE_S) for piece in pieces[:-1]),
        # The key that erases the mark must find it: Gemini CLI inserts a paste a moment after it has read it.
        Write(paste=pieces[-1] + mark, then_wait_s=WORKED_OFF_S),
    ]
    erased = Write(keys=("BSpace",), then_wait_s=WORKED_OFF_S, read_wait_s=ONE_BY_ONE_S)
    return (*writes, erased, *going_left(behind or "", look))


def pieces_of(text: str) -> list[str]:
    """Split a text into the pieces in which it is pasted. Every newline has its own piece and no piece is long, because an agent may
    collapse more than that. No letter or digit is a piece alone."""
    return re.findall(rf"\A.\n(?:.(?=\n|\Z))?|\n(?:.(?=\n|\Z))?|[^\n]{{1,{LONGEST_PASTE}}}(?:.(?=\n|\Z))?", text)


def going_left(behind: str, look: BoxLook) -> Undo:
    return (Write(keys=(look.left_key,) * arrows(behind)),) if behind else ()


def going_back_on(screen: Screen, box: Box, look: BoxLook) -> Undo:
    """Return the writes that bring the cursor to its place in a draft that is known from the screen only; none if the screen does not
    tell the place. The screen does not tell how many keys lead over a placeholder for a paste."""
    if shows_placeholder(box, look):
        return ()
    shown = shown_text(screen, box)
    if shown and look.line_start_key and len(box.rows) - 1 - box.cursor_row <= MOST_LINES:
        return _going_by_lines(screen, box, look, shown)
    behind = behind_cursor(shown, screen, box) if shown else behind_in_last_row(screen, box)
    return going_back(shown or "\n".join(box.rows), behind, look, SUBMITTED_S) if behind else ()


def _going_by_lines(screen: Screen, box: Box, look: BoxLook, shown: str) -> Undo:
    """Return the writes that bring the cursor to its place if every row is a line: to the end of the draft, up to the line of the cursor,
    and from the start of that line to the right. Blanks at the ends of lines, which no screen shows, do not matter then. Claude Code takes
    the key for the start of a line from an older place if other keys come in the same read, so each has a write of its own."""
    start = box.starts[box.cursor_row]
    before = screen.rows[screen.cursor_y].part(start, screen.cursor_x)
    blanks = max(screen.cursor_x - max(len(screen.rows[screen.cursor_y].cells), start), 0)
    to_start = Write(keys=(look.line_start_key or "",), then_wait_s=WORKED_OFF_S, read_wait_s=2 * ONE_BY_ONE_S)
    to_line_above = replace(to_start, keys=(look.left_key,))
    return (
        Write(then_wait_s=SUBMITTED_S),
        replace(to_start, keys=("Right",) * (len(shown) + SPARE_STEPS)),
        *(to_start, to_line_above) * (len(box.rows) - 1 - box.cursor_row),
        to_start,
        *((Write(keys=("Right",) * steps),) if (steps := arrows(before) + blanks) else ()),
    )


def going_back(draft: str, behind: str | None, look: BoxLook, wait_s: float = WORKED_OFF_S) -> Undo:
    """Return the writes that bring the cursor of an untouched draft to its place, wherever the cursor stands now: first to the end,
    where one more step does nothing."""
    if behind is None:
        return ()
    to_the_end = Write(keys=("Right",) * (len(draft) + SPARE_STEPS), then_wait_s=WORKED_OFF_S)
    return (Write(then_wait_s=wait_s), to_the_end, *going_left(behind, look))


def arrows(text: str) -> int:
    """Return how often an arrow key must be pressed to pass this text, as far as agents agree: once for everything that is drawn as one
    character."""
    count, is_joined, is_flag = 0, False, False
    for character in text:
        is_part = category(character) in ("Mn", "Me") or "\U0001f3fb" <= character <= "\U0001f3ff" or is_joined
        is_joined = character == "\u200d"
        is_second = is_flag and "\U0001f1e6" <= character <= "\U0001f1ff"
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff" and not is_second
        count += not (is_part or is_joined or is_second)
    return count


def behind_cursor(draft: str, screen: Screen, box: Box) -> str | None:
    """Return the part of the draft that stands behind the box's cursor, or None if the screen does not tell."""
    rows = [row.rstrip() for row in box.rows[: box.cursor_row]]
    start = box.starts[box.cursor_row]
    cells = screen.rows[screen.cursor_y].cells[start : screen.cursor_x]
    rows.append(screen.rows[screen.cursor_y].part(start, screen.cursor_x).rstrip())
    filled = [index for index, row in enumerate(rows) if row]
    newlines = len(rows) - 1 - (filled[-1] if filled else 0)
    letters = "".join("".join(rows).split())
    blanks = screen.cursor_x - start - last_letter(cells)
    behind = rest_of(draft, letters, newlines, blanks)
    # At the start of a row that continues the row above there is no newline.
    return rest_of(draft, letters, 0, 1) if behind is None and newlines == 1 else behind


def behind_in_last_row(screen: Screen, box: Box) -> str | None:
    """Return the part of a draft that stands behind the cursor, if the cursor is in the last row: then it does not matter whether the rows
    above are lines of their own. Return None if the cursor is elsewhere, or if the row shows more than the draft."""
    if box.cursor_row != len(box.rows) - 1:
        return None
    row = screen.rows[screen.cursor_y]
    behind = row.part(screen.cursor_x, len(row.cells)).rstrip()
    return behind if box.rows[-1].rstrip().endswith(behind) else None


def is_clean(screen: Screen, look: BoxLook, message_id: str, draft: str | None) -> bool:
    """Return whether the box is seen without our text after an undo was run: a dialog that stood over the box may have swallowed the
    keys. A placeholder for a paste is the human's only if their draft had one."""
    box = read_box(screen, look)
    if box is None or mentions(box, message_id):
        return False
    has_own = draft is not None and look.placeholder is not None and re.search(look.placeholder, draft) is not None
    return has_own or not shows_placeholder(box, look)


def shown_text(screen: Screen, box: Box) -> str | None:
    """Return the text of a box whose rows are lines, without blanks at their ends, or None if a row may continue the row above."""
    rows = [row.rstrip() for row in box.rows]
    are_lines = all(is_surely_newline(rows, row, screen.columns - box.starts[row]) for row in range(len(rows) - 1))
    return "\n".join(rows) if are_lines else None


def last_letter(cells: Sequence[str]) -> int:
    """Return the column behind the last of these cells that is not blank."""
    return max((column + 1 for column, cell in enumerate(cells) if cell != " "), default=0)


def rest_of(draft: str, letters: str, newlines: int, blanks: int) -> str | None:
    """Return the rest of the draft behind these first letters, newlines and blanks, or None if the draft does not begin with them."""
    at = 0
    for letter in letters:
        at += len(draft[at:]) - len(draft[at:].lstrip())
        if draft[at : at + 1] != letter:
            return None
        at += 1
    for _ in range(newlines):
        if not (found := re.compile(r" *\n").match(draft, at)):
            return None
        at = found.end()
    while blanks and draft[at : at + 1] == " ":
        at, blanks = at + 1, blanks - 1
    return draft[at:]
