"""Runs a delivery on a real terminal: answers the steps that a carrier yields."""

import asyncio
from collections.abc import Awaitable, Callable

from hark.daemon.panes import Panes
from hark.delivery.steps import (
    Answer,
    Begin,
    Delivery,
    Look,
    LookAgain,
    Outcome,
    Paste,
    PressEnter,
    SearchHistory,
    Seen,
    Stage,
    Step,
)
from hark.model.session import Pane

WHOLE_HISTORY = 100_000


class Driver:
    def __init__(
        self, panes: Panes, pane: Pane, begin: Callable[[], Awaitable[bool]], stage: Callable[[], Awaitable[bool]]
    ) -> None:
        self._panes = panes
        self._server = panes.of(pane)
        self._pane = pane
        self._begin = begin
        self._stage = stage
        self._count = 0

    async def run(self, delivery: Delivery) -> Outcome:
        try:
            step = next(delivery)
            while True:
                step = delivery.send(await self._answer(step))
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome
        finally:
            delivery.close()

    async def _answer(self, step: Step) -> Answer:
        match step:
            case Look():
                return await self._look()
            case LookAgain(within_s=within_s):
                await self._panes.wait_output(self._pane, self._count, within_s)
                return await self._look()
            case Paste(text=text):
                await self._server.paste(self._pane, text)
                return True
            case Begin():
                return await self._begin()
            case Stage():
                return await self._stage()
            case PressEnter(screen=screen, proof=proof):
                return await self._server.press_if_unmoved(self._pane, "Enter", screen, proof)
            case SearchHistory(words=words):
                lines = await self._server.history(self._pane.pane_id, WHOLE_HISTORY)
                return words in "".join(line.strip() for line in lines)

    async def _look(self) -> Seen:
        self._count = self._panes.printed_count(self._pane)
        screen = await self._server.screen(self._pane)
        return Seen(screen, asyncio.get_running_loop().time())
