"""The native channel of Codex, by its app-server: messages go into the thread's own queue, and become its next turns.

The server is the session's own (`server.py`). The queue is durable and holds our message id, as do the turns that
come out of it, so a message is found in the queue or in a turn. In the moment between, the message is in neither: then there is a
turn that shows no prompt yet, and hark looks again.

A turn that is just beginning or just ending is listed as interrupted for a moment. So the newest turn counts as interrupted only
if it is still listed so a while later.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar

from msgspec import structs

from hark.agents.codex import protocol
from hark.agents.codex.answer import find_answer
from hark.agents.codex.approvals import Approvals
from hark.agents.codex.connection import CallFailed, Connection
from hark.agents.codex.protocol import Json, Notice, Thread
from hark.agents.codex.threads import Threads
from hark.agents.native.channel import ChannelLost, Delivered, Outcome, Reason, Refused, State, Unclear, understand
from hark.agents.native.picture import Picture, Turn
from hark.agents.native.watching import Watching
from hark.agents.records.words import Words
from hark.model.answer import Spoken
from hark.model.heard import Said
from hark.model.ids import MessageId
from hark.model.question import Asked, Reply

TURNS_IN_VIEW = 20
SPOKEN_IN_VIEW = 5
QUEUE_IN_VIEW = 100
BETWEEN_S = 3.0
BETWEEN_POLL_S = 0.05
DOUBTED_S = 0.5
NOT_ASKED_YET = "not materialized yet"
"""The server's words for a thread in which nobody has said anything."""

Value = TypeVar("Value")


class CodexChannel(Watching):
    joins_running_turn = False
    pressing_poll_s, outstanding_poll_s, quiet_poll_s = 0.1, 1.0, 5.0

    def __init__(self) -> None:
        super().__init__()
        self._connection: Connection
        self._threads = Threads()
        self._by_id: dict[str, Thread] = {}
        self._followed: str | None = None
        """The thread that received our last message: hark follows it to its end, whatever thread the human looks at meanwhile."""
        self._doubted: tuple[str, float] = ("", 0.0)
        """The newest turn, if it is listed as interrupted, and since when."""
        self._heard_in: set[str] = set()
        """The threads whose words have been read at least once."""
        self._delivering = asyncio.Lock()
        self._socket: Path
        self._approvals: Approvals | None = None

    @classmethod
    async def open(cls, socket: Path) -> Self:
        channel = cls()
        channel._socket = socket
        channel._connection = await Connection.open(socket, channel._hear)
        return channel

    async def close(self) -> None:
        await self._end_approvals()
        await self._connection.close()

    async def is_certain(self) -> bool:
        """Return whether it is known which thread the pane shows."""
        await self._look_at_threads()
        return self._threads.shown is not None

    async def begins_conversation(self) -> bool:
        """Return False, because the pane of Codex shows a thread from the start."""
        return False

    async def state(self) -> State:
        try:
            await self._look_at_threads()
            return await self._state_of(self._threads.shown) if self._threads.shown else State.UNKNOWN
        except ChannelLost:
            return State.UNKNOWN

    async def deliver(self, message_ids: Sequence[MessageId], text: str, *, may_join: bool = True) -> Outcome:
        async with self._delivering:
            try:
                await self._look_at_threads()
                if await self._has(message_ids[0]):
                    return Delivered(was_there=True)
            except ChannelLost as lost:
                return Refused(Reason.GONE, str(lost))
            if self._threads.shown is None:
                return Refused(Reason.UNPROVEN, "it is not certain which thread the pane shows")
            return await self._add(self._threads.shown, message_ids, text)

    async def _add(self, thread: str, message_ids: Sequence[MessageId], text: str) -> Outcome:
        item = {"threadId": thread, "input": [{"type": "text", "text": text}]}
        try:
            await self._call("thread/queue/add", item | {"clientUserMessageId": protocol.client_id(message_ids[0])})
        except ChannelLost as lost:
            return Unclear(str(lost))
        except CallFailed as failed:
            return Refused(Reason.GONE, str(failed))
        self._followed = thread
        self._outstanding.update(message_ids)
        self.notice()
        return Delivered()

    async def interrupt(self) -> bool:
        thread = self._threads.shown
        turns = await self._turns(thread) if thread else ()
        if not turns or turns[-1].end:
            return False
        try:
            await self._call("turn/interrupt", {"threadId": thread, "turnId": turns[-1].id})
        except CallFailed:
            return False
        return True

    async def words(self, since: datetime) -> list[Words]:
        """Return the words of all threads: the server is the session's own, so its agent says all of them."""
        await self._look_at_threads()
        said = [await self._words_in(thread) for thread in sorted(self._threads.known)]
        return [words for thread in said for words in thread]

    async def _words_in(self, thread: str) -> list[Words]:
        """Read the words of a thread, more of them the first time, because nobody may have listened for a while."""
        limit = SPOKEN_IN_VIEW if thread in self._heard_in else TURNS_IN_VIEW
        asked = {"threadId": thread, "limit": limit, "itemsView": "full", "sortDirection": "desc"}
        words = await self._read("thread/turns/list", asked, lambda result: protocol.read_words(result["data"]))
        self._heard_in.add(thread)
        return words

    async def answer(self, message_id: MessageId) -> Spoken | None:
        await self._look_at_threads()
        for thread in sorted(self._threads.known):
            asked = {"threadId": thread, "limit": TURNS_IN_VIEW, "itemsView": "full", "sortDirection": "desc"}
            if found := await self._read(
                "thread/turns/list", asked, lambda result: find_answer(result["data"], message_id)
            ):
                return found
        return None

    async def picture(self) -> Picture:
        await self._look_at_threads()
        thread = self._followed if self._outstanding and self._followed else self._threads.shown
        if thread is None:
            return Picture()
        state = await self._state_of(thread)
        asked = await self._asked_in(thread, state)
        waiting = tuple(await self._queue(thread))
        turns = self._without_doubt(await self._turns(thread))
        return Picture(conversation=thread, state=state, waiting=waiting, turns=turns, asked=asked)

    async def _asked_in(self, thread: str, state: State) -> tuple[Asked, ...]:
        """Return what Codex asks in a thread. The connection for this is open only while Codex says that it waits."""
        known = self._approvals
        if known and (state is not State.WAITING or known.thread != thread or known.is_lost):
            await self._end_approvals()
        if state is not State.WAITING:
            return ()
        try:
            if self._approvals is None:
                self._approvals = await Approvals.open(self._socket, thread, self.notice)
            return await self._approvals.asked()
        except ChannelLost:
            # What Codex asks is unknown until the next look; messages are delivered all the same.
            await self._end_approvals()
            return ()

    async def _end_approvals(self) -> None:
        ended, self._approvals = self._approvals, None
        if ended:
            await ended.close()

    async def reply(self, agents_id: str, reply: Reply) -> bool:
        approvals = self._approvals
        is_taken = approvals is not None and await approvals.reply(agents_id, reply)
        self.notice()
        return is_taken

    def _without_doubt(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        if not turns or turns[-1].end is not Said.INTERRUPTED:
            return turns
        now = asyncio.get_running_loop().time()
        if self._doubted[0] != turns[-1].id:
            self._doubted = (turns[-1].id, now)
        is_certain = now - self._doubted[1] >= DOUBTED_S
        return turns if is_certain else (*turns[:-1], structs.replace(turns[-1], end=None))

    async def start_left(self, message_id: MessageId) -> None:
        thread = self._followed or self._threads.shown
        queued = (await self._queue(thread)).get(message_id) if thread else None
        if queued is None:
            return
        try:
            await self._call("thread/queue/start", {"threadId": thread, "queuedSubmissionId": queued})
        except CallFailed:
            # Somebody was faster: the message runs, or the human has taken it out.
            return

    async def _has(self, message_id: MessageId) -> bool:
        """Return whether any thread has the message: the human may have gone to another thread since the message was delivered."""
        deadline = asyncio.get_running_loop().time() + BETWEEN_S
        while True:
            looks = [await self._look_into(thread, message_id) for thread in sorted(self._threads.known)]
            if any(has for has, _ in looks):
                return True
            between = [state for _, state in looks if state is not None]
            if not between:
                return False
            if asyncio.get_running_loop().time() > deadline:
                if all(state is State.IDLE for state in between):
                    # The turn was interrupted before its prompt was written down.
                    return False
                raise ChannelLost("a turn runs that nobody has asked for")
            await asyncio.sleep(BETWEEN_POLL_S)

    async def _look_into(self, thread: str, message_id: MessageId) -> tuple[bool, State | None]:
        """Return whether the thread has the message, and the thread's state if something may be on its way out of the queue. The queue
        is read first, because messages go from the queue into turns."""
        waiting = message_id in await self._queue(thread)
        state = await self._state_of(thread)
        asked, turns = await self._asked_turns(thread)
        is_there = waiting or any(message_id in turn.message_ids for turn in turns)
        is_bare = bool(turns) and turns[-1].id not in asked
        runs_unseen = state is not State.IDLE and (not turns or turns[-1].end is Said.STOPPED)
        return is_there, state if is_bare or runs_unseen else None

    async def _look_at_threads(self) -> None:
        loaded = await self._read("thread/loaded/list", {}, lambda result: list(result["data"]))
        for thread_id in loaded:
            if thread_id not in self._by_id:
                self._by_id[thread_id] = await self._thread(thread_id)
        self._threads = self._threads.after_look(self._by_id[thread_id] for thread_id in loaded)

    async def _thread(self, thread_id: str) -> Thread:
        return await self._read(
            "thread/read", {"threadId": thread_id}, lambda result: protocol.read_thread(result["thread"])
        )

    async def _state_of(self, thread: str) -> State:
        return await self._read(
            "thread/read", {"threadId": thread}, lambda result: protocol.read_status(result["thread"]["status"])
        )

    async def _queue(self, thread: str) -> dict[MessageId, str]:
        asked = {"threadId": thread, "limit": QUEUE_IN_VIEW}
        return await self._read("thread/queue/list", asked, lambda result: protocol.read_queue(result["data"]))

    async def _turns(self, thread: str | None) -> tuple[Turn, ...]:
        return (await self._asked_turns(thread))[1] if thread else ()

    async def _asked_turns(self, thread: str) -> tuple[set[str], tuple[Turn, ...]]:
        """Return the ids of the turns that already show their prompt, and all turns."""
        asked = {"threadId": thread, "limit": TURNS_IN_VIEW, "itemsView": "summary", "sortDirection": "desc"}
        return await self._read(
            "thread/turns/list",
            asked,
            lambda result: (protocol.asked(result["data"]), protocol.read_turns(result["data"])),
        )

    async def _read(self, method: str, params: Json, read: Callable[[Json], Value]) -> Value:
        """Ask the server, and read its answer. While the first words of a thread are being written down, the server fails to read the
        thread: then ask again."""
        deadline = asyncio.get_running_loop().time() + BETWEEN_S
        while True:
            try:
                result = await self._call(method, params)
                break
            except CallFailed as failed:
                if NOT_ASKED_YET in str(failed):
                    result = {"data": []}
                    break
                if asyncio.get_running_loop().time() > deadline:
                    raise ChannelLost(str(failed)) from failed
            await asyncio.sleep(BETWEEN_POLL_S)
        return understand(lambda: read(result))

    async def _call(self, method: str, params: Json) -> Json:
        return await self._connection.call(method, params)

    def _hear(self, notice: Notice) -> None:
        try:
            self._threads = self._threads_after(notice)
        except (KeyError, TypeError):
            self._threads = Threads()
        self.notice()

    def _threads_after(self, notice: Notice) -> Threads:
        match notice.method:
            case "thread/started":
                thread = protocol.read_thread(notice.params["thread"])
                self._by_id[thread.id] = thread
                return self._threads.after_start(thread)
            case "thread/goal/cleared" | "thread/goal/updated":
                return self._threads.after_word_about(notice.params["threadId"])
            case _:
                return self._threads
