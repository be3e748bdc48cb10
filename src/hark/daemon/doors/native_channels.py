"""Finds the native channels of sessions, keeps them open, listens to them, and gives them up when they end.

What a channel says goes to the session's turns, as what hooks say does. A session that has no channel, or whose channel is lost or
uncertain, is reached by its terminal.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from msgspec import Struct

from hark.agents.native.access import Facts
from hark.agents.native.channel import ChannelLost, NativeChannel
from hark.agents.native.find import find_channel
from hark.agents.native.launch import has_native
from hark.agents.native.pane_view import PaneView
from hark.agents.records.words import Words
from hark.daemon.core import Core
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.process.log import logger
from hark.daemon.registry.sweep import go_round
from hark.daemon.session.live import Part
from hark.model.answer import Spoken
from hark.model.errors import HarkError
from hark.model.heard import Said
from hark.model.ids import MessageId, SessionId
from hark.model.question import Asked
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


class NativeState(Part):
    """The native channel of one session, and the search for it."""

    def __init__(self) -> None:
        self.channel: NativeChannel | None = None
        self.looked_at_s = -FIND_AGAIN_S
        self.listener: NativeChannel | None = None
        """A channel that is only for listening."""
        self.listened_at_s = -LISTEN_AGAIN_S
        self.search: Search | None = None

    async def end(self) -> None:
        await self.close_listener()
        await self.close_channel()

    async def close_listener(self) -> None:
        listener, self.listener = self.listener, None
        if listener:
            await listener.close()

    async def close_channel(self) -> None:
        channel, self.channel = self.channel, None
        if channel:
            await channel.close()


class Natives:
    def __init__(
        self,
        core: Core,
        turns: TurnBook,
        doors: Path,
        on_asked: Callable[[Session, Sequence[Asked]], Awaitable[None]],
    ) -> None:
        """`on_asked` is called with all that a session's agent asks now, whenever its API has said something."""
        self._panes = core.panes
        self._sessions = core.sessions
        self._live = core.live
        self._turns = turns
        self._doors = doors
        self._on_asked = on_asked
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
        state = self._state(session)
        if state.channel:
            return state.channel
        now_s = asyncio.get_running_loop().time()
        if now_s - state.looked_at_s < FIND_AGAIN_S:
            return None
        state.looked_at_s = now_s
        channel = await find_channel(self._facts(session))
        if channel:
            state.channel = channel
            self._turns.expect_prompts(session.id)
            self._tasks.create_task(self._listen(session, channel, state), name=f"native {session.id}")
        return channel

    async def _search(self, session: Session) -> None:
        """Look for a channel to an agent that has messages which were typed, because the agent's own record can acknowledge them. A
        search that finds nothing is repeated less and less often, because it may cost the agent much work."""
        typed, state = self._turns.of(session.id).message_ids, self._state(session)
        if not typed or state.channel or not self.is_expected(session):
            state.search = None
            return
        now_s, last = asyncio.get_running_loop().time(), state.search
        if last is None or last.message_ids != typed:
            last = Search(typed, 0, now_s)
        if now_s < last.next_at_s or last.count >= MOST_SEARCHES:
            return
        count = last.count + 1
        state.search = Search(typed, count, now_s + count * FIND_AGAIN_S)
        await self.of(session)

    async def words(self, session: Session) -> list[Words] | None:
        """Return what the session's agent has said; None if it has no channel, or none that answers."""
        if not has_native(session.agent) or session.airlock is None:
            return None
        channel = await self.of(session) or await self._listener(session)
        try:
            return await channel.words(session.created_at) if channel else None
        except ChannelLost:
            await self._state(session).close_listener()
            return None

    async def answer(self, session: Session, message_id: MessageId) -> Spoken | None:
        """Return the final words of the turn that has the message; None if no channel answers, or none knows the message."""
        if not has_native(session.agent) or session.airlock is None:
            return None
        channel = await self.of(session) or await self._listener(session)
        try:
            return await channel.answer(message_id) if channel else None
        except ChannelLost:
            await self._state(session).close_listener()
            return None

    def has_channel(self, session: Session) -> bool:
        """Return True if a channel to the session's agent is open now."""
        state = self._live.find(session.id, NativeState)
        return state is not None and state.channel is not None

    def is_expected(self, session: Session) -> bool:
        """Return True if the session's agent was started with a channel, whether or not the channel is open already."""
        return has_native(session.agent) and session.airlock is not None and any(self.door(session.id).glob("*"))

    async def _listener(self, session: Session) -> NativeChannel | None:
        """Return a channel that is only for listening; it need not be certain which conversation the pane shows. None if there is none."""
        state = self._state(session)
        if state.listener:
            return state.listener
        now_s = asyncio.get_running_loop().time()
        if now_s - state.listened_at_s < LISTEN_AGAIN_S:
            return None
        state.listened_at_s = now_s
        state.listener = await find_channel(self._facts(session), require_certain=False)
        return state.listener

    async def drop(self, session: Session) -> None:
        """Give the session's channel up."""
        await self._state(session).close_channel()

    def _state(self, session: Session) -> NativeState:
        return self._live.of(session.id).part(NativeState)

    async def _listen(self, session: Session, channel: NativeChannel, state: NativeState) -> None:
        try:
            async for heard in channel.events():
                await self._turns.hear(session.id, heard)
                if heard.said is not Said.SESSION_ENDED:
                    await self._on_asked(session, channel.asked)
                if channel.conversation:
                    await self._sessions.note(session.id, conversation=channel.conversation)
        except Exception:  # noqa: BLE001 a supervisor: logged, and the channel is found again
            logger.exception("native channel failed", extra={"session": session.name})
        finally:
            await state.close_channel()

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
