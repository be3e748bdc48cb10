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
from hark.agents.kinds import GENERIC
from hark.agents.lineage import Process, may_count, trace
from hark.agents.records.files import is_path
from hark.agents.registry import find_agent
from hark.daemon.core import Core
from hark.daemon.delivering.handover import Handovers, Offer
from hark.daemon.hearing.answers import Answers
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.process.log import logger
from hark.daemon.questions.book import Questions
from hark.daemon.questions.waiting_hook import WaitingHook
from hark.daemon.session.live import Part
from hark.delivery.headers import find_message_ids
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Heard, Said
from hark.model.ids import SessionId
from hark.model.message import Channel
from hark.model.question import Asked, QuestionKind
from hark.model.session import Session
from hark.queue.emission import TurnTimes, correct_time
from hark.queue.turns import Phase

LONGEST_NAME, MOST_NAMES = 200, 10_000
"""The greatest length of an agent's name for a conversation, and how many such names are remembered: an agent may begin as many
conversations as it likes."""
_RECORDED = frozenset(Said) - {Said.TOOL_STARTING, Said.TOOL_DONE, Said.NOTIFIED, Said.UNKNOWN}
"""The kinds of hook events that are stored; the other kinds come by the dozen in every turn."""


Hand = Callable[[bytes], Awaitable[bool]]


class HookCall(Struct, frozen=True):
    """One call of a hook: by which agent and at which event, when, and what it reports."""

    agent: str
    event: str
    at: datetime
    """When the hook was called, by its own clock."""
    report: Report
    waiting: WaitingHook | None = None
    """The hook itself, if it waits for the answer to the question that it tells of."""


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
        core: Core,
        turns: TurnBook,
        handovers: Handovers,
        witnesses: Witnesses,
        answers: Answers,
        questions: Questions,
    ) -> None:
        self._store = core.store
        self._sessions = core.sessions
        self._live = core.live
        self._turns = turns
        self._handovers = handovers
        self._witnesses = witnesses
        self._answers = answers
        self._questions = questions
        self._kinds = core.kinds
        self._clock = core.clock
        self._by_agents_id: dict[tuple[str, str], SessionId] = {}
        self.counts: Counter[tuple[str, str]] = Counter()

    async def take(
        self, agent: str, event: str, origin: HookOrigin, emitted_at: datetime, payload: dict[str, Any]
    ) -> SessionId | None:
        """Take a report. Return the session that it came from; None if that session is not known, and then nothing is done."""
        call = HookCall(agent, event, emitted_at, decode(agent, event, payload))
        session = self.admit(call, origin)
        if session is None:
            return None
        await self.take_in(session, call)
        return session.id

    def admit(self, call: HookCall, origin: HookOrigin, chain: Sequence[Process] = ()) -> Session | None:
        """Return the session that a report is from; None if that session is not known, or if the report comes from an agent that the
        session's own agent has started. `chain` is the hook's process, its parent and so on, if that is known."""
        # Reports of unknown agents share one count, so that the number of counts is limited whatever a report calls its agent.
        self.counts[call.agent if find_agent(call.agent).events else "unknown", str(call.report.said)] += 1
        session = self._find(call.agent, origin, call.report.agent_session_id)
        extra = {"agent": call.agent, "event": call.event}
        if session is None:
            logger.debug("hook of an unknown session", extra=extra)
        elif not self._is_of(session, call, origin, chain):
            logger.info("hook of another agent in the pane", extra=extra | {"session": session.name})
            return None
        return session

    def _is_of(self, session: Session, call: HookCall, origin: HookOrigin, chain: Sequence[Process]) -> bool:
        if find_agent(session.agent).events and call.agent != session.agent:
            return False
        return may_count(
            trace(chain, session.pane.pid, lambda words: self._kinds.recognise(words) != GENERIC),
            is_by_pane=not origin.session_id,
            conversation=session.conversation,
            reported=call.report.agent_session_id,
            is_at_work=self._turns.of(session.id).phase in (Phase.BUSY, Phase.WAITING),
        )

    async def take_in(self, session: Session, call: HookCall, hand: Hand | None = None) -> None:
        """Take in a report of this session. `hand` is there for a hook whose answer the agent reads: it gives the hook the text to print,
        and returns True if the hook prints it."""
        report = call.report
        state = self._live.of(session.id).part(HookState)
        async with state.order:
            await self._record(session, call)
            if is_path(report.transcript):
                self._witnesses.note_record(session.id, report.transcript)
            ids = await self._turns.expected(session.id, find_message_ids(report.prompt))
            at = _said_at(state, report, min(call.at, self._clock()))
            heard = Heard(said=report.said, at=at, message_ids=ids, detail=report.detail, work=report.work)
            await self._handovers.judge(session, report, heard)
            if hand and (offer := await self._handovers.offer(session, report, call.event, heard)):
                heard = await self._hand_over(offer, hand)
            self._answers.note(session.id, heard.at, report.last_words)
            await self._turns.hear(session.id, heard)
            if report.said is Said.PERMISSION_ASKED:
                await self._ask(session, call, heard)

    async def _ask(self, session: Session, call: HookCall, heard: Heard) -> None:
        """Take the question that a report tells of. A report that says only that something is asked counts if nothing else is known to
        be asked: Claude Code notifies its human of a question some seconds after it has asked."""
        asked = call.report.asked
        if asked is None and not self._questions.open(session.id):
            asked = Asked(kind=QuestionKind.PERMISSION, text=call.report.detail, is_whole=False)
        opened = asked and await self._questions.ask(session, asked, heard.at, Channel.HOOK, call.waiting)
        if call.waiting and not opened:
            call.waiting.let_go()

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

    async def _record(self, session: Session, call: HookCall) -> None:
        if call.report.transcript:
            self._witnesses.learn_transcript(session, call.report.transcript)
        self._know(call.agent, call.report.agent_session_id, session.id)
        try:
            if call.report.said is Said.PROMPT_SUBMITTED and not call.report.is_beside:
                await self._note_conversation(session.id, call.report)
            if call.report.said in _RECORDED:
                data = {"agent": call.agent, "event": call.event, "emitted_at": call.at.isoformat()}
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
    times, at = correct_time(state.times, report.turn_id, report.said, at)
    state.times = times or state.times
    return at
