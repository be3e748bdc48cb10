"""A connection to Codex's app-server that breaks: the caller hears of it once, and nothing is left unheard behind."""

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from hark.agents.codex.connection import Connection
from hark.agents.native.channel import ChannelLost


class Breaking:
    """A socket that breaks while a request is being sent: the reader notices it first."""

    def __init__(self) -> None:
        self.is_broken = asyncio.Event()

    async def send(self, frame: str) -> None:
        self.is_broken.set()
        await asyncio.sleep(0.01)
        raise websockets.ConnectionClosedError(None, None)

    async def __aiter__(self) -> AsyncIterator[str]:
        await self.is_broken.wait()
        return
        yield ""

    async def close(self) -> None: ...


def test_a_connection_that_breaks_while_a_request_is_sent_is_told_to_the_caller_alone() -> None:
    unheard: list[Any] = []

    asyncio.run(break_while_sending(unheard))

    assert unheard == []


async def break_while_sending(unheard: list[Any]) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unheard.append(context))
    connection = Connection(cast(ClientConnection, Breaking()), lambda notice: None)

    with pytest.raises(ChannelLost):
        await connection.call("thread/list", {})

    await connection.close()
    del connection
    gc.collect()
    await asyncio.sleep(0)
