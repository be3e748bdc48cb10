"""The input box of an agent on a screen: where it is, what is in it, and whether it shows a given text.

An agent's data file says how its box looks (`BoxLook`): the row above it, the prompt its first row begins with, the
indent of the rows that follow, and the row that ends it. A box is recognised only as a whole; what is not recognised is
not an input box, and nothing is pressed into it. In doubt there is no box, or it is not empty: that costs a delay.
"""

import re
from typing import Literal
from unicodedata import category

from msgspec import Struct

from hark.delivery.screen.capture import Screen

_DISPUTED = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Mc", "Me", "Sk"})
"""Categories of Unicode: blanks, controls, formats, marks, modifiers."""
NEAR_THE_EDGE = 4
"""Columns: blanks at the end of a row are not to be seen."""


class BoxLook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Regular expressions over the text of whole rows, trailing spaces removed."""

    prompt: str
    """Start of the first row; the rest of that row is input."""
    indent: int
    """Columns before the input on the rows that follow."""
    rows: str | None = None
    """Start of the rows that follow, where they do not begin with blanks."""
    shell: str | None = None
    """Start of the first row where what is typed goes to a shell instead: there is no box for a message then."""
    shell_tail: str | None = None
    """The same, where only the rows below the box tell."""
    above: str | None = None
    """The row before the first, where the agent draws one."""
    below: str = r" *"
    """The row that ends the box, whole."""
    tail: str | None = None
    """Where no single row ends it: all rows from the one that ends it to the last on the screen, joined by newlines."""
    cut: str | None = None
    """A row that says there are more above or below which the agent does not show, with the input in the group `text`: such a box is
    not read."""
    is_cut_read: bool = False
    """Never in a data file: a box of which the agent shows only the end is read all the same, as far as it is shown."""
    ghost: str | None = None
    """What the agent shows in an empty box, where it does not draw it dim."""
    filler: str | None = None
    """A character of no width that the agent draws at its cursor."""
    placeholder: str | None = None
    """What stands in the box for a long paste that the agent does not show; a group `newlines` counts those of the paste."""
    collapses_over: int | None = None
    """A paste of more characters is never shown: the stand-in takes its place. None where there is no such number."""
    needs_visible_cursor: bool = False
    needs_focus: bool = False
    """The agent shows its cursor only while its terminal has the focus: for the time of a delivery it is told so."""
    empty_keys: tuple[str, ...] = ()
    """Keys that together empty the box, whatever is in it and wherever its cursor stands, and do nothing in an empty one. They
    leave no mode of the box, such as a shell's."""
    insert_key: str | None = None
    """The key that leaves vim's normal mode, in which Backspace and Delete erase nothing, and does nothing in any other mode."""
    row_erasers: tuple[str, ...] = ()
    """Keys that erase a row, before or behind the cursor, also in vim's normal mode. They do nothing in an empty box."""
    left_key: str = "Left"
    """The key that moves the cursor one character to the left. It does nothing in an empty box: the undo presses it without a look, and
    the draft may come back later than the key. Left alone opens another view there in some agents."""
    arrows: Literal["rows", "lines"] = "rows"
    """Whether Up and Down go by rows as they are drawn, or by lines as they were typed: then they leave a wrapped line, and may
    leave the draft, where another row of it is meant."""


class Box(Struct, frozen=True, kw_only=True):
    rows: tuple[str, ...]
    """What was typed, row by row as the agent wraps it, without ghost text."""
    is_cursor_at_start: bool
    is_cursor_at_end: bool
    top: int = 0
    """Row of the screen where it begins."""
    starts: tuple[int, ...] = (0,)
    """Columns of the screen where its rows begin."""
    cursor_row: int = 0
    """Row of the box."""
    cursor_x: int = 0
    """Column of the screen."""

    @property
    def is_empty(self) -> bool:
        return self.is_cursor_at_start and len(self.rows) == 1 and not self.rows[0].strip(" ")


def read_box(screen: Screen, look: BoxLook) -> Box | None:
    """None when the cursor is not in a box that looks as it should."""
    if screen.in_mode or (look.needs_visible_cursor and not screen.is_cursor_visible):
        return None
    first = _first_row(screen, look)
    if first is None:
        return None
    last = _last_row(screen, look, first)
    if last is None or screen.cursor_y > last:
        return None
    if look.cut and not look.is_cut_read and any(_is_cut(screen, look, y) for y in range(first, last + 1)):
        return None
    starts = _starts(screen, look, first, last)
    if starts is None:
        return None
    input_start = starts[0]
    rows = tuple(_input(screen, look, first + i, start) for i, start in enumerate(starts))
    is_at_start = screen.cursor_y == first and screen.cursor_x == input_start
    if is_at_start and (_is_wrapped_ghost(look, rows) or (first == last and _is_ghost(screen, look, rows[0]))):
        rows, starts = ("",), starts[:1]
    start = starts[screen.cursor_y - first]
    if screen.cursor_x < start:
        return None
    behind = _without(look.filler, screen.rows[screen.cursor_y].typed(screen.cursor_x)) if rows != ("",) else ""
    return Box(
        rows=rows,
        top=first,
        starts=tuple(starts),
        cursor_row=screen.cursor_y - first,
        cursor_x=screen.cursor_x,
        is_cursor_at_start=screen.cursor_y == first and screen.cursor_x == start,
        is_cursor_at_end=not "".join((behind, *rows[screen.cursor_y - first + 1 :])).strip(" "),
    )


def may_be_wrapped(box: Box, screen: Screen) -> bool:
    """Whether a row comes so near to the edge that the next one may be more of its line."""
    rows = screen.rows[box.top : box.top + len(box.rows)]
    widths = [len("".join(cell or " " for cell in row.cells).rstrip()) for row in rows]
    return max(widths) > screen.columns - NEAR_THE_EDGE


def holds_text(box: Box, text: str) -> bool:
    """Whether the box shows this text, as far as a screen can tell, with the cursor behind it."""
    shown = undisputed("".join(box.rows))
    return box.is_cursor_at_end and bool(shown) and shown == undisputed(text)


def ends_with(box: Box, text: str) -> bool:
    """Whether what the box shows is the end of this text, as far as a screen can tell."""
    return undisputed(text).endswith(undisputed("".join(box.rows)))


def undisputed(text: str) -> str:
    """The characters of a text that every terminal and every agent draws: all but blanks, tabs, combining marks, joiners,
    variation selectors and skin tones. These move, vanish or take cells of their own, and a screen says nothing about them."""
    return "".join(character for character in text if category(character) not in _DISPUTED)


def holds_placeholder(box: Box, look: BoxLook, text: str | None = None) -> bool:
    """Whether the box shows nothing but the agent's stand-in for a long paste; with a text, one that can stand for it.
    Whose paste it was, it does not say."""
    if look.placeholder is None or not (shown := re.fullmatch(look.placeholder, "".join(box.rows).strip())):
        return False
    newlines = shown.groupdict().get("newlines")
    return text is None or newlines is None or int(newlines) == text.count("\n")


def shows_placeholder(box: Box, look: BoxLook) -> bool:
    """Whether a stand-in for a long paste is in the box, beside other text or alone."""
    return look.placeholder is not None and re.search(look.placeholder, "".join(box.rows)) is not None


def shows_below(screen: Screen, box: Box, pattern: str | None) -> bool:
    return pattern is not None and any(
        re.search(pattern, line) for line in screen.rows.plain[box.top + len(box.rows) :]
    )


def mentions(box: Box, words: str) -> bool:
    """Also where a wrap cuts them in two."""
    return words in "".join(row.strip() for row in box.rows)


def _is_ghost(screen: Screen, look: BoxLook, row: str) -> bool:
    """The only row, with the cursor at its start, shows a suggestion: the agent's known one, or a dim one whose first
    character is drawn as the cursor."""
    if look.ghost and re.fullmatch(look.ghost, row.strip()):
        return True
    behind = screen.rows[screen.cursor_y].part(screen.cursor_x + 1).strip()
    return len(behind) > 2 and not screen.rows[screen.cursor_y].typed(screen.cursor_x + 1).strip()


def _is_cut(screen: Screen, look: BoxLook, y: int) -> bool:
    return look.cut is not None and re.fullmatch(look.cut, screen.rows[y].text) is not None


def _input(screen: Screen, look: BoxLook, y: int, start: int) -> str:
    """What was typed in a row, without the agent's sign that there are more rows."""
    typed = _without(look.filler, screen.rows[y].typed(start))
    if look.is_cut_read and look.cut and (shown := re.fullmatch(look.cut, typed.rstrip())):
        return shown["text"]
    return typed


def _is_wrapped_ghost(look: BoxLook, rows: tuple[str, ...]) -> bool:
    """In a narrow pane the agent's known suggestion takes several rows."""
    return look.ghost is not None and re.fullmatch(look.ghost, " ".join(row.strip() for row in rows)) is not None


def _without(filler: str | None, text: str) -> str:
    return text.replace(filler, "") if filler else text


def _starts(screen: Screen, look: BoxLook, first: int, last: int) -> list[int] | None:
    """Column of the input on each row."""
    start = _input_start(screen, first, look.prompt)
    # Where the first row is out of sight, the one at the top of the screen is one of those that follow.
    starts = [look.indent if start is None and look.is_cut_read else start]
    for y in range(first + 1, last + 1):
        starts.append(look.indent if look.rows is None else _input_start(screen, y, look.rows))
    return None if None in starts else [start for start in starts if start is not None]


def _input_start(screen: Screen, y: int, pattern: str) -> int | None:
    begins = re.match(pattern, screen.rows[y].text + "  ")
    return _columns_of(screen, y, begins.end()) if begins else None


def _may_follow(screen: Screen, look: BoxLook, y: int) -> bool:
    """Whether the row may be another one of the draft. Where tmux and the agent disagree about the width of an emoji, tmux hangs what is
    left of it onto a blank cell of the indent: the cell is blank all the same."""
    if look.rows is not None:
        return re.match(look.rows, screen.rows[y].text + "  ") is not None
    return all(cell[:1] in ("", " ") for cell in screen.rows[y].cells[: look.indent])


def _first_row(screen: Screen, look: BoxLook) -> int | None:
    """Upwards from the cursor to the topmost prompt, over nothing but rows that may follow one: a row of a draft may look like
    a prompt. Where all rows begin alike, it is the one below the frame."""
    first = None
    for y in range(screen.cursor_y, -1, -1):
        if y >= len(screen.rows):
            return None
        is_prompt = re.match(look.prompt, screen.rows[y].text + "  ") is not None
        if is_prompt and (look.rows is None or _is_below_frame(screen, look, y)):
            first = y
        elif not _may_follow(screen, look, y):
            break
    else:
        y = -1
    if look.is_cut_read and (first is None or not _is_below_frame(screen, look, first)):
        # The first row is out of sight: the box begins below its frame all the same, or at the top of the screen.
        return y + 1 if y < 0 or (look.above and re.fullmatch(look.above, screen.rows[y].text)) else None
    return first if first is not None and _is_below_frame(screen, look, first) else None


def _is_below_frame(screen: Screen, look: BoxLook, y: int) -> bool:
    """At the top of the screen the frame may be out of sight; of a draft more may be, so only an empty row passes."""
    if y == 0 and look.rows is not None:
        return re.fullmatch(look.prompt, screen.rows[0].text + " ") is not None
    return look.above is None or (y > 0 and re.fullmatch(look.above, screen.rows[y - 1].text) is not None)


def _last_row_before(texts: list[str], tail: str, first: int) -> int | None:
    """`texts`: of the rows from the first on."""
    while texts and not texts[-1]:
        texts.pop()
    ends = (y for y in range(1, len(texts)) if re.fullmatch(tail, "\n".join(texts[y:])))
    return next((first + y - 1 for y in ends), None)


def _last_row(screen: Screen, look: BoxLook, first: int) -> int | None:
    """A blank row ends the box only where no input can follow it: it may be an empty line of a draft."""
    rows = screen.rows
    if look.tail is not None:
        return _last_row_before([row.text for row in rows[first:]], look.tail, first)
    for y in range(first + 1, len(rows)):
        if re.fullmatch(look.below, rows[y].text):
            is_end = rows[y].text.strip() or all(re.fullmatch(look.below, row.text) for row in rows[y:])
            return y - 1 if is_end else None
        if not _may_follow(screen, look, y):
            return None
    return len(rows) - 1 if re.fullmatch(look.below, "") else None


def _columns_of(screen: Screen, y: int, characters: int) -> int | None:
    """How many columns the first characters of a row take; None when they end inside a cell, which then is not theirs alone."""
    seen = 0
    for column, cell in enumerate(screen.rows[y].cells):
        if seen > characters:
            return None
        if seen == characters:
            return column
        seen += len(cell)
    return len(screen.rows[y].cells) + characters - seen if seen <= characters else None
