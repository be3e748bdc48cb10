"""The native channel of OpenCode, by the HTTP server in the TUI itself.

Only the terminal tells which session the pane shows (`view.py`), and hark looks at the terminal again for every delivery. On the
home screen a message begins a session of its own: hark creates the session, prompts it, and then shows it; OpenCode takes the
human's draft and cursor along. An empty session that is shown before it is prompted would lose keys of a human who types.

hark leaves OpenCode's stream of events alone: OpenCode 1.18 forgets to let go of a listener whenever such a stream ends, and from
the tenth on its runtime prints a warning across the human's screen. Asking is harmless, so hark asks: often while something of
ours is about to happen, seldom otherwise.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from time import time
from typing import Any, Self

from hark.agents.native.channel import ChannelLost, Delivered, Outcome, Reason, Refused, State, Unclear, understand
from hark.agents.native.http import Http
from hark.agents.native.pane_view import PaneView
from hark.agents.native.picture import Picture
from hark.agents.native.watching import Watching
from hark.agents.opencode import protocol, question, view
from hark.agents.opencode.answer import find_answer
from hark.agents.opencode.protocol import Json
from hark.agents.opencode.view import Home, Place, Shown
from hark.agents.records.words import Words
from hark.model.answer import Spoken
from hark.model.ids import MessageId
from hark.model.question import Asked, Reply

USER = "opencode"
MESSAGES_IN_VIEW = 30
MESSAGES_OF_TURN = 500
"""How many messages to look through for an answer: each step of a turn is one."""
SESSIONS_IN_VIEW = 2000
LOOKED_INTO = 3
RECORDED_S = 5.0
RECORDED_POLL_S = 0.02
MOST_MARKED = 8
"""The largest number of sessions whose titles are marked to find out which one is shown."""
MARK_SHOWN_S = 0.6
"""How long the terminal's title may take to show a mark. Measured: 0.13 s at the most, on a quiet machine."""
VIEW_SHOWN_S = 5.0
TITLE_POLL_S = 0.02
NOT_ASKED = 404
"""The status with which OpenCode answers a reply to something that it does not ask, or not any more."""

Claims = dict[str, int]
"""The port of the OpenCode that a conversation belongs to, by conversation; all channels share it."""


class OpenCodeChannel(Watching):
    joins_running_turn = True
    pressing_poll_s, outstanding_poll_s, quiet_poll_s = 0.15, 0.5, 2.0

    def __init__(self, http: Http, port: int, pane: Callable[[], Awaitable[PaneView]], claims: Claims) -> None:
        super().__init__()
        self._http = http
        self._port = port
        self._pane = pane
        self._claims = claims
        self._own: set[str] = set()
        """The conversations that have been this session's."""
        self._followed: str | None = None
        """The conversation that received hark's last message."""
        self._delivering = asyncio.Lock()
        self._marking = asyncio.Lock()

    @classmethod
    async def open(cls, port: int, password: str, pane: Callable[[], Awaitable[PaneView]], claims: Claims) -> Self:
        channel = cls(Http(port, USER, password), port, pane, claims)
        await channel._get("/session/status")
        return channel

    async def close(self) -> None:
        """Do nothing, because no connection is kept open between two requests."""

    async def shown(self) -> str | None:
        """Return the session that the pane shows, if the title of the pane tells for certain."""
        title = (await self._pane()).title
        sessions = await self._sessions()
        return understand(lambda: view.shown_session(title, sessions))

    async def locate(self) -> Place | None:
        """Return what the pane shows, even if its title alone does not tell; None if it is not certain."""
        async with self._marking:
            pane, sessions = await self._pane(), await self._sessions()
            await self._unmark([one for one in sessions if view.is_marked(one["title"])])
            if session := understand(lambda: view.shown_session(pane.title, sessions)):
                return Shown(session)
            if view.is_home(pane.title, pane.rows):
                return Home()
            if not view.shows_box(pane.rows):
                return None
            statuses = await self._get("/session/status")
            likely = understand(lambda: view.candidates(pane.title, sessions, MOST_MARKED))
            # A session that works and has no title gets one from its model now; a mark would prevent that.
            return await self._find_by_mark([one for one in likely if not _is_being_titled(one, statuses)])

    async def _find_by_mark(self, sessions: Sequence[Json]) -> Shown | None:
        """Return the session whose mark appears in the terminal's title, or None. The marks are taken off again whatever happens."""
        if not sessions:
            return None
        try:
            for number, one in enumerate(sessions, 1):
                await self._rename(one["id"], view.marked(one["title"], number))
            number_shown = await self._wait_mark()
        finally:
            await self._unmark(sessions)
        found = sessions[number_shown - 1] if number_shown and number_shown <= len(sessions) else None
        return Shown(found["id"]) if found and view.is_humans(found) else None

    async def _wait_mark(self) -> int | None:
        deadline = asyncio.get_running_loop().time() + MARK_SHOWN_S
        while (number := view.marked_number((await self._pane()).title)) is None:
            if asyncio.get_running_loop().time() > deadline:
                return None
            await asyncio.sleep(TITLE_POLL_S)
        return number

    async def _unmark(self, sessions: Sequence[Json]) -> None:
        """Take the marks off the titles of these sessions. A title that was changed meanwhile stays as it is."""
        for one in sessions:
            title = (await self._get(f"/session/{one['id']}"))["title"]
            if view.is_marked(title):
                await self._rename(one["id"], view.unmarked(title))

    async def _rename(self, session: str, title: str) -> None:
        await self._send("PATCH", f"/session/{session}", {"title": title})

    async def begins_conversation(self) -> bool:
        return await self._is_home()

    async def state(self) -> State:
        try:
            place = await self.locate()
            if isinstance(place, Home):
                return State.IDLE
            return await self._state_of(place.session) if place else State.UNKNOWN
        except ChannelLost:
            return State.UNKNOWN

    async def deliver(self, message_ids: Sequence[MessageId], text: str, *, may_join: bool = True) -> Outcome:
        async with self._delivering:
            try:
                if known := await self._session_of(message_ids[0]):
                    await self._show_at_home(known)
                    return Delivered(was_there=True)
                place = await self.locate()
                if isinstance(place, Home):
                    return await self._begin(message_ids, text)
                if place is None:
                    return Refused(Reason.UNPROVEN, "it is not certain which session the pane shows")
                session = place.session
                messages = await self._messages(session)
                if not may_join and await self._state_of(session) is not State.IDLE:
                    return Refused(Reason.BUSY, "it would join the running turn")
            except ChannelLost as lost:
                return Refused(Reason.GONE, str(lost))
            return await self._hand_over(session, message_ids, text, protocol.last_asked(messages))

    async def _begin(self, message_ids: Sequence[MessageId], text: str) -> Outcome:
        """Begin a session for the first message, with the agent and the model that are chosen on the home screen."""
        agents, providers = await self._get("/agent"), (await self._get("/config/providers"))["providers"]
        rows = (await self._pane()).rows
        chosen = understand(lambda: view.chosen_on(rows, agents, providers))
        if chosen is None:
            return Refused(Reason.UNPROVEN, "the screen does not tell which agent and model are chosen")
        session: str = _id_of(await self._send("POST", "/session", {"title": view.title_for(text)}))
        if not await self._is_home():
            await self._send("DELETE", f"/session/{session}", None)
            return Refused(Reason.UNPROVEN, "the human has just begun a session")
        outcome = await self._hand_over(session, message_ids, text, chosen)
        if isinstance(outcome, Delivered):
            await self._show_at_home(session)
        return outcome

    async def _show_at_home(self, session: str) -> None:
        """Show a session, unless the human is in another one, and wait until it is seen. The agent has the message even if the session
        is not shown."""
        try:
            if not await self._is_home():
                return
            await self._send("POST", "/tui/select-session", {"sessionID": session})
            deadline = asyncio.get_running_loop().time() + VIEW_SHOWN_S
            while await self._is_home():
                if asyncio.get_running_loop().time() > deadline:
                    return
                await asyncio.sleep(TITLE_POLL_S)
        except ChannelLost:
            return

    async def _is_home(self) -> bool:
        pane = await self._pane()
        return view.is_home(pane.title, pane.rows)

    async def _hand_over(self, session: str, message_ids: Sequence[MessageId], text: str, like: Json | None) -> Outcome:
        own = protocol.new_id(message_ids[0], int(time() * 1000))
        self._followed = session
        self._outstanding.update(message_ids)
        try:
            await self._send("POST", f"/session/{session}/prompt_async", protocol.prompt(own, text, like))
            await self._wait_recorded(session, message_ids[0])
        except ChannelLost as lost:
            return Unclear(str(lost))
        self.notice()
        return Delivered()

    async def interrupt(self) -> bool:
        place = await self.locate()
        if not isinstance(place, Shown) or await self._state_of(place.session) is State.IDLE:
            return False
        await self._send("POST", f"/session/{place.session}/abort", None)
        return True

    async def words(self, since: datetime) -> list[Words]:
        await self._claim(since)
        said = [protocol.read_words(await self._messages(session)) for session in sorted(self._own)]
        return [words for session in said for words in session]

    async def answer(self, message_id: MessageId) -> Spoken | None:
        sessions = await self._sessions()
        for session in understand(lambda: protocol.newest(sessions, LOOKED_INTO)):
            messages = await self._messages(session, MESSAGES_OF_TURN)
            if found := understand(partial(find_answer, messages, message_id)):
                return found
        return None

    async def _claim(self, since: datetime) -> None:
        """Find out which conversations belong to this session, because OpenCode also lists others in the same directory. They are the
        one that the pane shows, those that this very process works on, and those that have begun since and belong to nobody else."""
        shown = await self.shown()
        sure: set[str] = {*(await self._get("/session/status")), *([shown] if shown else [])}
        sessions = await self._sessions()
        begun = understand(lambda: protocol.begun_since(sessions, since))
        mine = sure | {session for session in begun if self._claims.get(session, self._port) == self._port}
        self._claims.update(dict.fromkeys(mine, self._port))
        self._own = {session for session in self._own | mine if self._claims.get(session) == self._port}

    async def picture(self) -> Picture:
        session = self._followed if self._outstanding and self._followed else await self.shown()
        if session is None:
            return Picture()
        state = await self._state_of(session)
        messages = await self._messages(session)
        if state is State.IDLE:
            # What OpenCode records while it begins does not belong to an idle state, so the state is read once more.
            state = await self._state_of(session)
        asked = await self._asked_in(session) if state is State.WAITING else ()
        turns, waiting = understand(lambda: protocol.read_messages(messages, has_stopped=state is State.IDLE))
        return Picture(conversation=session, state=state, turns=turns, waiting=waiting, asked=asked)

    async def _asked_in(self, session: str) -> tuple[Asked, ...]:
        permissions, choices = await self._get("/permission"), await self._get("/question")
        return understand(lambda: question.read_asked(session, permissions, choices))

    async def reply(self, agents_id: str, reply: Reply) -> bool:
        path, body = question.answer_to(agents_id, reply)
        answer = await self._http.ask("POST", path, body)
        self.notice()
        if answer.status in (200, 204):
            return True
        if answer.status == NOT_ASKED:
            return False
        raise ChannelLost(f"POST {path}: {answer.status} {answer.body[:200]!r}")

    async def start_left(self, message_id: MessageId) -> None:
        """Send the same prompt with the same ids: OpenCode takes it for the prompt that it has, and begins."""
        session = self._followed or await self.shown()
        if session is None:
            return
        messages = await self._messages(session)
        own = protocol.find(messages, message_id)
        message = next((one for one in messages if own and one["info"]["id"] == f"msg_{own}"), None)
        if own and message:
            again = protocol.prompt(own, protocol.text_of(message), message["info"])
            await self._send("POST", f"/session/{session}/prompt_async", again)

    async def _session_of(self, message_id: MessageId) -> str | None:
        """Return the session that has the message, of those that changed last: the human may have gone to another session since the
        message was delivered."""
        sessions = await self._sessions()
        for session in understand(lambda: protocol.newest(sessions, LOOKED_INTO)):
            if protocol.find(await self._messages(session), message_id):
                return session
        return None

    async def _wait_recorded(self, session: str, message_id: MessageId) -> None:
        deadline = asyncio.get_running_loop().time() + RECORDED_S
        while not protocol.find(await self._messages(session), message_id):
            if asyncio.get_running_loop().time() > deadline:
                raise ChannelLost("it was accepted, but is not on record")
            await asyncio.sleep(RECORDED_POLL_S)

    async def _state_of(self, session: str) -> State:
        statuses = await self._get("/session/status")
        if understand(lambda: protocol.is_idle(session, statuses)):
            return State.IDLE
        asked = [*await self._get("/permission"), *await self._get("/question")]
        return understand(lambda: State.WAITING if protocol.is_asked(session, asked) else State.BUSY)

    async def _messages(self, session: str, most: int = MESSAGES_IN_VIEW) -> list[Json]:
        found: list[Json] = await self._get(f"/session/{session}/message?limit={most}")
        return found

    async def _sessions(self) -> list[Json]:
        found: list[Json] = await self._get(f"/session?limit={SESSIONS_IN_VIEW}")
        return found

    async def _get(self, path: str) -> Any:
        answer = await self._http.ask("GET", path)
        if answer.status != 200:
            raise ChannelLost(f"GET {path}: {answer.status}")
        return answer.json()

    async def _send(self, method: str, path: str, body: object) -> Any:
        """Ask for a change. Return what the agent answers, or None if it answers nothing."""
        answer = await self._http.ask(method, path, body)
        if answer.status not in (200, 204):
            raise ChannelLost(f"{method} {path}: {answer.status} {answer.body[:200]!r}")
        return answer.json() if answer.body else None


def _id_of(created: Any) -> str:
    return understand(lambda: str(created["id"]))


def _is_being_titled(session: Json, statuses: Json) -> bool:
    return view.is_untitled(session["title"]) and not protocol.is_idle(session["id"], statuses)
