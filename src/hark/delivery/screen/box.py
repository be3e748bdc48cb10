"""The input box of an agent on a screen: where it is, what is in it, and whether it shows a given text.

An agent's data file says how its box looks (`BoxLook`): the row above the box, the prompt that begins its first row, the indent
of the rows that follow, and the row that ends the box. hark recognises a box only as a whole; anything else is not an input box,
and hark presses no key into it. In doubt there is no box, or the box is not empty: that costs only a delay.
"""

import re
from typing import Literal
from unicodedata import category

from msgspec import Struct

from hark.delivery.screen.capture import Screen

_DISPUTED = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Mc", "Me", "Sk"})
"""The Unicode categories of characters that a screen does not show reliably: blanks, controls, formats, marks, modifiers."""
NEAR_THE_EDGE = 4
"""The number of columns from the right edge within which a row may be wrapped: a screen does not show blanks at the end of a row."""


COLLAPSED_FROM = 150
"""The length of a paste from which an agent may show a placeholder for it: OpenCode does from there on."""


class BoxLook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an agent's input box looks, as regular expressions over the text of whole rows without their trailing spaces."""

    prompt: str
    """The start of the first row of the box; the rest of that row is input."""
    indent: int
    """The number of columns before the input on the rows after the first."""
    rows: str | None = None
    """The start of the rows after the first, for agents where these rows do not begin with blanks."""
    shell: str | None = None
    """The start of the first row while typed text goes to a shell: then there is no box for a message, which is
    held as `draft`."""
    shell_tail: str | None = None
    """The `tail` of the box while typed text goes to a shell, for agents where only the rows below the box show that."""
    above: str | None = None
    """The row above the first row of the box, for agents that draw one."""
    below: str = r" *"
    """The whole row that ends the box."""
    tail: str | None = None
    """All rows from the one that ends the box to the last on the screen, joined by newlines, for agents where no single row ends the
    box; `below` does not count then."""
    cut: str | None = None
    """A row by which the agent says that the box has more rows above or below than it shows, with the input in the group `text`. hark
    does not read such a box, unless it has seen its own header in it before."""
    is_cut_read: bool = False
    """True if a box is read as far as the agent shows it, though the agent shows only its end. No data file sets this field."""
    ghost: str | None = None
    """The text that the agent shows in an empty box, for agents that do not draw this text dim."""
    filler: str | None = None
    """A character of no width that the agent draws at its cursor."""
    placeholder: str | None = None
    """The placeholder that the agent shows in its box instead of a long paste; a group `newlines` counts the newlines of the paste."""
    collapses_over: int | None = None
    """The number of characters above which the agent always shows a placeholder instead of the paste; left out if there is no such
    number."""
    finds_menus_by_column: bool = False
    """True if the agent takes the column of its cursor for a place in the text when it looks for an `@word` before the cursor. In a text
    with marks or emoji that place lies before the cursor, and a menu that opens there would catch the Enter: so hark writes blanks behind
    such a text."""
    needs_visible_cursor: bool = False
    """True if the agent shows its cursor while its box takes input: a box with a hidden cursor is not read."""
    needs_focus: bool = False
    """True if the agent shows its cursor only while its terminal has the focus: hark tells the agent so for the time of a delivery."""
    empty_keys: tuple[str, ...] = ()
    """Keys that together empty the box, whatever is in it and wherever its cursor stands, and do nothing in an empty box. These keys do
    not leave a mode of the box, such as its shell mode. hark takes its own text out with them when it cannot be submitted; without them
    it presses Backspace, and then Delete, once for each character of the text."""
    insert_key: str | None = None
    """The key that leaves vim's normal mode, in which Backspace and Delete erase nothing, and does nothing in any other mode.
    hark presses it before the Backspaces."""
    row_erasers: tuple[str, ...] = ()
    """Keys that erase a row, before or behind the cursor, also in vim's normal mode, and do nothing in an empty box. hark presses them
    after the Backspaces and Deletes."""
    left_key: str = "Left"
    """The key that moves the cursor one character to the left and does nothing in an empty box: the undo presses this key without a
    look, and the draft may come back later than the key. In some agents plain Left opens another view in an empty box."""
    line_start_key: str | None = None
    """The key that moves the cursor to the start of its line, over wraps and no further, and does nothing in an empty box or a dialog.
    With this key the undo finds the place of the cursor even if blanks that no screen shows stand behind it."""
    arrows: Literal["rows", "lines"] = "rows"
    """Whether Up and Down go by rows as they are drawn, or by lines as they were typed. Keys that go by lines skip the other rows of a
    wrapped line, and may leave the draft."""


class Box(Struct, frozen=True, kw_only=True):
    rows: tuple[str, ...]
    """The typed text, row by row as the agent wraps it, without ghost text."""
    is_cursor_at_start: bool
    is_cursor_at_end: bool
    top: int = 0
    """The row of the screen where the box begins."""
    starts: tuple[int, ...] = (0,)
    """The columns of the screen where the rows of the box begin."""
    cursor_row: int = 0
    """The row of the box in which the cursor stands."""
    cursor_x: int = 0
    """The column of the screen in which the cursor stands."""

    @property
    def is_empty(self) -> bool:
        return self.is_cursor_at_start and len(self.rows) == 1 and not self.rows[0].strip(" ")


def read_box(screen: Screen, look: BoxLook) -> Box | None:
    """Return the box in which the cursor stands, or None if the cursor is not in a box that looks as it should."""
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
    """Return whether a row comes so near to the edge that the next row may continue its line."""
    rows = screen.rows[box.top : box.top + len(box.rows)]
    widths = [len("".join(cell or " " for cell in row.cells).rstrip()) for row in rows]
    return max(widths) > screen.columns - NEAR_THE_EDGE


def holds_text(box: Box, text: str) -> bool:
    """Return whether the box shows this text, as far as a screen can tell, with the cursor behind the text."""
    shown = undisputed("".join(box.rows))
    return box.is_cursor_at_end and bool(shown) and shown == undisputed(text)


def ends_with(box: Box, text: str) -> bool:
    """Return whether the box shows the end of this text, as far as a screen can tell."""
    return undisputed(text).endswith(undisputed("".join(box.rows)))


def undisputed(text: str) -> str:
    """Return the characters of a text that every terminal and every agent draws: all but blanks, tabs, combining marks, joiners,
    variation selectors and skin tones. Those move, vanish or take cells of their own, and a screen says nothing about them."""
    return "".join(character for character in text if category(character) not in _DISPUTED)


def holds_placeholder(box: Box, look: BoxLook, text: str | None = None) -> bool:
    """Return whether the box shows nothing but the agent's placeholder for a long paste. With a text, return whether that placeholder
    can stand for this text. A placeholder does not say whose paste it stands for."""
    if look.placeholder is None or not (shown := re.fullmatch(look.placeholder, "".join(box.rows).strip())):
        return False
    newlines = shown.groupdict().get("newlines")
    return text is None or newlines is None or int(newlines) == text.count("\n")


def shows_placeholder(box: Box, look: BoxLook) -> bool:
    """Return whether the box shows a placeholder for a long paste, alone or beside other text."""
    return look.placeholder is not None and re.search(look.placeholder, "".join(box.rows)) is not None


def may_be_collapsed(text: str, look: BoxLook) -> bool:
    """Return whether the agent may show a placeholder instead of this text when it is pasted, also in its transcript."""
    return look.placeholder is not None and (text.count("\n") > 1 or len(text) > COLLAPSED_FROM)


def shows_below(screen: Screen, box: Box, pattern: str | None) -> bool:
    return pattern is not None and any(
        re.search(pattern, line) for line in screen.rows.plain[box.top + len(box.rows) :]
    )


def mentions(box: Box, words: str) -> bool:
    """Return whether the box shows these words, also if a wrap cuts them in two."""
    return words in "".join(row.strip() for row in box.rows)


def _is_ghost(screen: Screen, look: BoxLook, row: str) -> bool:
    """Return whether the only row, with the cursor at its start, shows a suggestion: the agent's known one, or a dim one whose first
    character is drawn as the cursor."""
    if look.ghost and re.fullmatch(look.ghost, row.strip()):
        return True
    behind = screen.rows[screen.cursor_y].part(screen.cursor_x + 1).strip()
    return len(behind) > 2 and not screen.rows[screen.cursor_y].typed(screen.cursor_x + 1).strip()


def _is_cut(screen: Screen, look: BoxLook, y: int) -> bool:
    return look.cut is not None and re.fullmatch(look.cut, screen.rows[y].text) is not None


def _input(screen: Screen, look: BoxLook, y: int, start: int) -> str:
    """Return what was typed in a row, without the agent's sign that there are more rows."""
    typed = _without(look.filler, screen.rows[y].typed(start))
    if look.is_cut_read and look.cut and (shown := re.fullmatch(look.cut, typed.rstrip())):
        return shown["text"]
    return typed


def _is_wrapped_ghost(look: BoxLook, rows: tuple[str, ...]) -> bool:
    """Return whether the rows show the agent's known suggestion, which takes several rows in a narrow pane."""
    return look.ghost is not None and re.fullmatch(look.ghost, " ".join(row.strip() for row in rows)) is not None


def _without(filler: str | None, text: str) -> str:
    return text.replace(filler, "") if filler else text


def _starts(screen: Screen, look: BoxLook, first: int, last: int) -> list[int] | None:
    """Return the column where the input begins on each row, or None if a row does not begin as it should."""
    start = _input_start(screen, first, look.prompt)
    # If the first row is out of sight, the row at the top of the screen is one of the rows that follow the first.
    starts = [look.indent if start is None and look.is_cut_read else start]
    for y in range(first + 1, last + 1):
        starts.append(look.indent if look.rows is None else _input_start(screen, y, look.rows))
    return None if None in starts else [start for start in starts if start is not None]


def _input_start(screen: Screen, y: int, pattern: str) -> int | None:
    begins = re.match(pattern, screen.rows[y].text + "  ")
    return _columns_of(screen, y, begins.end()) if begins else None


def _may_follow(screen: Screen, look: BoxLook, y: int) -> bool:
    """Return whether the row may be another row of the draft. If tmux and the agent disagree about the width of an emoji, tmux adds the
    rest of the emoji to a blank cell of the indent: such a cell still counts as blank."""
    if look.rows is not None:
        return re.match(look.rows, screen.rows[y].text + "  ") is not None
    return all(cell[:1] in ("", " ") for cell in screen.rows[y].cells[: look.indent])


def _first_row(screen: Screen, look: BoxLook) -> int | None:
    """Return the first row of the box, or None if there is no box. The search goes upwards from the cursor to the topmost prompt, only
    over rows that may follow a prompt, because a row of a draft may look like a prompt too. If all rows of a box begin alike, its
    first row is the one below the frame."""
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
        # The first row is out of sight: the box still begins below its frame, or at the top of the screen.
        return y + 1 if y < 0 or (look.above and re.fullmatch(look.above, screen.rows[y].text)) else None
    return first if first is not None and _is_below_frame(screen, look, first) else None


def _is_below_frame(screen: Screen, look: BoxLook, y: int) -> bool:
    """Return whether the row stands right below the frame of the box. At the top of the screen the frame may be out of sight, but so may
    a part of a draft: if all rows of the box begin alike, only an empty row passes there."""
    if y == 0 and look.rows is not None:
        return re.fullmatch(look.prompt, screen.rows[0].text + " ") is not None
    return look.above is None or (y > 0 and re.fullmatch(look.above, screen.rows[y - 1].text) is not None)


def _last_row_before(texts: list[str], tail: str, first: int) -> int | None:
    """Return the last row of the box, which is the row before the tail, or None. `texts` holds the rows from row `first` on."""
    while texts and not texts[-1]:
        texts.pop()
    ends = (y for y in range(1, len(texts)) if re.fullmatch(tail, "\n".join(texts[y:])))
    return next((first + y - 1 for y in ends), None)


def _last_row(screen: Screen, look: BoxLook, first: int) -> int | None:
    """Return the last row of the box, or None. A blank row ends the box only if no input can follow: it may be an empty line of
    a draft."""
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
    """Return how many columns the first characters of a row take, or None if these characters end inside a cell that also holds
    others."""
    seen = 0
    for column, cell in enumerate(screen.rows[y].cells):
        if seen > characters:
            return None
        if seen == characters:
            return column
        seen += len(cell)
    return len(screen.rows[y].cells) + characters - seen if seen <= characters else None
