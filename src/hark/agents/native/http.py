"""A small HTTP/1.1 client for an agent's server on the loopback: one connection per request.

The standard library has no asynchronous client, and hark needs only a few lines of one.
"""

import asyncio
import base64
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from msgspec import Struct

from hark.agents.native.channel import ChannelLost

CONNECT_S = 2.0
ANSWER_S = 10.0


class Answer(Struct, frozen=True):
    status: int
    body: bytes

    def json(self) -> Any:
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError as wrong:
            raise ChannelLost(f"not JSON: {wrong}") from wrong


class Http:
    def __init__(self, port: int, user: str = "", password: str = "") -> None:
        self._port = port
        self._authorization = base64.b64encode(f"{user}:{password}".encode()).decode() if password else ""

    async def ask(self, method: str, path: str, body: object = None) -> Answer:
        try:
            async with asyncio.timeout(ANSWER_S):
                reader, writer = await self._send(method, path, body)
                try:
                    status, headers = await read_head(reader)
                    return Answer(status, b"".join([piece async for piece in read_body(reader, headers)]))
                finally:
                    writer.close()
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as failure:
            raise ChannelLost(f"{method} {path}: {failure!r}") from failure

    async def _send(self, method: str, path: str, body: object) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        data = msgspec.json.encode(body) if body is not None else b""
        writer.write(self._head(method, path, len(data)) + data)
        await writer.drain()
        return reader, writer

    def _head(self, method: str, path: str, length: int) -> bytes:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._port}",
            "Accept: application/json",
            "Connection: close",
        ]
        lines += [f"Content-Length: {length}", "Content-Type: application/json"]
        lines += [f"Authorization: Basic {self._authorization}"] if self._authorization else []
        return "\r\n".join([*lines, "", ""]).encode()


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    version, status, *_ = (await reader.readuntil(b"\n")).decode("latin-1").split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise ValueError("not HTTP")
    headers: dict[str, str] = {}
    while line := (await reader.readuntil(b"\n")).decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return int(status), headers


async def read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> AsyncIterator[bytes]:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int((await reader.readuntil(b"\n")).partition(b";")[0], 16):
            yield (await reader.readexactly(size + 2))[:-2]
    elif "content-length" in headers:
        yield await reader.readexactly(int(headers["content-length"]))
    else:
        while piece := await reader.read(65536):
            yield piece
