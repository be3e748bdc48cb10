"""One connection to a Codex app-server, over its unix socket."""

import asyncio
import itertools
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import websockets
from websockets.asyncio.client import ClientConnection, unix_connect

from hark import __version__
from hark.agents.codex import protocol
from hark.agents.codex.protocol import Answer, Json, Notice, Request
from hark.agents.native.channel import ChannelLost

CONNECT_S = 3.0
ANSWER_S = 5.0
CLOSE_S = 0.2


class CallFailed(Exception):
    """The app-server understood the call and refused it."""


class Connection:
    def __init__(
        self, socket: ClientConnection, hear: Callable[[Notice], None], take: Callable[[Request], None] | None = None
    ) -> None:
        self._socket = socket
        self._hear = hear
        self._take_request = take
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Answer]] = {}
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(
        cls, path: Path, hear: Callable[[Notice], None], take: Callable[[Request], None] | None = None
    ) -> Self:
        """Connect to the app-server at this path. `hear` receives everything that the app-server announces; a notice with an empty
        method means that the app-server has hung up. `take` receives what the app-server asks; without it nothing is taken, and
        nothing is ever answered."""
        if not is_our_socket(path):
            raise ChannelLost(f"{path} is not a socket of ours")
        try:
            async with asyncio.timeout(CONNECT_S):
                socket = await unix_connect(
                    str(path), uri="ws://localhost/", compression=None, max_size=None, close_timeout=CLOSE_S
                )
        except (OSError, TimeoutError, websockets.WebSocketException) as failure:
            raise ChannelLost(f"{path}: {failure}") from failure
        connection = cls(socket, hear, take)
        try:
            await connection.call("initialize", protocol.initialize(__version__))
            await connection.send(protocol.INITIALIZED)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def call(self, method: str, params: Json) -> Json:
        number = next(self._numbers)
        waiting = self._pending[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self.send(protocol.request(number, method, params))
                answer: Answer = await waiting
        except TimeoutError as late:
            raise ChannelLost(f"no answer to {method}") from late
        finally:
            self._pending.pop(number, None)
            if waiting.done() and not waiting.cancelled():
                # The request may have failed on its way while the reader gave up the answer: somebody has to take note of both.
                waiting.exception()
        if answer.error:
            raise CallFailed(f"{method}: {answer.error}")
        return answer.result

    async def answer(self, request_id: int | str, value: Json) -> None:
        """Answer something that the app-server has asked."""
        await self.send(protocol.result(request_id, value))

    async def send(self, frame: str) -> None:
        try:
            await self._socket.send(frame)
        except websockets.ConnectionClosed as closed:
            raise ChannelLost("the app-server has hung up") from closed

    async def close(self) -> None:
        await self._socket.close()
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                self._take(protocol.read_frame(frame))
        except (websockets.WebSocketException, ChannelLost):
            await self._socket.close()
        finally:
            for waiting in self._pending.values():
                if not waiting.done():
                    waiting.set_exception(ChannelLost("the app-server has hung up"))
            self._hear(Notice("", {}))

    def _take(self, read: Answer | Notice | Request | None) -> None:
        if isinstance(read, Notice):
            self._hear(read)
        elif isinstance(read, Request):
            if self._take_request:
                self._take_request(read)
        elif read and (waiting := self._pending.get(read.request_id)) and not waiting.done():
            waiting.set_result(read)


def is_our_socket(path: Path) -> bool:
    """Return whether the path leads to a socket of this user's; Codex puts a link to its socket at the path that it was given."""
    try:
        facts: Any = os.stat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(facts.st_mode) and facts.st_uid == os.getuid()
