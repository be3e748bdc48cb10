from __future__ import annotations

import asyncio
import base64

import pytest

from hark.agents.native.channel import ChannelLost
from hark.agents.native.http import Answer, Http

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n[1,2\r\n3\r\n,3]\r\n0\r\n\r\n"
ANSWERS = (
    ("a length", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}more", Answer(200, b"{}")),
    ("chunks", CHUNKED, Answer(200, b"[1,2,3]")),
    ("until the end", b"HTTP/1.1 401 No\r\n\r\nno", Answer(401, b"no")),
)
BROKEN = (
    ("nothing", b""),
    ("another protocol", b"SSH-2.0-x\r\n"),
    ("half of it", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"),
    ("no number", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
)


async def exchange(answer: bytes) -> tuple[Answer, bytes]:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        asked.append(await reader.readexactly(9))
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        return await Http(port, "user", "pass").ask("POST", "/path", {"a": "b"}), b"".join(asked)


@pytest.mark.parametrize(("name", "sent", "expected"), ANSWERS, ids=[name for name, *_ in ANSWERS])
def test_answers_of_every_length_are_read(name: str, sent: bytes, expected: Answer) -> None:
    answer, asked = asyncio.run(exchange(sent))

    assert answer == expected
    assert asked.startswith(b"POST /path HTTP/1.1\r\n")
    assert asked.endswith(b'{"a":"b"}')
    assert b"Authorization: Basic " + base64.b64encode(b"user:pass") in asked


@pytest.mark.parametrize(("name", "sent"), BROKEN, ids=[name for name, _ in BROKEN])
def test_what_is_no_answer_ends_the_channel(name: str, sent: bytes) -> None:
    with pytest.raises(ChannelLost):
        asyncio.run(exchange(sent))


def test_nobody_there_ends_the_channel() -> None:
    with pytest.raises(ChannelLost):
        asyncio.run(Http(9).ask("GET", "/"))


def test_an_answer_that_is_not_json_ends_the_channel() -> None:
    with pytest.raises(ChannelLost):
        Answer(200, b"<html>").json()
