"""The marker that an agent prints to announce its status: --<[schmux:completed:All tests pass]>--

It counts only if it stands alone on its line, with nothing before it but blanks and the bullet that an agent puts before its
own words. What looks like a marker and is none is a near miss, and says why: a signal that was lost without a trace is the
one thing that nobody can mend.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from hark.model.signal import SignalState

NAMESPACES = ("schmux", "hark")
LONGEST_LINE = 4096
"""In bytes. A longer line is no marker."""
BULLETS = "●⏺•✦◆"
"""Before an agent's own words. Not those of lists and quotes, nor the prompts behind which a human's words stand."""
EDGES = "│┃█▌▐▕"
"""What may stand at the right edge of a screen: bars."""
OPENING = "<["
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class Marker(Struct, frozen=True):
    state: SignalState
    text: str

    @property
    def fingerprint(self) -> str:
        """The same however the text was wrapped."""
        return f"{self.state}:{''.join(self.text.split())}"


class NearMiss(Struct, frozen=True):
    line: str
    """As it was after all escape sequences were taken out."""
    why: str


Found = Marker | NearMiss


class MarkerReader:
    def __init__(self, namespaces: Sequence[str] = NAMESPACES) -> None:
        names = "|".join(re.escape(name) for name in namespaces)
        self._alone = re.compile(
            rf"[\s{BULLETS}]*--<\[(?:{names}):(?P<state>\w+):(?P<text>.*)\]>--[\s{EDGES}]*", re.DOTALL
        )
        self._near = re.compile(rf"<\[\s*(?:{names})\b")
        self._begun = re.compile(rf"[\s{BULLETS}]*--<\[(?:{names}):\w*:")

    def read(self, line: str) -> Found | None:
        """`line`: without escape sequences, wraps joined."""
        if OPENING not in line:
            return None
        found = self._alone.fullmatch(line)
        if found is None or "]>--" in found["text"]:
            return self.miss(line, "it does not stand alone on its line, or is not whole")
        if found["state"] not in list(SignalState):
            return self.miss(line, f"there is no state {found['state']!r}")
        text = _CONTROL.sub(" ", found["text"]).strip()
        return Marker(SignalState(found["state"]), text)

    def miss(self, line: str, why: str) -> NearMiss | None:
        """None where nothing of ours is meant."""
        return NearMiss(line.strip(), why) if self._near.search(line) else None

    def has_begun(self, line: str) -> bool:
        """Whether a marker begins alone on this line, and may end on a later one."""
        return self._begun.match(line) is not None
