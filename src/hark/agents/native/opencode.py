"""OpenCode, by the HTTP server in the TUI itself.

Which session the pane shows is told by nothing but the terminal's title, which the TUI sets from the session's own title. It
is read again for every delivery.

Its stream of events is left alone: OpenCode 1.18 forgets to let go of a listener whenever such a stream ends, and from the
tenth on its runtime prints a warning across the human's screen. Asking is harmless, so we ask: often while something of
ours is about to happen, seldom otherwise.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from time import time
from typing import Any, Self

from hark.agents.native import opencode_protocol as protocol
from hark.agents.native.channel import ChannelLost, Delivered, Outcome, Reason, Refused, State, Unclear, understand
from hark.agents.native.http import Http
from hark.agents.native.opencode_protocol import Json
from hark.agents.native.picture import Picture
from hark.agents.native.watching import Watching
from hark.agents.records import Words
from hark.model.ids import MessageId

USER = "opencode"
MESSAGES_IN_VIEW = 30
SESSIONS_IN_VIEW = 2000
LOOKED_INTO = 3
RECORDED_S = 5.0
RECORDED_POLL_S = 0.02
CLAIMED: dict[str, int] = {}
"""The port of the OpenCode that a conversation belongs to, by conversation."""


class OpenCodeChannel(Watching):
    joins_running_turn = True
    pressing_poll_s, outstanding_poll_s, quiet_poll_s = 0.15, 0.5, 2.0

    def __init__(self, http: Http, port: int, title: Callable[[], Awaitable[str]]) -> None:
        super().__init__()
        self._http = http
        self._port = port
        self._title = title
        self._own: set[str] = set()
        """The conversations that have been this session's."""
        self._followed: str | None = None
        """The conversation that received hark's last message."""
        self._delivering = asyncio.Lock()

    @classmethod
    async def open(cls, port: int, password: str, title: Callable[[], Awaitable[str]]) -> Self:
        channel = cls(Http(port, USER, password), port, title)
        await channel._get("/session/status")
        return channel

    async def close(self) -> None:
        """Does nothing: no connection is kept open between two requests."""

    async def shown(self) -> str | None:
        """Returns the conversation that the pane shows; None if that is not certain."""
        title = await self._title()
        return protocol.shown_session(title, await self._get(f"/session?limit={SESSIONS_IN_VIEW}"))

    async def state(self) -> State:
        try:
            session = await self.shown()
            return await self._state_of(session) if session else State.UNKNOWN
        except ChannelLost:
            return State.UNKNOWN

    async def deliver(self, message_ids: Sequence[MessageId], text: str, *, may_join: bool = True) -> Outcome:
        async with self._delivering:
            try:
                if await self._has(message_ids[0]):
                    return Delivered(was_there=True)
                session = await self.shown()
                if session is None:
                    return Refused(Reason.UNPROVEN, "it is not certain which session the pane shows")
                messages = await self._messages(session)
                if not may_join and await self._state_of(session) is not State.IDLE:
                    return Refused(Reason.BUSY, "it would join the running turn")
            except ChannelLost as lost:
                return Refused(Reason.GONE, str(lost))
            return await self._hand_over(session, message_ids, text, protocol.last_asked(messages))

    async def _hand_over(self, session: str, message_ids: Sequence[MessageId], text: str, like: Json | None) -> Outcome:
        own = protocol.new_id(message_ids[0], int(time() * 1000))
        self._followed = session
        self._outstanding.update(message_ids)
        try:
            await self._post(f"/session/{session}/prompt_async", protocol.prompt(own, text, like))
            await self._wait_recorded(session, message_ids[0])
        except ChannelLost as lost:
            return Unclear(str(lost))
        self.notice()
        return Delivered()

    async def interrupt(self) -> bool:
        session = await self.shown()
        if session is None or await self._state_of(session) is State.IDLE:
            return False
        await self._post(f"/session/{session}/abort", None)
        return True

    async def words(self, since: datetime) -> list[Words]:
        await self._claim(since)
        said = [protocol.read_words(await self._messages(session)) for session in sorted(self._own)]
        return [words for session in said for words in session]

    async def _claim(self, since: datetime) -> None:
        """Which conversations are of this session. Others in the same directory are listed too, so: what the pane shows, what is
        worked on in this very process, and what has begun since and is nobody else's."""
        shown = await self.shown()
        sure: set[str] = {*(await self._get("/session/status")), *([shown] if shown else [])}
        sessions = await self._get(f"/session?limit={SESSIONS_IN_VIEW}")
        begun = understand(lambda: protocol.begun_since(sessions, since))
        mine = sure | {session for session in begun if CLAIMED.get(session, self._port) == self._port}
        CLAIMED.update(dict.fromkeys(mine, self._port))
        self._own = {session for session in self._own | mine if CLAIMED.get(session) == self._port}

    async def picture(self) -> Picture:
        session = self._followed if self._outstanding and self._followed else await self.shown()
        if session is None:
            return Picture()
        state = await self._state_of(session)
        messages = await self._messages(session)
        if state is State.IDLE:
            # What it records while it begins belongs to no idle state.
            state = await self._state_of(session)
        turns, waiting = understand(lambda: protocol.read_messages(messages, has_stopped=state is State.IDLE))
        return Picture(conversation=session, state=state, turns=turns, waiting=waiting)

    async def start_left(self, message_id: MessageId) -> None:
        """The same prompt with the same ids: OpenCode takes it for the one that it has, and begins."""
        session = self._followed or await self.shown()
        if session is None:
            return
        messages = await self._messages(session)
        own = protocol.find(messages, message_id)
        message = next((one for one in messages if own and one["info"]["id"] == f"msg_{own}"), None)
        if own and message:
            again = protocol.prompt(own, protocol.text_of(message), message["info"])
            await self._post(f"/session/{session}/prompt_async", again)

    async def _has(self, message_id: MessageId) -> bool:
        """True if any recent conversation has the message: the human may have gone to another one since it was delivered."""
        sessions = await self._get(f"/session?limit={SESSIONS_IN_VIEW}")
        for session in understand(lambda: protocol.newest(sessions, LOOKED_INTO)):
            if protocol.find(await self._messages(session), message_id):
                return True
        return False

    async def _wait_recorded(self, session: str, message_id: MessageId) -> None:
        deadline = asyncio.get_running_loop().time() + RECORDED_S
        while not protocol.find(await self._messages(session), message_id):
            if asyncio.get_running_loop().time() > deadline:
                raise ChannelLost("it was accepted, and is not on record")
            await asyncio.sleep(RECORDED_POLL_S)

    async def _state_of(self, session: str) -> State:
        statuses = await self._get("/session/status")
        if understand(lambda: protocol.is_idle(session, statuses)):
            return State.IDLE
        asked = [*await self._get("/permission"), *await self._get("/question")]
        return understand(lambda: State.WAITING if protocol.is_asked(session, asked) else State.BUSY)

    async def _messages(self, session: str) -> list[Json]:
        found: list[Json] = await self._get(f"/session/{session}/message?limit={MESSAGES_IN_VIEW}")
        return found

    async def _get(self, path: str) -> Any:
        answer = await self._http.ask("GET", path)
        if answer.status != 200:
            raise ChannelLost(f"GET {path}: {answer.status}")
        return answer.json()

    async def _post(self, path: str, body: object) -> None:
        answer = await self._http.ask("POST", path, body)
        if answer.status not in (200, 204):
            raise ChannelLost(f"POST {path}: {answer.status} {answer.body[:200]!r}")
