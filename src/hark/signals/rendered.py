"""Finds signals on a screen as the terminal has rendered it, and in the rows that have scrolled off its top.

Programs that draw cell by cell never print a marker in one piece, so the stream does not contain the marker; the screen does. But a
screen shows more than what an agent says: the human's draft, earlier prompts, hark's messages, code, panels. Hark leaves those out:
by where they stand (in the box, after a prompt, in another column, on another background), by their colour, or because hark knows
them word for word.

The text before a marker is the marker's context: the same words in the same context are the same announcement, drawn again.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from hark.signals.ink import Drawn, without_panels
from hark.signals.marker import BULLETS, Marker, MarkerReader, NearMiss

CONTEXT = 120
"""The number of letters and digits before a marker that make its context."""
LONGEST_BLOCK = 60
"""The number of rows after which a code block that was not closed no longer counts as a code block."""
MOST_ROWS = 16
"""The largest number of rows that a marker may be wrapped over."""
_WRITTEN = re.compile(r"[\W_]+")
_CLOSING = "]>--"
_BESIDE = re.compile(r"\S\s{3,}\S")


class Look(Struct, frozen=True, kw_only=True):
    """How an agent draws its screen, as far as it tells the agent's own words from everything else."""

    prompt: str | None = None
    """A pattern for the start of a row in which a human's words begin; the rows after it belong to the human until the agent speaks."""
    prompt_rows: str | None = None
    """A pattern for the start of every row with a human's words, if the agent marks every such row: all other rows are the agent's."""
    column: int | None = None
    """The column in which the agent's own words begin, if code and a human's words begin in other columns; hark then compares their
    colour too. None if the column does not tell them apart."""
    has_panels: bool = False
    """True if the agent draws panels beside its words, on a background of their own."""
    has_brackets: bool = True
    """False if the agent's markdown takes the brackets of a marker for a link and does not draw them: a marker that is drawn with
    brackets is then code."""
    has_fences: bool = True
    """False if the agent's markdown draws no code fences on the screen: a row that looks like a fence is then text within a block."""
    columns: int = 0


class Sighting(Struct, frozen=True, kw_only=True):
    marker: Marker
    context: str
    """The last letters and digits before the marker, in the order of the screen."""


def read_rows(drawn: Sequence[Drawn], reader: MarkerReader, look: Look) -> tuple[list[Sighting], list[NearMiss]]:
    """Return the markers and the near misses in the rows of a screen. `drawn` holds the rows from the oldest to the last one above the
    input box."""
    seen = list(_read([without_panels(row) for row in drawn] if look.has_panels else drawn, reader, look))
    return [one for one in seen if isinstance(one, Sighting)], [one for one in seen if isinstance(one, NearMiss)]


def known_words(text: str, reader: MarkerReader) -> list[tuple[str, str]]:
    """Return the markers in a text that somebody has given to the agent: the fingerprint and the context of each."""
    lines, known = text.splitlines(), []
    for number, line in enumerate(lines):
        seen = reader.read(line)
        if isinstance(seen, Marker):
            known.append((seen.fingerprint, written("".join(lines[:number]))[-CONTEXT:]))
    return known


def is_known(sighting: Sighting, known: Sequence[tuple[str, str]]) -> bool:
    """True if the sighting is the echo of a text that somebody has given to the agent."""
    return any(
        fingerprint == sighting.marker.fingerprint and before and sighting.context.endswith(before)
        for fingerprint, before in known
    )


def written(text: str) -> str:
    return _WRITTEN.sub("", text)


def is_same_context(one: str, other: str) -> bool:
    """True if one context is the end of the other: a context is shorter where less of the screen is visible."""
    return one.endswith(other) or other.endswith(one)


def _read(drawn: Sequence[Drawn], reader: MarkerReader, look: Look) -> Iterator[Sighting | NearMiss]:
    rows = [row.text for row in drawn]
    before, is_input, number = "", False, 0
    fenced_at: int | None = None
    while number < len(rows):
        row = rows[number]
        is_input = _is_input(row, look, is_input)
        fenced_at = _fence(row, number, None if is_input else fenced_at) if look.has_fences else None
        line, used = _joined(rows, number, reader, look)
        seen = reader.read(_bracketed(line, look)) if not is_input else None
        if isinstance(seen, Marker) and fenced_at is not None:
            yield NearMiss(line.strip(), "it stands in a code block")
        elif isinstance(seen, Marker) and look.column is not None and not _is_prose(drawn, number, look.column):
            yield NearMiss(line.strip(), "it is not drawn like the agent's own words")
        elif isinstance(seen, Marker):
            yield Sighting(marker=seen, context=before)
        elif seen:
            yield seen
        before = (before + written("".join(rows[number : number + used])))[-CONTEXT:]
        number += used


def _fence(row: str, number: int, fenced_at: int | None) -> int | None:
    """Return the row in which the code block around this row began; None if there is none. A block that is not closed ends where the
    agent begins new words, or where the block is too long: the visible rows may begin in the middle of a block, so that its end
    looks like a beginning."""
    words = row.strip()
    if words.lstrip(f"{BULLETS} ").startswith("```"):
        return number if fenced_at is None else None
    is_over = fenced_at is not None and (words[:1] in BULLETS or number - fenced_at > LONGEST_BLOCK)
    return None if is_over and words else fenced_at


def _is_prose(drawn: Sequence[Drawn], number: int, column: int) -> bool:
    """True if the row is drawn like the agent's words: it begins in their column, and no other ink is more common in that column."""
    row = drawn[number]
    if _begins_at(row.text) != column:
        return False
    others = (other for place, other in enumerate(drawn) if place != number and "--<" not in other.text)
    inks = Counter(other.ink_at(column) for other in others if _begins_at(other.text) == column)
    return inks[row.ink_at(column)] >= max(inks.values(), default=0)


def _begins_at(text: str) -> int:
    """Return the column in which the words of a row begin, after the bullet if there is one."""
    return len(text) - len(text.lstrip(f"{BULLETS} "))


def _is_input(row: str, look: Look, is_input: bool) -> bool:
    if look.prompt_rows:
        return re.match(look.prompt_rows, row) is not None
    if look.prompt and re.match(look.prompt, row):
        return True
    return is_input and (not row.strip() or row.startswith(" ")) and row.lstrip()[:1] not in BULLETS


def _joined(rows: Sequence[str], number: int, reader: MarkerReader, look: Look) -> tuple[str, int]:
    """Return the text of the row and the number 1; or, if the row begins a marker that a later row ends, the text of all those rows
    joined and their number."""
    line = rows[number]
    if not reader.has_begun(_bracketed(line, look)) or _ends(line, look):
        return line, 1
    for used in range(2, min(MOST_ROWS, len(rows) - number) + 1):
        row = rows[number + used - 1]
        if _BESIDE.search(rows[number + used - 2].strip()) or _BESIDE.search(row.strip()):
            # Other text stands beside the agent's words, in a column of its own.
            break
        if not row.strip() or "--<" in row or row.lstrip()[:1] in BULLETS:
            # The marker does not go on in this row: the row with its end is not drawn yet, or has scrolled away.
            break
        is_cut = look.columns and len(rows[number + used - 2]) >= look.columns
        line = line.rstrip() + ("" if is_cut else " ") + row.strip()
        if _ends(line, look):
            return line, used
    return rows[number], 1


def _ends(line: str, look: Look) -> bool:
    return (_CLOSING if look.has_brackets else ">--") in line


def _bracketed(line: str, look: Look) -> str:
    """For an agent that does not draw the brackets of a marker, add them to the row, and return an empty text for a row that has them:
    it is code."""
    if look.has_brackets:
        return line
    if "--<[" in line:
        return ""
    return line.replace("--<", "--<[", 1).replace(">--", "]>--", 1)
