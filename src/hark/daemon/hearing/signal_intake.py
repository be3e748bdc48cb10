"""Takes in what agents announce, whoever has heard it. The rules of `signals/` decide whether it is a new signal; a new signal is
written down once and passed on as an event.

Everything that is heard of one session goes through one lock. The memory by which a signal is recognised when it is heard again is
written in the same transaction as the signal: if the daemon dies in between, the store has either both or neither.
"""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from datetime import datetime
from functools import partial

import msgspec
from msgspec import structs

from hark.agents.records.words import Words
from hark.daemon.core import Core
from hark.daemon.process.log import logger
from hark.daemon.session.live import Part
from hark.delivery.headers import find_message_ids
from hark.delivery.wording import payload
from hark.model.errors import HarkError
from hark.model.heard import Heard, Said
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.model.signal import SignalSource, SignalState
from hark.signals import memory as rules
from hark.signals.marker import Found, Marker, MarkerReader, NearMiss
from hark.signals.memory import Memory, New
from hark.signals.near_misses import NearMissLog, wording
from hark.signals.own_words import read_words
from hark.signals.rendered import Sighting, is_known, known_words
from hark.signals.status import Status, is_repeated, may_clear, may_replace

INPUTS_KNOWN = 20
"""How many of hark's own messages are remembered, so that their echo on the screen is recognised."""
_ENDS_A_QUESTION = (Said.PERMISSION_ANSWERED, Said.TOOL_DONE, Said.STOPPED, Said.INTERRUPTED)


class HeardSignals(Part):
    """This part of a session remembers which signals of it were heard."""

    def __init__(self, session_id: SessionId) -> None:
        self._session_id = session_id
        self.memory: Memory | None = None
        """None if the memory has to be read from the store."""
        self.lock = asyncio.Lock()
        self.misses: NearMissLog | None = None

    @property
    def is_at_work(self) -> bool:
        return self.lock.locked()

    async def end(self) -> None:
        if self.misses:
            _log_left_out(self._session_id, self.misses.end_hour(0.0, is_last=True))


class Signals:
    def __init__(self, core: Core, reader: MarkerReader) -> None:
        self._store = core.store
        self._sessions = core.sessions
        self._live = core.live
        self._reader = reader
        self._clock = core.clock

    async def memory(self, session_id: SessionId) -> Memory:
        state = self._state(session_id)
        if state.memory is None:
            stored = await self._store.signal_memory(session_id)
            state.memory = msgspec.json.decode(stored, type=Memory) if stored else Memory()
        return state.memory

    def _state(self, session_id: SessionId) -> HeardSignals:
        return self._live.of(session_id).part(HeardSignals, lambda: HeardSignals(session_id))

    async def command(
        self, session: Session, state: SignalState, text: str, source: SignalSource = SignalSource.COMMAND
    ) -> Session:
        """Take in a signal that the agent itself sent by a command, or that `hark watch` heard on a terminal that the daemon does not
        listen to."""
        async with self._state(session.id).lock:
            return await self._announce(session, state, text, source, await self.memory(session.id))

    async def infer(self, session: Session, state: SignalState, text: str, seen_at: datetime) -> bool:
        """Take in a signal that a model has guessed from the screen. Return False if something better is known."""
        async with self._state(session.id).lock:
            if not may_replace(self._status(session.id), SignalSource.INFERRED, seen_at):
                return False
            await self._announce(session, state, text, SignalSource.INFERRED, await self.memory(session.id))
            return True

    async def hear_words(self, session: Session, words: Sequence[Words], record: str = "", end: int = 0) -> None:
        """Take in words from the agent's own record. If the record is a file, `record` is its path and `end` the position up to which
        it has been read."""
        async with self._state(session.id).lock:
            memory = await self.memory(session.id)
            for one in words:
                if one.name not in memory.names:
                    found = read_words(one.text, self._reader)
                    self.tell_misses(session, found)
                    memory, new = rules.hear_words(memory, one.name, [m for m in found if isinstance(m, Marker)])
                    await self._announce_all(session, new, SignalSource.RECORD)
            await self._save(session, structs.replace(memory, record=record or memory.record, record_read=end))

    async def see(self, session: Session, sightings: Sequence[Sighting], *, has_turns: bool, is_plain: bool) -> bool:
        """Take in what was seen on the session's screen and in its scrollback. Return True if another look is needed to be certain."""
        if not sightings:
            return False
        async with self._state(session.id).lock:
            memory = await self.memory(session.id)
            decide = rules.count_lines if is_plain else partial(rules.see, has_turns=has_turns)
            after, new = decide(memory, sightings)
            if new:
                known = await self._inputs(session)
                after, new = decide(memory, [one for one in sightings if not is_known(one, known)])
            await self._announce_all(session, new, SignalSource.TERMINAL)
            await self._save(session, after)
            return bool(after.doubted)

    async def hear_lines(self, session: Session, found: Sequence[Found]) -> None:
        """Take in the lines of a program that only prints lines."""
        markers = [one for one in found if isinstance(one, Marker)]
        if not markers:
            return
        async with self._state(session.id).lock:
            echoes = [fingerprint for fingerprint, _ in await self._inputs(session)]
            for marker in markers:
                if marker.fingerprint in echoes:
                    self.tell_misses(session, [NearMiss(marker.text, "it stands in a message that was delivered")])
                    continue
                memory = rules.print_line(await self.memory(session.id), marker)
                await self._announce(session, marker.state, marker.text, SignalSource.TERMINAL, memory)

    async def hear(self, session_id: SessionId, heard: Heard) -> None:
        """Take in what hooks and native channels say about the agent."""
        try:
            session = self._sessions.get(session_id)
        except HarkError:
            return
        async with self._state(session_id).lock:
            if heard.said is Said.PROMPT_SUBMITTED:
                await self._begin_turn(session, heard.at)
            elif heard.said is Said.PERMISSION_ASKED:
                await self._hear_question(session, heard)
            elif heard.said in _ENDS_A_QUESTION and _is_over(self._status(session_id), heard):
                await self._sessions.clear_signal(session, self._written(await self.memory(session_id)))

    async def _hear_question(self, session: Session, heard: Heard) -> None:
        status, state, source = self._status(session.id), SignalState.NEEDS_INPUT, SignalSource.HOOK
        if may_replace(status, source, heard.at) and not is_repeated(status, state, source):
            await self._announce(session, state, heard.detail, source, await self.memory(session.id))

    async def _begin_turn(self, session: Session, at: datetime) -> None:
        memory = rules.begin_turn(await self.memory(session.id))
        if may_clear(self._status(session.id), at):
            writing = self._sessions.clear_signal(session, self._written(memory))
        else:
            writing = self._store.save_signal(session.id, {}, None, self._written(memory))
        await self._remember(session.id, memory, writing)

    async def _announce_all(self, session: Session, new: Sequence[New], source: SignalSource) -> None:
        for one in new:
            await self._announce(session, one.marker.state, one.marker.text, source, one.memory)

    async def _announce(
        self, session: Session, state: SignalState, text: str, source: SignalSource, memory: Memory
    ) -> Session:
        writing = self._sessions.signal(session, state, text, source, self._written(memory))
        changed = await self._remember(session.id, memory, writing)
        logger.info("signal", extra={"session": session.name, "state": str(state), "source": str(source)})
        return changed

    async def _save(self, session: Session, memory: Memory) -> None:
        if memory != self._state(session.id).memory:
            writing = self._store.save_signal(session.id, {}, None, self._written(memory))
            await self._remember(session.id, memory, writing)

    async def _remember(self, session_id: SessionId, memory: Memory, writing: Awaitable[Session]) -> Session:
        """Wait for the write, and then remember what was written. If the write fails or is cut short, nobody knows whether it is durable,
        so the memory is read again from the store when it is needed."""
        try:
            changed = await writing
        except BaseException:
            self._state(session_id).memory = None
            raise
        self._state(session_id).memory = memory
        return changed

    async def _inputs(self, session: Session) -> list[tuple[str, str]]:
        messages = await self._store.messages(session.id, limit=INPUTS_KNOWN)
        texts = (payload(message) for message in messages if not message.is_inbox and "<[" in message.text)
        return [known for text in texts for known in known_words(text, self._reader)]

    def _status(self, session_id: SessionId) -> Status:
        session = self._sessions.get(session_id)
        return Status(session.signal_state, session.signal_source, session.last_signal_at)

    def tell_misses(self, session: Session, found: Sequence[Found]) -> None:
        """Log near misses of signals, each once an hour, because agents redraw what they have drawn. A header of one of hark's own
        messages is not a near miss."""
        for one in found:
            if isinstance(one, NearMiss) and not find_message_ids(one.line):
                self._log_miss(session, one)

    def _log_miss(self, session: Session, miss: NearMiss) -> None:
        now_s = self._clock().timestamp()
        state = self._state(session.id)
        misses = state.misses = state.misses or NearMissLog(now_s)
        _log_left_out(session.id, misses.end_hour(now_s))
        was_full = misses.has_left_out
        if misses.admit(miss):
            level = logging.INFO if miss.is_mention else logging.WARNING
            logger.log(level, wording(session.id, miss), extra={"session": session.name, "why": miss.why})
        elif misses.has_left_out and not was_full:
            words = f"[signal] {session.id} - too many potential missed signals: the rest of this hour is only counted"
            logger.warning(words, extra={"session": session.name})

    @staticmethod
    def _written(memory: Memory) -> str:
        return msgspec.json.encode(memory).decode()


def _is_over(status: Status, heard: Heard) -> bool:
    """Return True if what was heard ends the signal: a signal from a hook, such as a question, ends with any such event, and `working`
    ends when the agent stops."""
    if not may_clear(status, heard.at):
        return False
    is_stopped = heard.said in (Said.STOPPED, Said.INTERRUPTED)
    return status.source is SignalSource.HOOK or (status.state is SignalState.WORKING and is_stopped)


def _log_left_out(session_id: SessionId, count: int) -> None:
    if count:
        logger.warning(f"[signal] {session_id} - {count} more potential missed signals were not logged")
