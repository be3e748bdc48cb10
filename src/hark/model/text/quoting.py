"""Finds lines that a reader could take for a header of hark's own, and quotes them so that nobody takes them for one."""

import re

from hark.model.text.names import resembles, skeleton

QUOTE = "> "
_BEGINNING, _END = "inputfrom:", "viaharksend"
_BRACKETS = "[({<"
_DECORATION = 8
"""The largest number of signs (quotes, stars, brackets) that may stand before a header's words in a line that reads as a header."""


def quote_headers(text: str) -> str:
    """Quote every line of the text that a reader could take for a header of hark's own."""
    return "".join(QUOTE + line if reads_as_header(line) else line for line in text.splitlines(keepends=True))


def reads_as_header(line: str) -> bool:
    """True if the line has the beginning of a header after any bracket, or the end of a header anywhere; in whatever case, width,
    alphabet or spacing, quoted or not."""
    bones = skeleton(line).lstrip(">")
    return _begins_like_one(bones) or _ends_like_one(bones)


def _begins_like_one(bones: str) -> bool:
    for at, sign in enumerate(bones[:_DECORATION]):
        is_bracket = sign in _BRACKETS or not sign.isascii()
        if is_bracket and resembles(bones[at + 1 :][: len(_BEGINNING)], _BEGINNING, at_least=3):
            return True
        if sign.isascii() and sign.isalnum():
            return False
    return False


_POSSIBLE_ID = re.compile(r"[^0-9a-z]{0,4}[0-9a-f]{4}")


def _ends_like_one(bones: str) -> bool:
    at = bones.find(_END[0])
    while at >= 0:
        after = at + len(_END)
        if resembles(bones[at:after], _END, at_least=5) and _POSSIBLE_ID.match(bones, after):
            return True
        at = bones.find(_END[0], at + 1)
    return False
