"""A hook that waits beside an agent's dialog until hark has an answer for it, or has none any more."""

import asyncio

from hark.agents.records.words import Json


class WaitingHook:
    """The hook door waits for `offered` and gives it to the hook; whoever answers waits for `printed`."""

    def __init__(self, event: str, payload: Json) -> None:
        loop = asyncio.get_running_loop()
        self.event = event
        self.payload = payload
        """What the hook has told of the question."""
        self.offered: asyncio.Future[bytes] = loop.create_future()
        """The words that the hook prints; empty if it ends without an answer, and the dialog stays with the human."""
        self.printed: asyncio.Future[bool] = loop.create_future()
        """True if the hook has printed the answer; False if it has ended without that."""

    @property
    def is_waiting(self) -> bool:
        return not self.offered.done() and not self.printed.done()

    def let_go(self) -> None:
        """End the hook without an answer."""
        if not self.offered.done():
            self.offered.set_result(b"")

    def end(self, *, is_printed: bool) -> None:
        """Take note that the hook has ended."""
        if not self.printed.done():
            self.printed.set_result(is_printed)

    async def give(self, answer: bytes) -> bool:
        """Give the hook its answer. Return True if the hook prints it."""
        if not self.is_waiting:
            return False
        self.offered.set_result(answer)
        return await self.printed
