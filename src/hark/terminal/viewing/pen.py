"""The pen of a terminal: the colours and attributes with which the next character is drawn. tmux does not tell them, so they are read from
what was printed. A program that goes to the alternate screen leaves its pen behind, and gets it back when it returns."""

import re

from msgspec import Struct

_CHANGES = re.compile(rb"\x1b\[([0-9;:]*)m|\x1bc|\x1b\[\?(?:47|1047|1049)([hl])")
_RESET = re.compile(rb"(?:0*(?:;|$))")
LONGEST = 512


class Pen(Struct, frozen=True):
    now: bytes = b""
    """The sequences that set the pen as it is."""
    left: bytes = b""
    """The sequences that set the pen that was left on the main screen."""
    is_alternate: bool = False


def pen_after(before: Pen, printed: bytes) -> Pen:
    """Return the pen as it is after `printed`. Its sequences are short: what a reset has undone is left out."""
    pen, left, is_alternate = before.now, before.left, before.is_alternate
    for found in _CHANGES.finditer(printed):
        parameters, switch = found[1], found[2]
        if switch == b"h" and not is_alternate:
            left, is_alternate = pen, True
        elif switch == b"l" and is_alternate:
            pen, is_alternate = left, False
        elif parameters is None and switch is None:
            pen, left, is_alternate = b"", b"", False
        elif parameters is not None:
            pen = _changed(pen, found[0], parameters)
    return Pen(pen if len(pen) <= LONGEST else b"", left, is_alternate)


def _changed(pen: bytes, sequence: bytes, parameters: bytes) -> bytes:
    if not _RESET.match(parameters):
        return pen + sequence
    return sequence if parameters.strip(b"0;") else b""


def unfinished_character(printed: bytes) -> bytes:
    """Return the bytes at the end of `printed` that begin a UTF-8 character and do not finish it."""
    for length in range(1, min(3, len(printed)) + 1):
        first = printed[-length]
        if 0xC2 <= first <= 0xF4:
            needed = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
            return printed[-length:] if length < needed else b""
        if not 0x80 <= first <= 0xBF:
            return b""
    return b""
