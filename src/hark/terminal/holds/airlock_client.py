"""The daemon's side of an airlock: JSON lines over its unix socket, one request at a time, each with a deadline."""

import asyncio
import base64
import contextlib
import json
import socket
import struct
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct, convert

from hark.delivery.carriers.undo import Undo, Write, leaves_draft_out
from hark.model.errors import HarkError
from hark.terminal.holds.keys import bytes_of

DEADLINE_S = 2.0
LONGEST_LINE = 8 * 1024 * 1024


class Undone(Struct, frozen=True, kw_only=True):
    """A hold that ended without its holder. Whoever held the keys has run the undo that was left, if there was anything to write."""

    label: str
    is_after_enter: bool
    is_touched: bool
    """True if keys of the human's may have come behind the undo: then only the human knows what is in the box."""
    leaves_draft_out: bool = False
    """True if the undo did not bring the draft back. An airlock that an earlier version of hark started does not tell."""

    @property
    def is_draft_the_humans(self) -> bool:
        """True if the undo has brought the draft back and the human has typed on since, or has submitted it: then hark must not put the
        draft back once more."""
        return self.is_touched and not self.leaves_draft_out


class AirlockFacts(Struct, frozen=True, kw_only=True):
    agent_pid: int
    is_running: bool
    is_stopped: bool = False
    """True if the agent is suspended (Ctrl-Z): a suspended agent reads nothing and does nothing until somebody continues it."""
    last_key_age_s: float | None
    last_passed_age_s: float | None = None
    """How long ago a key of the human's was last passed on to the agent, after a hold or without one. None if there was none, or if an
    earlier version of hark started the airlock: such an airlock does not tell."""
    held_bytes: int
    hold: str | None
    undone: Undone | None = None
    """The last hold that ended without its holder, until the next undo is left."""
    version: int = 1
    unread_bytes: int
    output_bytes: int
    last_output_age_s: float | None
    bracketed_paste: bool
    is_line_mode: bool
    has_focus: bool = True
    """True unless the terminal has reported that it lost the focus."""

    @property
    def passed_age_s(self) -> float | None:
        return self.last_key_age_s if self.last_passed_age_s is None else self.last_passed_age_s


STOPPED = AirlockFacts(
    agent_pid=0,
    is_running=True,
    is_stopped=True,
    last_key_age_s=None,
    held_bytes=0,
    hold=None,
    unread_bytes=0,
    output_bytes=0,
    last_output_age_s=None,
    bracketed_paste=False,
    is_line_mode=False,
)
"""The facts of an airlock that is suspended together with its agent, and so cannot answer."""


class Refused(Exception):
    """The airlock refused a request. `word` is the reason: held, typing, hold-over, output-moved, agent-stopped, agent-exited or
    malformed."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


class Airlock:
    """One connection to an airlock. When it closes, the airlock runs the undo of its hold and lets the keys go: a daemon that dies leaves
    no keyboard dead and no text of ours in the box."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, path: Path) -> "Airlock":
        try:
            async with asyncio.timeout(DEADLINE_S):
                return cls(*await asyncio.open_unix_connection(str(path), limit=LONGEST_LINE))
        except (OSError, TimeoutError) as failure:
            raise HarkError(
                "airlock-gone",
                f"the airlock does not answer: {str(failure) or 'deadline'}",
                "the agent may have ended; start it again with `hark new`",
            ) from None

    def is_stopped(self) -> bool:
        """Return True if the kernel says that the airlock itself is suspended: then it would not answer. Only Linux tells."""
        connection = self._writer.get_extra_info("socket")
        try:
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            [pid, *_] = struct.unpack("3i", credentials)
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
        except (OSError, AttributeError, IndexError):
            return False

    async def close(self) -> None:
        self._writer.close()

    async def facts(self) -> AirlockFacts:
        return convert(await self._ask(op="facts"), AirlockFacts)

    async def hold(
        self,
        seconds: float,
        gap_ms: float,
        enter_gap_ms: float,
        label: str = "",
        *,
        after_enter_ms: float = 0.0,
        drops_answers: bool = False,
    ) -> str:
        """Begin a hold and return its id. `label` is the name of the delivery, for whoever asks later what became of it. With
        `drops_answers`, held keys that were meant for a dialog are not passed on. An airlock that an earlier hark started ignores
        `after_enter_ms` and `drops_answers`."""
        gaps = {"gap_ms": gap_ms, "enter_gap_ms": enter_gap_ms, "after_enter_ms": after_enter_ms}
        answer = await self._ask(op="hold", seconds=seconds, label=label, drops_answers=drops_answers, **gaps)
        return str(answer["hold"])

    async def write(
        self, hold: str, data: bytes, if_output: int | None = None, undo: dict[str, Any] | None = None
    ) -> None:
        """Write to the agent. `undo` replaces the undo that was left before, in the same instant."""
        await self._ask(op="write", hold=hold, data=_in_base64(data), if_output=if_output, undo=undo)

    async def leave_undo(self, hold: str, undo: dict[str, Any]) -> None:
        await self._ask(op="undo", hold=hold, undo=undo)

    async def release(self, hold: str) -> None:
        await self._ask(op="release", hold=hold)

    async def redraw(self) -> None:
        """Make the agent draw its screen anew. An airlock that an earlier hark started cannot do that, and nothing happens."""
        with contextlib.suppress(Refused):
            await self._ask(op="redraw")

    async def _ask(self, **request: Any) -> dict[str, Any]:
        try:
            async with asyncio.timeout(DEADLINE_S):
                self._writer.write(json.dumps(request).encode() + b"\n")
                line = await self._reader.readline()
        except (OSError, TimeoutError) as failure:
            await self.close()
            raise HarkError(
                "airlock-gone",
                f"the airlock does not answer: {str(failure) or 'deadline'}",
                "the agent may have ended; start it again with `hark new`",
            ) from None
        if not line:
            raise HarkError(
                "airlock-gone",
                "the airlock has closed the connection",
                "the agent may have ended; start it again with `hark new`",
            )
        answer: dict[str, Any] = json.loads(line)
        if not answer.get("ok"):
            raise Refused(str(answer.get("error", "malformed")))
        return answer


def undo_request(undo: Undo, *, is_after_enter: bool = False) -> dict[str, Any]:
    """Return an undo in the form that the airlock takes. A key that repeats is sent once, with the number of times."""
    writes = [part for write in undo for part in _undo_writes(write)]
    return {"writes": writes, "is_after_enter": is_after_enter, "leaves_draft_out": leaves_draft_out(undo)}


def _undo_writes(write: Write) -> Iterator[dict[str, Any]]:
    for key, same in groupby(write.keys):
        yield {"keys": _in_base64(bytes_of(key)), "times": len(list(same))}
    if write.paste:
        yield {"paste": _in_base64(write.paste.encode())}
    if write.then_wait_s:
        pause: dict[str, Any] = {"keys": "", "times": 0}
        pause["wait_s"] = write.then_wait_s if write.read_wait_s is None else write.read_wait_s
        yield pause if write.back_wait_s is None else pause | {"back_wait_s": write.back_wait_s}


def _in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
