"""One connection of a hook, and the report that it brings. What has come of the report is read at once, without waiting for the rest."""

import asyncio
import contextlib
import socket
import struct
from typing import Any

import msgspec

from hark.agents.lineage import Process
from hark.agents.native.processes import ancestors

LONGEST_HEAD = 65_536
LONGEST_PAYLOAD = 8_000_000
LONGEST_FIRST_LINE = 100
CHUNK = 262_144

_decode = msgspec.json.Decoder().decode


class Refused(Exception):
    """Raised if a connection does not bring a hook's report, or if too many reports of its session wait already."""


NO_REPORT = (Refused, OSError, ValueError, OverflowError, RecursionError, msgspec.DecodeError)


class HookConnection:
    """One connection of a hook program."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self._received = bytearray()
        self._lengths: tuple[int, int, int] | None = None

    def read(self) -> bool:
        """Read what has come, and return True if the report is whole. Raise `Refused` if it is not a report, or if it ends too early."""
        while True:
            try:
                piece = self.socket.recv(CHUNK)
            except BlockingIOError:
                return False
            self._received += piece
            if self._is_whole():
                return True
            if not piece:
                raise Refused

    def _is_whole(self) -> bool:
        if self._lengths is None:
            end = self._received.find(b"\n", 0, LONGEST_FIRST_LINE)
            if end < 0 and len(self._received) < LONGEST_FIRST_LINE:
                return False
            self._lengths = _lengths(bytes(self._received[: end + 1]))
        return len(self._received) >= sum(self._lengths)

    def words(self) -> list[str]:
        assert self._lengths is not None
        first, head, _ = self._lengths
        words = self._received[first : first + head].decode(errors="replace").split("\0")
        if len(words) != 6:
            raise Refused
        return words

    def payload(self) -> dict[str, Any]:
        assert self._lengths is not None
        first, head, length = self._lengths
        payload = _decode(memoryview(self._received)[first + head : first + head + length] if length else b"{}")
        if not isinstance(payload, dict):
            raise Refused
        return payload

    def ancestors(self) -> list[Process]:
        """Return the process that has connected, its parent, and so on; an empty list if that cannot be known for certain."""
        if not hasattr(socket, "SO_PEERCRED"):
            return []
        try:
            pid, _, _ = struct.unpack("3i", self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            chain = ancestors(pid)
            # While the hook is still connected, its process id cannot have become that of another process.
            self.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return chain
        except OSError:
            pass
        return []

    def answer(self, words: bytes) -> None:
        """Answer the hook if it is still there. The answer is short enough for any buffer."""
        with contextlib.suppress(OSError):
            self.socket.send(words)

    async def give(self, answer: bytes) -> None:
        """Send the text that the hook prints. `next_byte` tells whether the hook has gone."""
        with contextlib.suppress(ConnectionError):
            await asyncio.get_running_loop().sock_sendall(self.socket, b"%d\n" % len(answer) + answer)

    async def next_byte(self) -> bytes:
        """Return the next byte from the hook; b"" if the hook has ended."""
        try:
            return await asyncio.get_running_loop().sock_recv(self.socket, 1)
        except ConnectionError:
            return b""

    def close(self) -> None:
        self.socket.close()


def _lengths(first_line: bytes) -> tuple[int, int, int]:
    mark, version, *lengths = first_line.split()
    if (mark, version) != (b"hark-hook", b"1") or len(lengths) != 2:
        raise Refused
    head, payload = int(lengths[0]), int(lengths[1])
    if not (0 <= head <= LONGEST_HEAD and 0 <= payload <= LONGEST_PAYLOAD):
        raise Refused
    return len(first_line), head, payload
