"""The marker that an agent prints to announce its status: --<[schmux:completed:All tests pass]>--

A marker counts only if it stands alone on its line, with nothing before it but blanks and the bullet that an agent puts before its
own words. Every other line that contains a namespace is a near miss, which says why it is not a marker: nobody can mend a signal
that was lost without a trace. Most near misses are mere mentions, such as a command line of hark's; near misses that resemble a
marker are told apart from mentions.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from hark.model.signal import SignalState

NAMESPACES = ("schmux", "hark")
LONGEST_LINE = 4096
"""The longest line, in bytes, that counts as a whole; only the end of a longer line counts."""
BULLETS = "●⏺•✦◆"
"""The bullets that agents draw before their own words, without the bullets of lists and quotes and the prompts before a human's words."""
EDGES = "│┃█▌▐▕"
"""The bars that may stand at the right edge of a screen."""
OPENING = "<["
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class Marker(Struct, frozen=True):
    state: SignalState
    text: str

    @property
    def fingerprint(self) -> str:
        """The state and the text without blanks, which are the same however the text was wrapped."""
        return f"{self.state}:{''.join(self.text.split())}"


class NearMiss(Struct, frozen=True):
    line: str
    """The line without its escape sequences."""
    why: str
    is_mention: bool = False
    """True if the line contains a namespace and nothing else that belongs to a marker."""


Found = Marker | NearMiss


class MarkerReader:
    def __init__(self, namespaces: Sequence[str] = NAMESPACES) -> None:
        names = "|".join(re.escape(name) for name in namespaces)
        self.names = tuple(namespaces)
        self._alone = re.compile(
            rf"[\s{BULLETS}]*--<\[(?:{names}):(?P<state>\w+):(?P<text>.*)\]>--[\s{EDGES}]*", re.DOTALL
        )
        self._resembling = re.compile(rf"(?:{names})\s*:|--\s*<|>\s*--|<\[|\]>")
        self._begun = re.compile(rf"[\s{BULLETS}]*--<\[(?:{names}):\w*:")

    def read(self, line: str) -> Found | None:
        """Read the marker or the near miss in a line whose escape sequences are removed and whose wraps are joined; return None if the
        line has no namespace."""
        if not any(name in line for name in self.names):
            return None
        found = self._alone.fullmatch(line) if OPENING in line else None
        if found is None or "]>--" in found["text"]:
            return self._miss(line)
        if found["state"] not in list(SignalState):
            return NearMiss(line.strip(), f"there is no state {found['state']!r}")
        text = _CONTROL.sub(" ", found["text"]).strip()
        return Marker(SignalState(found["state"]), text)

    def _miss(self, line: str) -> NearMiss:
        if OPENING in line and "]>" in line:
            return NearMiss(line.strip(), "it does not stand alone on its line, or is not whole")
        if self._resembling.search(line):
            return NearMiss(line.strip(), "it is not written as --<[NAME:state:text]>--")
        return NearMiss(line.strip(), "a namespace is mentioned", is_mention=True)

    def has_begun(self, line: str) -> bool:
        """True if a marker begins on this line with nothing else before it; it may end on a later line."""
        return self._begun.match(line) is not None
