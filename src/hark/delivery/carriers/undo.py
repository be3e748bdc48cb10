"""The undo: the short list of writes that takes our text out of the box and puts the draft back.

It is known before our first byte goes in and is left with whoever holds the human's keys. The holder runs it without a look at the
screen when the daemon dies or the hold's deadline comes, and then lets the keys go. So it has to come to the same end wherever it
begins: our text may be in the box or not yet, the draft may be there still, or in part.
"""

import re
from collections.abc import Sequence
from unicodedata import category

from msgspec import Struct

from hark.delivery.screen.box import Box, BoxLook, mentions, read_box, shows_placeholder
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.wrapping import is_surely_newline

TAB_WIDTH = 4
"""Agents that draw a tab as blanks keep so many of them."""
SPARE_ERASURES = 8
COLLAPSED_ABOVE = 4096
"""Every agent that has a stand-in for long pastes shows it for a paste of so many characters: a few Backspaces take it out."""
MOST_DELETES = 24
"""For a text of ours: agents leave their cursor at its end, or a few characters before it."""
ROWS_ERASED = 20
"""Claude Code shows no text of more rows as it is, and takes forty of these keys in one read for a paste."""
WORKED_OFF_S = 0.08
"""How long an agent may take to work off what it has read last. A key that comes sooner finds the box as it was before."""
ONE_BY_ONE_S = 0.02
"""The same for keys that do the same wherever the box is by then, and for pieces of a paste: they must only not be read together."""
LATE_S = 0.7
"""How much longer an agent may take to insert a paste that it has read and not shown within a second: Claude Code at a load of 12."""
EDITOR_GONE_S = 0.3
"""How long an agent takes to come back from its editor when the daemon is gone; keys that come sooner are lost."""
SUBMITTED_S = 0.15
"""How long an agent takes to work off an Enter."""
LONGEST_PASTE = 120
"""Longer ones may be shown collapsed."""
PIECEMEAL_BELOW = 4096
MARKS = "§¶¤"
"""No letter and no digit: those answer dialogs."""
_NOT_PASTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Write(Struct, frozen=True):
    """Keys by tmux's names, or a text to paste; then a pause before the next write."""

    keys: tuple[str, ...] = ()
    paste: str = ""
    then_wait_s: float = 0.0
    read_wait_s: float | None = None
    """The pause where whoever runs the undo sees that the agent has read the write; None: the same."""
    back_wait_s: float | None = None
    """The agent may be in its editor: the pause is over so long after it is seen to come back."""


Undo = tuple[Write, ...]


class WayBack(Struct, frozen=True, kw_only=True):
    """How the human's draft comes back once our text is out of the box."""

    draft: Undo = ()
    drafts_text: str = ""
    """Where the draft is pasted back: its text, which may still be in the box."""
    after_enter: Undo = ()
    """From the Enter on."""
    after_submit: Undo = ()
    """From the moment on in which the box is seen to have let go of our text."""
    wait_s: float = WORKED_OFF_S
    """How long the agent takes until the first key finds the box as it is."""

    def before_enter(self, text: str, look: BoxLook) -> Undo:
        """The undo while this text of ours may be in the box."""
        return (Write(then_wait_s=self.wait_s), *erasing((text, self.drafts_text), look), *self.draft)


NOTHING_TAKEN = WayBack()
"""The box was empty: after our text is out, it is as it was."""


def after_enter_on_empty(text: str, look: BoxLook) -> WayBack:
    """The same, when the text is known: an agent that took it may keep it in the box, and in an empty box there is nothing to erase."""
    return WayBack(after_enter=(Write(then_wait_s=SUBMITTED_S), *erasing((text,), look)))


def pasting_back(draft: str, behind: str | None, text: str, look: BoxLook, wait_s: float = WORKED_OFF_S) -> WayBack:
    """The draft is pasted. `behind`: the part of it that stands behind the cursor; None where it is not known. After the Enter the
    same is right: an Enter that made a new line has left our text there, and otherwise there is nothing to erase."""
    back = pasted(draft, behind, look)
    wait = Write(then_wait_s=max(wait_s, SUBMITTED_S))
    after_enter = (wait, *erasing((text, draft), look), *back)
    # The draft, or a part of it, may be there by then.
    after_submit = (wait, *erasing(("", draft), look), *back)
    return WayBack(draft=back, drafts_text=draft, after_enter=after_enter, after_submit=after_submit, wait_s=wait_s)


def erasing(texts: Sequence[str], look: BoxLook) -> Undo:
    """Takes any one of these texts out of the box, in vim's normal mode too, where Backspace and Delete erase nothing. The first one is
    ours: agents leave their cursor near its end. In the others it may stand anywhere."""
    if look.empty_keys:
        return (Write(keys=look.empty_keys, then_wait_s=WORKED_OFF_S),)
    ours, *others = texts
    collapsed = look.placeholder is not None and len(ours) > COLLAPSED_ABOVE
    backspaces = max([COLLAPSED_ABOVE if collapsed else erasures(ours), *map(erasures, others)])
    deletes = max([min(erasures(ours), MOST_DELETES), *map(erasures, others)])
    insert = (look.insert_key,) if look.insert_key else ()
    further = [("DC",) * deletes, *((key,) * ROWS_ERASED for key in look.row_erasers)]
    return (
        Write(keys=(*insert, *("BSpace",) * backspaces)),
        *(Write(keys=keys, then_wait_s=WORKED_OFF_S, read_wait_s=ONE_BY_ONE_S) for keys in further[:-1]),
        Write(keys=further[-1], then_wait_s=WORKED_OFF_S),
    )


def ways_out(presses: int, look: BoxLook) -> list[tuple[str, ...]]:
    """So many Backspaces and Deletes, in a mode in which they erase; or else whole rows."""
    insert = (look.insert_key,) if look.insert_key else ()
    rows = [(key,) * ROWS_ERASED for key in look.row_erasers]
    return [(*insert, *("BSpace",) * presses), ("DC",) * presses, *rows]


def erasures(text: str, look: BoxLook | None = None) -> int:
    """How many Backspaces take a text out of any box. One takes out a stand-in, whatever it stands for."""
    longest = look.collapses_over if look and look.collapses_over is not None else len(text)
    shown = text[:longest]
    return len(shown) + (TAB_WIDTH - 1) * shown.count("\t") + SPARE_ERASURES


def pasted(draft: str, behind: str | None, look: BoxLook) -> Undo:
    """Brings a draft into an empty box, and its cursor to its place. With a mark behind it that is erased again, because a paste of
    one character may count as a key, and a paste that is the path of a file may become something else."""
    mark = next((mark for mark in MARKS if mark not in draft), "")
    if not draft or not mark or _NOT_PASTED.search(draft):
        return ()
    pieces = pieces_of(draft) if len(draft) < PIECEMEAL_BELOW else [draft]
    writes = [
        Write(paste=piece, then_wait_s=WORKED_OFF_S, read_wait_s=ONE_BY_ONE_S)
        for piece in [*pieces[:-1], pieces[-1] + mark]
    ]
    erased = Write(keys=("BSpace",), then_wait_s=WORKED_OFF_S, read_wait_s=ONE_BY_ONE_S)
    return (*writes, erased, *going_left(behind or "", look))


def pieces_of(text: str) -> list[str]:
    """Newlines one by one, and nothing long: pasted together they may be collapsed. No letter or digit alone."""
    return re.findall(rf"\A.\n(?:.(?=\n|\Z))?|\n(?:.(?=\n|\Z))?|[^\n]{{1,{LONGEST_PASTE}}}(?:.(?=\n|\Z))?", text)


def going_left(behind: str, look: BoxLook) -> Undo:
    return (Write(keys=(look.left_key,) * arrows(behind)),) if behind else ()


def going_back_on(screen: Screen, box: Box, look: BoxLook) -> Undo:
    """The same for a draft of which only the screen tells. How many keys lead over a stand-in for a paste it does not tell."""
    shown = None if shows_placeholder(box, look) else shown_text(screen, box)
    behind = behind_cursor(shown, screen, box) if shown else None
    return going_back(shown, behind, look, SUBMITTED_S) if shown and behind else ()


def going_back(draft: str, behind: str | None, look: BoxLook, wait_s: float = WORKED_OFF_S) -> Undo:
    """Brings the cursor of an untouched draft to its place, wherever it stands now: first to the end, where one more step does
    nothing."""
    if behind is None:
        return ()
    to_the_end = Write(keys=("Right",) * (len(draft) + SPARE_ERASURES), then_wait_s=WORKED_OFF_S)
    return (Write(then_wait_s=wait_s), to_the_end, *going_left(behind, look))


def arrows(text: str) -> int:
    """How many times an arrow key is pressed to pass this text, as far as agents agree: once for what is drawn as one."""
    count, is_joined, is_flag = 0, False, False
    for character in text:
        is_part = category(character) in ("Mn", "Me") or "\U0001f3fb" <= character <= "\U0001f3ff" or is_joined
        is_joined = character == "\u200d"
        is_second = is_flag and "\U0001f1e6" <= character <= "\U0001f1ff"
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff" and not is_second
        count += not (is_part or is_joined or is_second)
    return count


def behind_cursor(draft: str, screen: Screen, box: Box) -> str | None:
    """The part of the draft that stands behind the box's cursor; None where the screen does not tell."""
    rows = [row.rstrip() for row in box.rows[: box.cursor_row]]
    start = box.starts[box.cursor_row]
    cells = screen.rows[screen.cursor_y].cells[start : screen.cursor_x]
    rows.append(screen.rows[screen.cursor_y].part(start, screen.cursor_x).rstrip())
    filled = [index for index, row in enumerate(rows) if row]
    newlines = len(rows) - 1 - (filled[-1] if filled else 0)
    letters = "".join("".join(rows).split())
    blanks = screen.cursor_x - start - last_letter(cells)
    behind = rest_of(draft, letters, newlines, blanks)
    # At the start of a row that is more of the one above there is no newline.
    return rest_of(draft, letters, 0, 1) if behind is None and newlines == 1 else behind


def is_clean(screen: Screen, look: BoxLook, message_id: str, draft: str | None) -> bool:
    """Whether the box is seen without our text after an undo was run: a dialog that stood over it has swallowed the keys. A stand-in for a
    paste is the human's only if their draft had one."""
    box = read_box(screen, look)
    if box is None or mentions(box, message_id):
        return False
    has_own = draft is not None and look.placeholder is not None and re.search(look.placeholder, draft) is not None
    return has_own or not shows_placeholder(box, look)


def shown_text(screen: Screen, box: Box) -> str | None:
    """The text of a box whose rows are lines, but for blanks at their ends; None where one may be more of the row above."""
    rows = [row.rstrip() for row in box.rows]
    are_lines = all(is_surely_newline(rows, row, screen.columns - box.starts[row]) for row in range(len(rows) - 1))
    return "\n".join(rows) if are_lines else None


def last_letter(cells: Sequence[str]) -> int:
    """The column behind the last of these cells that is not blank."""
    return max((column + 1 for column, cell in enumerate(cells) if cell != " "), default=0)


def rest_of(draft: str, letters: str, newlines: int, blanks: int) -> str | None:
    """What is missing of the draft behind its first letters, newlines and blanks; None where it does not begin so."""
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
