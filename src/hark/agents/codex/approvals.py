"""A second connection to a Codex app-server, which is open while Codex asks its human something.

Codex asks every client that has resumed the thread, also one that comes while the question is open, and whoever answers first wins. A
client that hangs up changes nothing: the dialog stays. So this connection exists only as long as something is asked, and nothing of the
thread's other traffic reaches hark.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from hark.agents.codex import question
from hark.agents.codex.connection import CallFailed, Connection
from hark.agents.codex.protocol import Json, Notice, Request
from hark.agents.native.channel import ChannelLost, understand
from hark.model.question import Asked, Reply

FIRST_WITHIN_S = 1.0
"""How long the server may take to repeat what it asks already. Measured: it comes with the answer to the call that resumes the thread."""


class Approvals:
    def __init__(self, thread: str, on_change: Callable[[], None]) -> None:
        self.thread = thread
        self.is_lost = False
        self._on_change = on_change
        self._connection: Connection
        self._requests: dict[str, Request] = {}
        self._asked: dict[str, Asked] = {}
        self._first = asyncio.Event()
        """Set when the server has asked something."""

    @classmethod
    async def open(cls, socket: Path, thread: str, on_change: Callable[[], None]) -> Self:
        """Open the connection, and wait a moment for what is asked already. `on_change` is called when something is asked or is not
        asked any more."""
        made = cls(thread, on_change)
        made._connection = await Connection.open(socket, made._hear, made._take)
        try:
            await made._connection.call("thread/resume", {"threadId": thread, "excludeTurns": True})
        except CallFailed as failed:
            await made.close()
            raise ChannelLost(str(failed)) from failed
        except BaseException:
            await made.close()
            raise
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_WITHIN_S):
                await made._first.wait()
        return made

    async def asked(self) -> tuple[Asked, ...]:
        """Return what is asked now, as far as hark understands it."""
        for name, request in list(self._requests.items()):
            if name not in self._asked:
                items = await self._items(request) if request.method == question.CHANGE else []
                if found := understand(lambda request=request, items=items: question.read_question(request, items)):  # type: ignore[misc]
                    self._asked[name] = found
        return tuple(self._asked[name] for name in self._requests if name in self._asked)

    async def _items(self, request: Request) -> list[Json]:
        asked = {"threadId": self.thread, "limit": 1, "itemsView": "full", "sortDirection": "desc"}
        try:
            result = await self._connection.call("thread/turns/list", asked)
        except CallFailed:
            return []
        return understand(lambda: [item for turn in result["data"] for item in turn["items"]])

    async def reply(self, agents_id: str, reply: Reply) -> bool:
        """Answer a question. Return False if it is not asked any more."""
        request = self._requests.pop(agents_id, None)
        if request is None:
            return False
        parts: Sequence[Json] = request.params.get("questions") or []
        await self._connection.answer(
            request.request_id, understand(lambda: question.answer_to(request.method, list(parts), reply))
        )
        return True

    async def close(self) -> None:
        await self._connection.close()

    def _take(self, request: Request) -> None:
        if request.params.get("threadId") == self.thread:
            self._requests[question.name_of(request)] = request
            self._first.set()
            self._on_change()

    def _hear(self, notice: Notice) -> None:
        if notice.method == "":
            self.is_lost = True
            self._requests.clear()
        elif notice.method == question.RESOLVED:
            resolved = notice.params.get("requestId")
            self._requests = {name: one for name, one in self._requests.items() if one.request_id != resolved}
        else:
            return
        self._on_change()
