"""Finds signals in the words on an agent's record: the text as the model wrote it, before any program drew it.

A screen does not always show what was a code block and what was not; the text does. A marker counts if it is a line of the prose:
not in a code fence, not indented as code, not quoted.
"""

import re
from collections.abc import Iterator

from hark.signals.marker import BULLETS, Found, Marker, MarkerReader, NearMiss

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_CODE = re.compile(r"(?: {4}| {0,3}\t)")


def read_words(text: str, reader: MarkerReader) -> list[Found]:
    return list(_read(text, reader))


def _read(text: str, reader: MarkerReader) -> Iterator[Found]:
    fence: str | None = None
    for line in text.splitlines():
        mark = _FENCE.fullmatch(line)
        if mark and fence is None:
            fence = mark["mark"]
        elif mark and fence and mark["mark"].startswith(fence) and not mark["info"].strip():
            fence = None
        elif seen := reader.read(line):
            is_prose = fence is None and not _CODE.match(line) and line.lstrip()[:1] not in BULLETS
            yield (
                seen
                if is_prose or not isinstance(seen, Marker)
                else NearMiss(line.strip(), "it stands in a code block")
            )
