"""Finds the native channels of sessions, keeps them open, listens to them, and gives them up when they end.

What a channel says goes to the session's turns, as what hooks say does. A session that has no channel, or whose channel is lost or
uncertain, is reached by its terminal.
"""

import asyncio
from pathlib import Path

from msgspec import Struct

from hark.agents.native.access import Facts
from hark.agents.native.channel import ChannelLost, NativeChannel
from hark.agents.native.find import find_channel
from hark.agents.native.launch import has_native
from hark.agents.native.pane_view import PaneView
from hark.agents.words import Words
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.sweep import go_round
from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.model.session import Session

FIND_AGAIN_S = 2.0
MOST_SEARCHES = 8
"""How often to look for a channel for the sake of the same messages. After the n-th search, the next one waits n times FIND_AGAIN_S."""
LISTEN_AGAIN_S = 0.5


class Search(Struct, frozen=True):
    """How often a channel was looked for so that it acknowledges these messages, and when the next search is due."""

    message_ids: tuple[MessageId, ...]
    count: int
    next_at_s: float


class Natives:
    def __init__(self, panes: Panes, sessions: Sessions, turns: TurnBook, doors: Path) -> None:
        self._panes = panes
        self._sessions = sessions
        self._turns = turns
        self._doors = doors
        self._channels: dict[SessionId, NativeChannel] = {}
        self._looked_at: dict[SessionId, float] = {}
        self._ears: dict[SessionId, NativeChannel] = {}
        self._listened_at: dict[SessionId, float] = {}
        self._searches: dict[SessionId, Search] = {}
        self._tasks: asyncio.TaskGroup | None = None

    def door(self, session_id: SessionId) -> Path:
        """Return the session's own directory for its native channel, which only the user can enter."""
        return self._doors / session_id

    async def run(self) -> None:
        """Look for channels, and listen to those that are open, until cancelled."""
        async with asyncio.TaskGroup() as self._tasks:
            await go_round(self._sessions, self._search, FIND_AGAIN_S, "native channels")

    async def of(self, session: Session) -> NativeChannel | None:
        """Return the native channel to the session's agent; None if there is none, or if it is not certain."""
        if not has_native(session.agent) or session.airlock is None or self._tasks is None:
            return None  # The API of an agent that somebody else has started is closed to us.
        if channel := self._channels.get(session.id):
            return channel
        now_s = asyncio.get_running_loop().time()
        if now_s - self._looked_at.get(session.id, -FIND_AGAIN_S) < FIND_AGAIN_S:
            return None
        self._looked_at[session.id] = now_s
        channel = await find_channel(self._facts(session))
        if channel:
            self._channels[session.id] = channel
            self._turns.expect_prompts(session.id)
            self._tasks.create_task(self._listen(session, channel), name=f"native {session.id}")
        return channel

    async def _search(self, session: Session) -> None:
        """Look for a channel to an agent that has messages which were typed, because the agent's own record can acknowledge them. A
        search that finds nothing is repeated less and less often, because it may cost the agent much work."""
        typed = self._turns.of(session.id).message_ids
        if not typed or self.has_channel(session) or not self.is_expected(session):
            self._searches.pop(session.id, None)
            return
        now_s, last = asyncio.get_running_loop().time(), self._searches.get(session.id)
        if last is None or last.message_ids != typed:
            last = Search(typed, 0, now_s)
        if now_s < last.next_at_s or last.count >= MOST_SEARCHES:
            return
        count = last.count + 1
        self._searches[session.id] = Search(typed, count, now_s + count * FIND_AGAIN_S)
        await self.of(session)

    async def words(self, session: Session) -> list[Words] | None:
        """Return what the session's agent has said; None if it has no channel, or none that answers."""
        if not has_native(session.agent) or session.airlock is None:
            return None
        channel = await self.of(session) or await self._ear(session)
        try:
            return await channel.words(session.created_at) if channel else None
        except ChannelLost:
            await self._deafen(session.id)
            return None

    def has_channel(self, session: Session) -> bool:
        """Return True if a channel to the session's agent is open now."""
        return session.id in self._channels

    def is_expected(self, session: Session) -> bool:
        """Return True if the session's agent was started with a channel, whether or not the channel is open already."""
        return has_native(session.agent) and session.airlock is not None and any(self.door(session.id).glob("*"))

    async def _ear(self, session: Session) -> NativeChannel | None:
        """Return a channel that is only for listening; it need not be certain which conversation the pane shows. None if there is none."""
        if ear := self._ears.get(session.id):
            return ear
        now_s = asyncio.get_running_loop().time()
        if now_s - self._listened_at.get(session.id, -LISTEN_AGAIN_S) < LISTEN_AGAIN_S:
            return None
        self._listened_at[session.id] = now_s
        if found := await find_channel(self._facts(session), is_to_be_certain=False):
            self._ears[session.id] = found
        return found

    async def _deafen(self, session_id: SessionId) -> None:
        if ear := self._ears.pop(session_id, None):
            await ear.close()

    async def forget(self, session_id: SessionId) -> None:
        """Forget a session that is gone."""
        self._listened_at.pop(session_id, None)
        self._searches.pop(session_id, None)
        self._looked_at.pop(session_id, None)
        await self._deafen(session_id)

    async def drop(self, session: Session) -> None:
        if channel := self._channels.pop(session.id, None):
            await channel.close()

    async def _listen(self, session: Session, channel: NativeChannel) -> None:
        try:
            async for heard in channel.events():
                await self._turns.hear(session.id, heard)
        except Exception:  # noqa: BLE001 a supervisor: logged, and the channel is found again
            logger.exception("native channel failed", extra={"session": session.name})
        finally:
            await self.drop(session)

    def _facts(self, session: Session) -> Facts:
        async def pane() -> PaneView:
            try:
                screen = await self._panes.of(session.pane).screen(session.pane)
                return PaneView(title=screen.title, rows=screen.rows.plain)
            except HarkError as gone:
                raise ChannelLost(gone.detail) from gone

        return Facts(
            kind=session.agent,
            session_id=session.id,
            door=self.door(session.id),
            pane_pid=session.pane.pid,
            pane=pane,
        )
