"""Takes what agents report through their hooks: finds out which session a report is from and what it means, and passes it on to that
session's turns."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hark.agents.decoders import Report, decode
from hark.agents.kinds import GENERIC, Kinds
from hark.agents.lineage import Process, may_count, trace
from hark.agents.record_files import is_path
from hark.agents.registry import find_agent
from hark.daemon.delivering.handover import Handovers, Offer
from hark.daemon.hearing.answers import Answers
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.process.clock import Clock
from hark.daemon.process.log import logger
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.live import LiveSessions, Part
from hark.delivery.headers import find_message_ids
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Heard, Said
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.queue.emission import TurnTimes, put_right
from hark.queue.turns import Phase
from hark.store.contract import Store

LONGEST_NAME, MOST_NAMES = 200, 10_000
"""The greatest length of an agent's name for a conversation, and how many such names are remembered: an agent may begin as many
conversations as it likes."""
_RECORDED = frozenset(Said) - {Said.TOOL_STARTING, Said.TOOL_DONE, Said.NOTIFIED, Said.UNKNOWN}
"""The kinds of hook events that are stored; the other kinds come by the dozen in every turn."""


Hand = Callable[[bytes], Awaitable[bool]]


class Told(Struct, frozen=True):
    """A whole report of a hook, and what it means."""

    agent: str
    event: str
    at: datetime
    """When the hook was called, by its own clock."""
    report: Report


class HookOrigin:
    """Where a hook says that it comes from. Its session id is believed before its tmux socket and pane."""

    def __init__(self, session_id: str | None, socket: str | None, pane_id: str | None) -> None:
        self.session_id = session_id
        self.socket = socket
        self.pane_id = pane_id


class HookState(Part):
    """What is known from the hook reports of one session."""

    def __init__(self) -> None:
        self.order = asyncio.Lock()
        """Held while an event is handled, so that the events are handled one after the other, in the order in which they came."""
        self.times: TurnTimes | None = None

    @property
    def is_at_work(self) -> bool:
        return self.order.locked()


class Hooks:
    def __init__(
        self,
        store: Store,
        sessions: Sessions,
        live: LiveSessions,
        turns: TurnBook,
        handovers: Handovers,
        witnesses: Witnesses,
        answers: Answers,
        kinds: Kinds,
        clock: Clock,
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._live = live
        self._turns = turns
        self._handovers = handovers
        self._witnesses = witnesses
        self._answers = answers
        self._kinds = kinds
        self._clock = clock
        self._by_agents_id: dict[tuple[str, str], SessionId] = {}
        self.counts: Counter[tuple[str, str]] = Counter()

    async def take(
        self, agent: str, event: str, origin: HookOrigin, emitted_at: datetime, payload: dict[str, Any]
    ) -> SessionId | None:
        """Take a report. Return the session that it came from; None if that session is not known, and then nothing is done."""
        told = Told(agent, event, emitted_at, decode(agent, event, payload))
        session = self.admit(told, origin)
        if session is None:
            return None
        await self.heed(session, told)
        return session.id

    def admit(self, told: Told, origin: HookOrigin, chain: Sequence[Process] = ()) -> Session | None:
        """Return the session that a report is from; None if that session is not known, or if the report comes from an agent that the
        session's own agent has started. `chain` is the hook's process, its parent and so on, if that is known."""
        # Reports of unknown agents share one count, so that the number of counts is limited whatever a report calls its agent.
        self.counts[told.agent if find_agent(told.agent).events else "unknown", str(told.report.said)] += 1
        session = self._find(told.agent, origin, told.report.agent_session_id)
        extra = {"agent": told.agent, "event": told.event}
        if session is None:
            logger.debug("hook of an unknown session", extra=extra)
        elif not self._is_of(session, told, origin, chain):
            logger.info("hook of another agent in the pane", extra=extra | {"session": session.name})
            return None
        return session

    def _is_of(self, session: Session, told: Told, origin: HookOrigin, chain: Sequence[Process]) -> bool:
        if find_agent(session.agent).events and told.agent != session.agent:
            return False
        return may_count(
            trace(chain, session.pane.pid, lambda words: self._kinds.recognise(words) != GENERIC),
            is_by_pane=not origin.session_id,
            conversation=session.conversation,
            reported=told.report.agent_session_id,
            is_at_work=self._turns.of(session.id).phase in (Phase.BUSY, Phase.WAITING),
        )

    async def heed(self, session: Session, told: Told, hand: Hand | None = None) -> None:
        """Take in a report of this session. `hand` is there for a hook whose answer the agent reads: it gives the hook the text to print,
        and returns True if the hook prints it."""
        report = told.report
        state = self._live.of(session.id).part(HookState)
        async with state.order:
            await self._record(session, told)
            if is_path(report.transcript):
                self._witnesses.note_record(session.id, report.transcript)
            ids = await self._turns.expected(session.id, find_message_ids(report.prompt))
            at = _said_at(state, report, min(told.at, self._clock()))
            heard = Heard(said=report.said, at=at, message_ids=ids, detail=report.detail)
            await self._handovers.heed(session, report, heard)
            if hand and (offer := await self._handovers.offer(session, report, told.event, heard)):
                heard = await self._hand_over(offer, hand)
            self._answers.note(session.id, heard.at, report.last_words)
            await self._turns.hear(session.id, heard)

    async def _hand_over(self, offer: Offer, hand: Hand) -> Heard:
        """Give the hook its answer. Return what was heard, corrected by whether the hook has printed the answer: a stop that was refused
        is no stop."""
        is_printed = await hand(offer.answer)
        try:
            await self._handovers.settle(offer, is_printed=is_printed)
        except HarkError as failure:
            # The message stays claimed, and the session's courier finds out what became of it; the agent's stop counts.
            logger.warning("hand-over not settled", extra={"session": offer.session_id, "code": failure.code})
        is_continued = is_printed and offer.heard.said is Said.STOPPED
        return replace(offer.heard, said=Said.CONTINUED) if is_continued else offer.heard

    async def _record(self, session: Session, told: Told) -> None:
        if told.report.transcript:
            self._witnesses.learn_transcript(session, told.report.transcript)
        self._know(told.agent, told.report.agent_session_id, session.id)
        try:
            if told.report.said is Said.PROMPT_SUBMITTED and not told.report.is_beside:
                await self._note_conversation(session.id, told.report)
            if told.report.said in _RECORDED:
                data = {"agent": told.agent, "event": told.event, "emitted_at": told.at.isoformat()}
                event = Event(at=self._clock(), kind=EventKind.HOOK, session_id=session.id, data=data)
                await self._store.add_event(event)
        except HarkError as failure:
            # What the hook reports counts, even if it cannot be written down that it was reported.
            logger.warning("hook not recorded", extra={"session": session.name, "code": failure.code})

    async def _note_conversation(self, session_id: SessionId, report: Report) -> None:
        """Store the agent's name for its conversation and the path of its transcript, for the next daemon."""
        if 0 < len(report.agent_session_id) <= LONGEST_NAME:
            await self._sessions.note(session_id, conversation=report.agent_session_id)
        if is_path(report.transcript):
            await self._sessions.note(session_id, transcript=report.transcript)

    def _know(self, agent: str, agent_session_id: str, session_id: SessionId) -> None:
        if 0 < len(agent_session_id) <= LONGEST_NAME:
            self._by_agents_id.pop((agent, agent_session_id), None)
            self._by_agents_id[agent, agent_session_id] = session_id
        while len(self._by_agents_id) > MOST_NAMES:
            del self._by_agents_id[next(iter(self._by_agents_id))]

    def _find(self, agent: str, origin: HookOrigin, agent_session_id: str) -> Session | None:
        try:
            if origin.session_id:
                return self._sessions.get(SessionId(origin.session_id))
            if session_id := self._by_agents_id.get((agent, agent_session_id)):
                return self._sessions.get(session_id)
        except HarkError:
            return None
        if find_agent(agent).shares_hook_process or not origin.pane_id or not origin.socket:
            return None
        return self._sessions.in_pane(origin.socket, origin.pane_id)


def _said_at(state: HookState, report: Report, at: datetime) -> datetime:
    times, at = put_right(state.times, report.turn_id, report.said, at)
    state.times = times or state.times
    return at
