"""OpenCode, by the HTTP server in the TUI itself.

Which session the pane shows is told by nothing but the terminal's title, which the TUI sets from the session's own title. It
is read again for every delivery.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from time import time
from typing import Any, Self

from hark.agents.native import opencode_protocol as protocol
from hark.agents.native.channel import ChannelLost, Delivered, Outcome, Reason, Refused, State, Unclear, understand
from hark.agents.native.http import Http
from hark.agents.native.opencode_protocol import Json
from hark.agents.native.picture import Picture
from hark.agents.native.watching import Watching
from hark.model.ids import MessageId

USER = "opencode"
MESSAGES_IN_VIEW = 30
SESSIONS_IN_VIEW = 2000
RECORDED_S = 5.0
RECORDED_POLL_S = 0.02
HEARD_AGAIN_S = 1.0
NEWS = ("session.status", "session.idle", "session.error", "message.updated", "permission.", "question.")


class OpenCodeChannel(Watching):
    joins_running_turn = True

    def __init__(self, http: Http, title: Callable[[], Awaitable[str]]) -> None:
        super().__init__()
        self._http = http
        self._title = title
        self._followed: str | None = None
        """Where our last message went."""
        self._delivering = asyncio.Lock()
        self._listener: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, port: int, password: str, title: Callable[[], Awaitable[str]]) -> Self:
        channel = cls(Http(port, USER, password), title)
        await channel._get("/session/status")
        channel._listener = asyncio.create_task(channel._listen())
        return channel

    async def close(self) -> None:
        if self._listener:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener

    async def shown(self) -> str | None:
        """The session that the pane shows, if it is certain."""
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
                session = await self.shown()
                if session is None:
                    return Refused(Reason.UNPROVEN, "it is not certain which session the pane shows")
                messages = await self._messages(session)
                if protocol.find(messages, message_ids[0]):
                    return Delivered(was_there=True)
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

    async def picture(self) -> Picture:
        session = self._followed if self._outstanding and self._followed else await self.shown()
        if session is None:
            return Picture()
        before, messages, state = (
            await self._state_of(session),
            await self._messages(session),
            await self._state_of(session),
        )
        # What it records while it begins or ends belongs to neither state: only what is idle all the time is idle.
        state = before if before is not State.IDLE and state is State.IDLE else state
        turns, waiting = understand(lambda: protocol.read_messages(messages, is_idle=state is State.IDLE))
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

    async def _wait_recorded(self, session: str, message_id: MessageId) -> None:
        deadline = asyncio.get_running_loop().time() + RECORDED_S
        while not protocol.find(await self._messages(session), message_id):
            if asyncio.get_running_loop().time() > deadline:
                raise ChannelLost("it was accepted, and is not on record")
            await asyncio.sleep(RECORDED_POLL_S)

    async def _state_of(self, session: str) -> State:
        statuses = await self._get("/session/status")
        permissions, questions = await self._get("/permission"), await self._get("/question")
        return understand(lambda: protocol.read_state(session, statuses, permissions, questions))

    async def _messages(self, session: str) -> list[Json]:
        found: list[Json] = await self._get(f"/session/{session}/message?limit={MESSAGES_IN_VIEW}")
        return found

    async def _listen(self) -> None:
        """What is announced only says when to look; while nothing can be heard, we look now and then."""
        while True:
            with suppress(ChannelLost):
                async for event in self._http.stream("/event"):
                    if isinstance(event, dict) and str(event.get("type", "")).startswith(NEWS):
                        self.notice()
            self.notice()
            await asyncio.sleep(HEARD_AGAIN_S)

    async def _get(self, path: str) -> Any:
        answer = await self._http.ask("GET", path)
        if answer.status != 200:
            raise ChannelLost(f"GET {path}: {answer.status}")
        return answer.json()

    async def _post(self, path: str, body: object) -> None:
        answer = await self._http.ask("POST", path, body)
        if answer.status not in (200, 204):
            raise ChannelLost(f"POST {path}: {answer.status} {answer.body[:200]!r}")
