r"""Finds signals in a stream of terminal output, whatever pieces the stream comes in.

The definition is slow and simple: remove the escape sequences, break the text into lines, look at every line. A byte search in
front of it makes it fast. A marker has a "<" that is followed, escape sequences aside, by a "["; a code fence has two backticks in a
row; a near miss has a namespace. A piece of output with none of these can neither hold a marker nor end one, so only one thing about
it matters: where its last line begins. The last line begins after the piece's last newline, if that newline is a real one and not the
inside of an escape sequence. To know that, it is enough to look at the last ESC before the newline, because an ESC ends any sequence
that was open. The detector keeps the raw bytes of the last line, unread, until the next piece comes.

A namespace that has escape sequences between its letters makes a near miss only if a "<[" stands in the line too: no byte search
finds such a namespace, and reading every line to find it would cost more than it is worth.

If a line is longer than LONGEST_LINE, only its end counts, and its front is cut off.

`flush` is for the moment when nothing has come for half a second: a complete marker then counts although its line has not ended,
and an incomplete one stays for later.
"""

import re
from collections.abc import Sequence

from hark.signals.escapes import BREAK, ESCAPE, TOKEN, is_unfinished, written
from hark.signals.marker import LONGEST_LINE, NAMESPACES, OPENING, Found, Marker, MarkerReader, NearMiss

FLUSH_S = 0.5
LONGEST_FENCE = 16384
"""The number of bytes after which a code fence that was not closed no longer counts as a code fence."""
SLICE = 16384
DRAWS = re.compile(rb"\x1b(?:\[[0-9;]*[AHfd]|M|\[\?(?:1049|1047|47)h)")
"""The escape sequences that move the cursor up or home, or switch to another screen. A program that prints one of them draws, and may
print the same words again."""
_LONGEST_TAIL = 8192
"""The largest number of bytes that are kept unread; a longer last line is read at once."""
_LOOKS_BACK = 16
"""The number of ESC bytes, from the end of the data backwards, at which a move to another row is looked for."""
_LONGEST_NAME = 256
"""The longest namespace, in bytes, that is found even if it comes in several pieces; a longer one is found only in one piece."""

_MOST_REGIONS = 8
"""The largest number of suspect lines of one slice that are read one by one; after them the rest of the slice is read as a whole."""
# What may follow the first character of a suspect pair: common sequences, then the second character of the pair or a byte that may
# begin another sequence, unless that sequence moves to another row. The lookahead also forbids another common sequence, so the
# repetition gives back none of those that it has matched.
_BETWEEN = rb"(?:\x1b\[[0-9;:]*[mK])*(?!\x1b\[[0-9;:]*[mKABEFHdf])(?:[%s\x00-\x07\x0e-\x1f\x7f\xc2]|\Z)"
_SUSPECTS = (
    (b"<", re.compile(rb"<" + _BETWEEN % rb"\[")),
    (b"`", re.compile(rb"`" + _BETWEEN % rb"`")),
    (b"\xc2", re.compile(rb"\xc2(?:[\x80-\x9f]|\Z)")),
)
_ROW_MOVE = re.compile(rb"\x1b\[[0-9;]*[ABEFHdf]")
_PLAIN_LINE = re.compile(rb"([^\x00-\x1f\x7f\xc2]*)\r?\n")
_LINE_END = re.compile(rb"\n|\x1b\[[0-9;]*[ABEFHdf]")


class SignalDetector:
    def __init__(self, namespaces: Sequence[str] = NAMESPACES, *, has_mentions: bool = True) -> None:
        """`has_mentions` is True if every line with a namespace is a near miss, and False if only a line that also has a "<[" is one.
        Nobody needs the other lines of a program that draws, because hark reads its screen instead."""
        self._reader = MarkerReader(namespaces)
        self._tail = b""
        """The raw bytes at the end of the stream that are not read yet."""
        self._line = b""
        """The text of the current line that stands before the tail."""
        self._is_spent = False
        """True if the marker of the current line has already been reported."""
        self._names = tuple(name.encode() for name in namespaces) if has_mentions else ()
        self._run = b""
        """The text right before the tail, in the same line and with no escape sequence in it: a namespace may have begun there."""
        self._is_named = False
        """True if a namespace with no escape sequence in it stands in the current line."""
        self._seen = 0
        """The number of bytes of the stream before the tail."""
        self._fence_at: int | None = None

    def feed(self, data: bytes) -> list[Found]:
        found: list[Found] = []
        for start in range(0, len(data), SLICE):
            self._feed(data[start : start + SLICE] if len(data) > SLICE else data, found)
        return found

    def flush(self) -> list[Found]:
        """Report a complete marker in a line that has not ended. The caller calls this when nothing has come for a while, because the
        line may then be all there is."""
        found: list[Found] = []
        self._read(self._tail, found)
        if not self._is_spent and isinstance(marker := self._look(self._seen), Marker):
            self._is_spent = True
            found.append(marker)
        return found

    def ignore_mentions(self) -> None:
        """Stop reporting a line with a namespace and no "<[" as a near miss."""
        self._names, self._is_named = (), False

    def reset(self) -> None:
        """Forget the current line and code fence, because a part of the stream is missing: what comes next does not continue them."""
        self._tail = b""
        self._begin_line()
        self._fence_at = None

    def _feed(self, data: bytes, found: list[Found]) -> None:
        """Read the lines that are suspect, and skip the others."""
        for _ in range(_MOST_REGIONS):
            data = self._tail + data if self._tail else data
            self._tail = b""
            suspect = 0 if self._is_live() else _first_suspect(data, self._names)
            start = _start_of_last_line(data[:suspect] if suspect is not None else data)
            if start is None or (suspect is None and len(data) - start > _LONGEST_TAIL):
                break
            self._skip(start)
            if suspect is None:
                self._tail = data[start:]
                return
            line_end = _LINE_END.search(data, suspect)
            end = line_end.end() if line_end else len(data)
            self._read(data[start:end], found)
            data = data[end:]
            if not data:
                return
        self._read(self._tail + data, found)

    def _skip(self, size: int) -> None:
        """Skip `size` bytes, after which a new line begins; 0 bytes begin no new line."""
        if size:
            self._begin_line()
            self._seen += size

    def _begin_line(self) -> None:
        self._line = self._run = b""
        self._is_spent = self._is_named = False

    def _is_live(self) -> bool:
        """True if the next bytes may complete a marker, a code fence or a namespace that has begun in this line."""
        if self._is_named or b"<" in self._line or b"`" in self._line:
            return True
        return bool(self._run) and any(_may_begin(self._run, name) for name in self._names)

    def _read(self, data: bytes, found: list[Found]) -> None:
        """Read data by the definition: remove escape sequences, break into lines, look at every line. Lines without any control bytes
        are read as a whole, which gives the same result faster."""
        self._tail, done = b"", 0
        while True:
            while plain := _PLAIN_LINE.match(data, done):
                self._add_text(plain[1])
                self._end_line(self._seen + plain.end(1), found)
                done = plain.end()
            token = TOKEN.match(data, done)
            if token is None or (token.end() >= len(data) - 1 and is_unfinished(token, data)):
                break
            done = token.end()
            if token.lastgroup == "text":
                self._add_text(token[0])
            else:
                self._run = b""
                self._take(written(token, self._line), self._seen + token.start(), found)
        self._seen += done
        self._tail = data[done:]

    def _take(self, piece: bytes, at: int, found: list[Found]) -> None:
        *ended, rest = piece.split(BREAK)
        for one in ended:
            self._add(one)
            self._end_line(at, found)
        self._add(rest)

    def _add_text(self, text: bytes) -> None:
        if self._names:
            run = self._run + text
            self._is_named = self._is_named or any(name in run for name in self._names)
            self._run = run[-_LONGEST_NAME:]
        self._add(text)

    def _add(self, piece: bytes) -> None:
        self._line = (self._line + piece)[-LONGEST_LINE:]

    def _end_line(self, at: int, found: list[Found]) -> None:
        if not self._is_spent and (self._is_named or b"<" in self._line) and (seen := self._look(at)):
            found.append(seen)
        if b"`" in self._line:
            self._pass_fence(at)
        self._begin_line()

    def _look(self, at: int) -> Found | None:
        line = self._line.decode("utf-8", "replace")
        seen = self._reader.read(line)
        if isinstance(seen, Marker) and self._is_fenced(at):
            return NearMiss(line.strip(), "it stands in a code block")
        if isinstance(seen, NearMiss) and not self._is_named and OPENING not in line:
            return None
        return seen

    def _is_fenced(self, at: int) -> bool:
        return self._fence_at is not None and at - self._fence_at <= LONGEST_FENCE

    def _pass_fence(self, at: int) -> None:
        words = self._line.strip()
        if not words.startswith(b"```"):
            return
        if not self._is_fenced(at):
            self._fence_at = at
        elif not words.strip(b"`"):
            self._fence_at = None


def _first_suspect(data: bytes, names: Sequence[bytes]) -> int | None:
    places = [found.start() for one, suspect in _SUSPECTS if one in data and (found := suspect.search(data))]
    places += [place for name in names if (place := data.find(name)) >= 0]
    return min(places) if places else None


def _may_begin(run: bytes, name: bytes) -> bool:
    """True if the run ends with the first letters of the name."""
    return any(run.endswith(name[:size]) for size in range(1, len(name)))


def _start_of_last_line(data: bytes) -> int | None:
    """Return the place where the last line certainly begins; 0 if the line may have begun before this data; None if only reading the
    data can tell."""
    newline, place = data.rfind(b"\n"), len(data)
    for _ in range(_LOOKS_BACK):
        place = data.rfind(ESCAPE, newline + 1, place)
        if place < 0:
            break
        if move := _ROW_MOVE.match(data, place):
            return move.end()
    if newline >= 0:
        return newline + 1 if _is_outside(data, newline) else None
    return None if len(data) > _LONGEST_TAIL else 0


def _is_outside(data: bytes, place: int) -> bool:
    """True if no escape sequence is open at that place. The data holds no eight-bit sequences: they are suspects, and the caller passes
    only data before a suspect."""
    begun = data.rfind(ESCAPE, 0, place)
    if begun < 0:
        return True
    token = TOKEN.match(data, begun)
    return token is not None and token.end() <= place and not is_unfinished(token, data)
