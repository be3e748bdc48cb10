"""Where agents' hooks come in: a unix socket of its own, for `hook.py` says what it has to say in three lines and no HTTP.

Each connection is one report. Its hook may be given a message; if so, it says that it will print it, or ends without a word.
Both are certain: a hook that has ended will not print any more.
"""

import asyncio
import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hark.agents.decoders import decode
from hark.daemon.handover import Handovers
from hark.daemon.hooks import HookOrigin, Hooks
from hark.daemon.log import logger
from hark.installing.hooks import WAIT
from hark.model.errors import HarkError
from hark.model.session import Session
from hark.queue.handover import BOUNDARIES

REPORT_WITHIN_S = 5.0
ENDS_WITHIN_S = 60.0
"""Every agent ends a hook that does not end by itself, and sooner."""
LONGEST_HEAD = 65_536
LONGEST_PAYLOAD = 8_000_000
BACKLOG = 512
NOTHING = b"0\n"
MOST_AT_ONCE = 256
"""What comes on top of that is turned away: a flood of reports must not take the memory and the descriptors of all the rest."""


class Refused(Exception):
    """Not a report of a hook."""


_NO_REPORT = (
    Refused,
    TimeoutError,
    asyncio.IncompleteReadError,
    ConnectionError,
    ValueError,
    OverflowError,
    RecursionError,
    msgspec.DecodeError,
)


class HookDoor:
    def __init__(self, path: Path, hooks: Hooks, handovers: Handovers) -> None:
        self._path = path
        self._hooks = hooks
        self._handovers = handovers
        self._at_once = 0
        self.refused = 0

    async def run(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        before = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(self._serve, self._path, backlog=BACKLOG)
        finally:
            os.umask(before)
        try:
            async with server:
                await server.serve_forever()
        finally:
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._at_once += 1
        try:
            if self._at_once > MOST_AT_ONCE:
                raise Refused
            await self._take(reader, writer)
        except _NO_REPORT:
            self.refused += 1
        except HarkError as failure:
            logger.warning("hook failed", extra={"code": failure.code, "detail": failure.detail})
        except Exception:  # noqa: BLE001 a supervisor: the next hook is served all the same
            logger.exception("hook failed")
        finally:
            self._at_once -= 1
            writer.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(REPORT_WITHIN_S):
            words, payload = await _read_report(reader)
        agent, event, emitted_at, session_id, tmux, pane_id = words
        origin = HookOrigin(session_id or None, tmux.partition(",")[0] or None, pane_id or None)
        at = datetime.fromtimestamp(float(emitted_at), UTC)
        if event == WAIT:
            await self._keep_waiting(self._hooks.session_of(agent, origin, payload), reader, writer)
            return
        if decode(agent, event, payload).said not in BOUNDARIES:
            # Its agent need not wait until it is written down.
            writer.write(NOTHING)
            await self._hooks.take(agent, event, origin, at, payload)
            return
        hand = Handing(reader, writer)
        await self._hooks.ask(agent, event, origin, at, payload, hand)
        if not hand.has_answered:
            writer.write(NOTHING)

    async def _keep_waiting(
        self, session: Session | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Until there is a message for it, or it is gone."""
        waiter = self._handovers.begin_waiting(session) if session else None
        if session is None or waiter is None:
            writer.write(NOTHING)
            return
        is_printed = False
        gone = asyncio.ensure_future(reader.read(1))
        self._at_once -= 1  # It stays for as long as its agent: it is no part of a flood.
        try:
            await asyncio.wait((gone, waiter.offered), return_when=asyncio.FIRST_COMPLETED)
            if waiter.offered.done() and not gone.done():
                answer = waiter.offered.result()
                writer.write(b"%d\n" % len(answer) + answer)
                is_printed = await gone == b"+"
        finally:
            self._at_once += 1
            gone.cancel()
            self._handovers.end_waiting(session, waiter, is_printed=is_printed)


class Handing:
    """Gives one hook what it shall print."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.has_answered = False

    async def __call__(self, answer: bytes) -> bool:
        """Whether it prints it. One that has not ended and has not said may still do so: then it is for what the agent does
        next to tell."""
        self.has_answered = True
        try:
            self._writer.write(b"%d\n" % len(answer) + answer)
            async with asyncio.timeout(ENDS_WITHIN_S):
                return await self._reader.read(1) == b"+"
        except TimeoutError:
            return True
        except ConnectionError:
            return False


async def _read_report(reader: asyncio.StreamReader) -> tuple[list[str], dict[str, Any]]:
    mark, version, head_length, payload_length = (await reader.readline()).split()
    if (mark, version) != (b"hark-hook", b"1"):
        raise Refused
    lengths = int(head_length), int(payload_length)
    if not (0 <= lengths[0] <= LONGEST_HEAD and 0 <= lengths[1] <= LONGEST_PAYLOAD):
        raise Refused
    words = (await reader.readexactly(lengths[0])).decode(errors="replace").split("\0")
    payload = msgspec.json.decode(await reader.readexactly(lengths[1]) or b"{}")
    if len(words) != 6 or not isinstance(payload, dict):
        raise Refused
    return words, payload
