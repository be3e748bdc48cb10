"""The drafts of the matrix: what a human may have typed when a message comes, and where the cursor may stand in it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

MANY_LINES = "\n".join(f"line {number} of ten" for number in range(1, 11))
BIG_PASTE = "\n".join(f"line {number} of a long paste, to be collapsed" for number in range(1, 41))


class Cursor(StrEnum):
    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


class Entry(StrEnum):
    """How it comes into the box."""

    LINES = "line by line"
    """Each line as a paste of its own, so that nothing is collapsed."""
    KEYS = "key by key"
    """As typed, so that the agent opens what it opens for such a beginning."""
    PASTE = "as one paste"


class Draft(msgspec.Struct, frozen=True):
    name: str
    make: Callable[[int], str]
    """From the columns of the agent's input."""
    cursors: tuple[Cursor, ...] = (Cursor.LAST,)
    middle: int = 0
    """How many characters stand behind the cursor in the middle: none of them may be part of a cluster."""
    entry: Entry = Entry.LINES


ALL = (Cursor.FIRST, Cursor.MIDDLE, Cursor.LAST)
TWO = (Cursor.MIDDLE, Cursor.LAST)


def words(columns: int) -> str:
    """Without a blank at which it could wrap, so that exactly so many columns are filled."""
    return "".join(chr(ord("a") + number % 26) for number in range(columns))


def three_rows(columns: int) -> str:
    text = " ".join(f"word{number}" for number in range(columns))
    return text[: columns * 2 + columns // 2].rstrip()


DRAFTS = (
    Draft("empty", lambda columns: ""),
    Draft("one line", lambda columns: "a draft of one line", ALL, 8),
    Draft("one column less than the width", lambda columns: words(columns - 1), TWO, 10),
    Draft("as wide as the box", words, TWO, 10),
    Draft("one column more than the width", lambda columns: words(columns + 1), TWO, 10),
    Draft("wrapped to three rows", three_rows, ALL, 120),
    Draft("three lines, one empty", lambda columns: "first line\n\nthird line", ALL, 11),
    Draft("ten lines", lambda columns: MANY_LINES, ALL, 40),
    Draft("CJK", lambda columns: "日本語 and a 漢字 at the end", ALL, 13),
    Draft("emoji", lambda columns: "👩‍👩‍👧 family, 👍🏽 and 🎉 at the end", TWO, 7),
    Draft("combining marks", lambda columns: "x̂ and q̃ combine", TWO, 5),
    Draft("leading spaces", lambda columns: "   three before", TWO, 6),
    Draft("trailing spaces", lambda columns: "three behind   ", TWO, 8),
    Draft("only spaces", lambda columns: "   "),
    Draft("begins with /", lambda columns: "/mod", entry=Entry.KEYS),
    Draft("begins with @", lambda columns: "@READ", entry=Entry.KEYS),
    Draft("begins with !", lambda columns: "!ls -l", entry=Entry.KEYS),
    Draft("begins with #", lambda columns: "# a heading", TWO, 7, entry=Entry.KEYS),
    Draft("begins with ?", lambda columns: "?what is this", TWO, 4, entry=Entry.LINES),
    Draft("a collapsed paste", lambda columns: BIG_PASTE, entry=Entry.PASTE),
)


def behind(draft: Draft, text: str, cursor: Cursor) -> int:
    """Characters behind the cursor."""
    return {Cursor.FIRST: len(text), Cursor.MIDDLE: draft.middle, Cursor.LAST: 0}[cursor]


def marked(draft: Draft, text: str, cursor: Cursor, mark: str) -> str:
    at = len(text) - behind(draft, text, cursor)
    return text[:at] + mark + text[at:]
