"""Holds the keys of the humans at a session's pane while an answer is carried, and for a moment after that.

A human may be about to press Enter in the dialog that somebody else answers. The dialog goes, and the Enter would answer the next one, or
submit the draft behind it. So what could answer a dialog is dropped, and whatever else was typed comes out afterwards.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hark.daemon.delivering.key_holds import end_answer_hold, take_answer_hold
from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.delivery.budget import ANSWER_HOLD_S
from hark.model.errors import HarkError
from hark.model.session import Session
from hark.terminal.holds.airlock_client import Airlock
from hark.terminal.holds.key_hold import KeyHold

TAKEN_WITHIN_S = 3.0
"""How long to try to hold the keys: a delivery may hold them, or its held keys may still be on their way."""
AGAIN_S = 0.1


class KeyGuard:
    def __init__(self, panes: Panes) -> None:
        self._panes = panes
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Own the tasks that let keys go."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                await asyncio.get_running_loop().create_future()
        finally:
            self._tasks = None

    @asynccontextmanager
    async def hold(self, session: Session) -> AsyncIterator[None]:
        """Hold the keys, and let them go a moment after the block has ended; at once if it fails."""
        hold = await self._take(session)
        try:
            yield
        except BaseException:
            await end_answer_hold(hold)
            raise
        if self._tasks is None:
            await end_answer_hold(hold)
        else:
            self._tasks.create_task(self._let_go(session, hold))

    async def _take(self, session: Session) -> Airlock | KeyHold:
        deadline = asyncio.get_running_loop().time() + TAKEN_WITHIN_S
        while (hold := await take_answer_hold(self._panes, session)) is None:
            if asyncio.get_running_loop().time() > deadline:
                detail = f"the keys of whoever sits at {session.name} cannot be held now: somebody types, or scrolls"
                raise HarkError("not-answerable", detail, "try again, or answer in the agent's own dialog")
            await asyncio.sleep(AGAIN_S)
        return hold

    async def _let_go(self, session: Session, hold: Airlock | KeyHold) -> None:
        try:
            await asyncio.sleep(ANSWER_HOLD_S)
        finally:
            try:
                await end_answer_hold(hold)
            except HarkError as failure:
                # The hold ends by itself, whatever becomes of us.
                logger.info("keys not let go", extra={"session": session.name, "code": failure.code})
