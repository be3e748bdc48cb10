"""tmux control mode without I/O: bytes in, events out.

tmux answers every command of a line with one block, in order, and writes notifications between blocks:

    %begin TIME NUMBER FLAGS        flags bit 1: the block answers a command of this client
    any bytes                       even lines that look like notifications or like another block's end
    %end TIME NUMBER FLAGS          or %error

So a block ends only at %end or %error with the TIME and NUMBER of its own %begin, and the lines inside a block are never read as
notifications. Data is bytes throughout: %output may cut a character in two, and panes may print invalid UTF-8.
"""

import codecs

from msgspec import Struct


class Reply(Struct, frozen=True):
    """One block, which is the answer to one command."""

    lines: list[bytes]
    is_error: bool
    is_ours: bool
    """True if the block answers a command of this client. False for the answer to the attach itself, and for commands that hooks ran."""


class Output(Struct, frozen=True):
    pane_id: str
    data: bytes


class Notice(Struct, frozen=True):
    """A notification other than output and exit, such as %sessions-changed."""

    name: str
    arguments: str


class Exited(Struct, frozen=True):
    reason: str


ControlEvent = Reply | Output | Notice | Exited


class ControlParser:
    def __init__(self) -> None:
        self._rest = b""
        self._block: list[bytes] | None = None
        self._key = b""
        self._is_ours = False

    def receive(self, data: bytes) -> list[ControlEvent]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        events = (self._inside(line) if self._block is not None else self._between(line) for line in lines)
        return [event for event in events if event is not None]

    def _inside(self, line: bytes) -> ControlEvent | None:
        assert self._block is not None
        word, _, key = line.partition(b" ")
        if word not in (b"%end", b"%error") or key != self._key:
            self._block.append(line)
            return None
        reply = Reply(self._block, word == b"%error", self._is_ours)
        self._block = None
        return reply

    def _between(self, line: bytes) -> ControlEvent | None:
        word, _, rest = line.partition(b" ")
        match word:
            case b"%begin":
                self._block, self._key = [], rest
                flags = rest.rpartition(b" ")[2]
                self._is_ours = flags.isdigit() and int(flags) & 1 == 1
                return None
            case b"%output":
                pane, _, escaped = rest.partition(b" ")
                return Output(pane.decode("ascii", "replace"), unescape(escaped))
            case b"%extended-output":
                head, _, escaped = rest.partition(b" : ")
                return Output(head.partition(b" ")[0].decode("ascii", "replace"), unescape(escaped))
            case b"%exit":
                return Exited(rest.decode("utf-8", "replace"))
        if not word.startswith(b"%"):
            return None
        return Notice(word[1:].decode("ascii", "replace"), rest.decode("utf-8", "replace"))


def unescape(escaped: bytes) -> bytes:
    r"""Return the bytes that tmux escaped. tmux writes bytes below 0x20 and the backslash as \ooo, and everything else raw;
    escape_decode reads that form, in C."""
    if b"\\" not in escaped:
        return escaped
    try:
        decoded: bytes = codecs.escape_decode(escaped)[0]
    except ValueError:
        # tmux never writes this. But whatever comes, an unreadable escape must not end the connection.
        return escaped
    return decoded
