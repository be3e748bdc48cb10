"""What a pane shows at one instant, and the bytes that make a fresh terminal show the same.

One command line asks tmux for everything, so all answers are of the same instant. The bytes are written to a terminal that has just been
reset and has the size of the pane:

1. the history, scrolled out of the screen before the screen is painted: otherwise the history would lose a screen at every attach;
2. the rows of the main screen. A row that goes on in the next one is written without a line break, so that the terminal knows that
   the two belong together;
3. if the program is on the alternate screen: the switch to it, and its rows;
4. scroll region, modes, title, cursor, pen, and the beginning of an escape sequence or of a character whose end is still to come.
"""

import codecs
import re
from collections.abc import Sequence

from msgspec import Struct
from wcwidth import wcwidth

from hark.terminal.tmux.commands import command
from hark.terminal.tmux.expansion import Format
from hark.terminal.viewing.pen import Pen, pen_after

_STATE = (
    "pane_pid",
    "pane_dead",
    "pane_width",
    "pane_height",
    "history_size",
    "cursor_x",
    "cursor_y",
    "alternate_on",
    "alternate_saved_x",
    "alternate_saved_y",
    "scroll_region_upper",
    "scroll_region_lower",
    "cursor_flag",
    "insert_flag",
    "wrap_flag",
    "origin_flag",
    "keypad_flag",
    "keypad_cursor_flag",
    "mouse_standard_flag",
    "mouse_button_flag",
    "mouse_all_flag",
    "mouse_utf8_flag",
    "mouse_sgr_flag",
    "bracket_paste_flag",
    "window_id",
    "pane_title",
)
STATE_FORMAT = Format("|".join(f"#{{{name}}}" for name in _STATE))

_SET = {"cursor_flag": 25, "wrap_flag": 7, "keypad_cursor_flag": 1, "bracket_paste_flag": 2004}
_WRAP_ON, _WRAP_OFF = b"\x1b[?7h", b"\x1b[?7l"
# A terminal may find a character wider than tmux does. So it may wrap only where a row really goes on in the next one.
_SEQUENCE = re.compile(r"\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x0e\x0f]")
_MOUSE = {
    "mouse_standard_flag": 1000,
    "mouse_button_flag": 1002,
    "mouse_all_flag": 1003,
    "mouse_utf8_flag": 1005,
    "mouse_sgr_flag": 1006,
}


class State(Struct, frozen=True, kw_only=True):
    """The numbers of a pane, by the names that tmux gives them."""

    numbers: dict[str, int]
    window_id: str
    title: str

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]

    @property
    def columns(self) -> int:
        return self["pane_width"]

    @property
    def rows(self) -> int:
        return self["pane_height"]


class Picture(Struct, frozen=True, kw_only=True):
    state: State
    history: list[bytes]
    """The rows that have scrolled off the top, as many as were asked for."""
    screen: list[bytes]
    """The rows of the screen that the program draws on."""
    wraps: list[bool]
    """For each row of the history and then of the screen, whether it goes on in the next row."""
    main: list[bytes]
    """The rows of the main screen while the program draws on the alternate screen; empty otherwise."""
    unfinished: bytes
    """The beginning of an escape sequence that tmux has received and whose end is still to come."""


def questions(pane_id: str, history: int) -> tuple[str, ...]:
    """Return the tmux commands whose answers `read_picture` reads."""
    start = str(-history) if history else "0"
    return (
        command("display-message", "-p", "-t", pane_id, STATE_FORMAT),
        command("capture-pane", "-p", "-e", "-q", "-N", "-S", start, "-t", pane_id),
        command("capture-pane", "-p", "-e", "-q", "-J", "-N", "-S", start, "-t", pane_id),
        command("capture-pane", "-p", "-e", "-q", "-N", "-a", "-t", pane_id),
        command("capture-pane", "-p", "-P", "-C", "-t", pane_id),
    )


def read_picture(replies: Sequence[Sequence[bytes]]) -> Picture:
    head, plain, joined, main, unfinished = replies
    state = read_state(b"\n".join(head).decode("utf-8", "replace"))
    rows = list(plain)
    # tmux leaves out the line breaks of empty rows at the very end.
    rows += [b""] * (state.rows - len(rows))
    history = rows[: len(rows) - state.rows]
    main_rows = [*main, *([b""] * (state.rows - len(main)))] if state["alternate_on"] else []
    return Picture(
        state=state,
        history=history,
        screen=rows[len(history) :],
        wraps=find_wraps(rows, list(joined), state.columns),
        main=main_rows,
        unfinished=codecs.escape_decode(b"\n".join(unfinished))[0],
    )


def read_state(text: str) -> State:
    *numbers, window_id, title = text.split("|", len(_STATE) - 1)
    named = dict(zip(_STATE, numbers, strict=False))
    flags = {name: int(value) if value.isdigit() else 0 for name, value in named.items()}
    if not named.get("bracket_paste_flag"):
        # Only tmux 3.7 tells. Where nobody knows, a paste is bracketed: a line break must not submit half of it.
        flags["bracket_paste_flag"] = 1
    return State(numbers=flags, window_id=window_id, title="".join(one for one in title if one.isprintable()))


def find_wraps(rows: list[bytes], joined: list[bytes], columns: int) -> list[bool]:
    """Return for each row whether it goes on in the next: `joined` has the same rows, with those that belong together in one. A row that
    is not full does not go on, whatever tmux says: part of it was erased later, and a terminal would not wrap there."""
    wraps: list[bool] = []
    lines, rest = iter(joined), b""
    for row in rows:
        if not rest:
            rest = next(lines, b"")
        rest = rest[len(row) :] if rest.startswith(row) else b""
        wraps.append(bool(rest) and _width(row) == columns)
    return wraps


def _width(row: bytes) -> int:
    text = _SEQUENCE.sub("", row.decode("utf-8", "replace"))
    return len(text) if text.isascii() else sum(max(0, wcwidth(one)) for one in text)


def paint(picture: Picture, pen: Pen = Pen(), unfinished_character: bytes = b"") -> bytes:  # noqa: B008 a Pen is frozen
    """Return the bytes that make a fresh terminal show the picture. `pen` sets the colours of what comes next; tmux does not tell them."""
    state, kept = picture.state, len(picture.history)
    is_alternate = bool(state["alternate_on"])
    # tmux writes line drawing characters between SO and SI, which select the character set G1.
    parts = [b"\x1b(B\x1b)0\x0f\x1b[0m" + _WRAP_OFF]
    carried = _paint_history(parts, picture)
    if is_alternate:
        _paint_rows(parts, picture.main, [False] * len(picture.main), Pen())
        parts.append(_move(state["alternate_saved_x"], state["alternate_saved_y"]) + pen.left + b"\x1b[?1049h\x1b[0m")
        _paint_rows(parts, picture.screen, [False] * len(picture.screen), carried)
    else:
        _paint_rows(parts, picture.screen, picture.wraps[kept:], carried)
    parts.append(_modes(state))
    parts.append(_cursor(picture))
    parts += [b"\x1b[0m", pen.now, picture.unfinished or unfinished_character]
    return b"".join(parts)


def _paint_history(parts: list[bytes], picture: Picture) -> Pen:
    """Add the history, and return the pen that tmux carries from its last row into the screen."""
    pen = Pen()
    for row, wraps in zip(picture.history, picture.wraps, strict=False):
        parts.append((_WRAP_ON if wraps else b"") + pen.now + row)
        pen = pen_after(pen, row)
        parts.append(b"" if wraps else b"\x1b[0m\r\n" + _WRAP_OFF)
    if picture.history:
        if picture.wraps[len(picture.history) - 1]:
            parts.append(b"\x1b[0m\r\n" + _WRAP_OFF)
        left = min(len(picture.history), picture.state.rows - 1)
        parts.append(b"\x1b[0m\x1b[%d;1H" % picture.state.rows + b"\n" * left)
    return pen


def _paint_rows(parts: list[bytes], rows: list[bytes], wraps: list[bool], pen: Pen) -> None:
    is_continued = False
    for number, row in enumerate(rows):
        start = b"" if is_continued else b"\x1b[%d;1H" % (number + 1)
        wraps_now = number + 1 < len(rows) and wraps[number]
        parts.append(start + (_WRAP_ON if wraps_now else b"") + pen.now + row + b"\x0f\x1b[0m")
        pen = pen_after(pen, row)
        if is_continued and not wraps_now:
            parts.append(_WRAP_OFF)
        is_continued = wraps_now


def _modes(state: State) -> bytes:
    top, bottom = state["scroll_region_upper"] + 1, state["scroll_region_lower"] + 1
    parts = [b"\x1b[%d;%dr" % (top, bottom)] if (top, bottom) != (1, state.rows) else []
    parts += [b"\x1b[?6h"] if state["origin_flag"] else []
    parts += [b"\x1b[4h"] if state["insert_flag"] else []
    parts += [b"\x1b="] if state["keypad_flag"] else []
    parts += [b"\x1b[?%d%c" % (mode, b"h" if state[name] else b"l") for name, mode in _SET.items()]
    parts += [b"\x1b[?%dh" % mode for name, mode in _MOUSE.items() if state[name]]
    if state.title:
        parts.append(b"\x1b]2;" + state.title.encode() + b"\x07")
    return b"".join(parts)


def _cursor(picture: Picture) -> bytes:
    state = picture.state
    x, y = state["cursor_x"], state["cursor_y"]
    shift = state["scroll_region_upper"] if state["origin_flag"] else 0
    if x < state.columns:
        return _move(x, y - shift)
    # The cursor stands behind the last column: the next character wraps. Only writing the last character again brings it there.
    start = b"\x1b[%d;1H" % (y - shift + 1)
    row = picture.screen[y] if y < len(picture.screen) else b""
    pen = Pen()
    for earlier in picture.screen[:y]:
        pen = pen_after(pen, earlier)
    insert = (b"\x1b[4l", b"\x1b[4h") if state["insert_flag"] else (b"", b"")
    return insert[0] + start + pen.now + row + b"\x0f" + insert[1]


def _move(x: int, y: int) -> bytes:
    return b"\x1b[%d;%dH" % (y + 1, x + 1)
