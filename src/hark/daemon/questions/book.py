"""Keeps track of the open questions of all sessions, and writes down how each of them ends.

Hooks and agents' own APIs tell of questions. A question ends by what is heard and seen of its agent (`queue/questions.py` decides), by an
answer that hark carries, or with its session.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from hark.daemon.core import Core
from hark.daemon.process.log import logger
from hark.daemon.questions.waiting_hook import WaitingHook
from hark.daemon.session.live import Part
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Heard
from hark.model.ids import QuestionId, SessionId
from hark.model.message import Channel
from hark.model.question import DENY, AnsweredBy, Asked, Ending, Question, QuestionEnd, make_question
from hark.model.session import Session
from hark.queue import questions as rules
from hark.queue.turns import Phase

ID_BYTES = 4
MOST_OPEN = 64
"""The largest number of open questions of one session: an agent asks one at a time, and its helpers a few more."""
DRAWN_WITHIN_S = 3.0
"""How long after its question is known a dialog may take to be drawn. Gemini CLI tells of a question before it opens the dialog."""
MOST_ENDED = 16
"""How many questions that hark has answered are remembered, in case the human's own answer came first."""


class OpenQuestion:
    """A question that has not ended, and what the daemon knows about it beside the record."""

    def __init__(self, question: Question, since: datetime, *, is_inherited: bool = False) -> None:
        self.question = question
        self.since = since
        """When this daemon has taken note of the question, by its own clock."""
        self.is_inherited = is_inherited
        """True if an earlier daemon has heard of the question: that daemon may have answered it."""
        self.hook: WaitingHook | None = None
        self.was_waiting = False
        """True if the agent's status has said since the question that the agent waits."""
        self.is_being_answered = False

    @property
    def is_carried(self) -> bool:
        """True if a hook waits for the answer."""
        return self.hook is not None and self.hook.is_waiting


class SessionQuestions(Part):
    """The open questions of one session."""

    def __init__(self, on_gone: Callable[[OpenQuestion], Awaitable[None]]) -> None:
        self._on_gone = on_gone
        self.open: dict[QuestionId, OpenQuestion] = {}
        self.answered: list[Question] = []
        """The last questions that hark has answered."""

    async def end(self) -> None:
        for one in list(self.open.values()):
            await self._on_gone(one)


class Questions:
    def __init__(self, core: Core) -> None:
        self._store = core.store
        self._sessions = core.sessions
        self._live = core.live
        self._clock = core.clock
        self._phases: asyncio.Queue[tuple[SessionId, Phase, datetime]] = asyncio.Queue()
        """The phases that agents have begun, as all witnesses together have it."""
        self.phase_of: Callable[[SessionId], Phase] = lambda session_id: Phase.UNKNOWN
        """Returns what a session's agent is doing now."""
        self.on_asked: Callable[[Session, OpenQuestion], None] = lambda session, one: None
        """Called with every new question, when it can be answered."""

    async def load(self) -> None:
        """Take over the questions that were open when the daemon before this one ended. Those of sessions that are gone end."""
        running = {session.id for session in self._sessions.running()}
        for question in await self._store.open_questions():
            one = OpenQuestion(question, self._clock(), is_inherited=True)
            if question.session_id in running:
                self._of(question.session_id).open[question.id] = one
            else:
                await self._end(one, rules.SESSION_GONE)

    def open(self, session_id: SessionId | None = None) -> list[OpenQuestion]:
        """Return the open questions of one session or of all, oldest first."""
        if session_id is not None:
            part = self._live.find(session_id, SessionQuestions)
            found = list(part.open.values()) if part else []
        else:
            found = [one for _, part in self._live.parts(SessionQuestions) for one in part.open.values()]
        return sorted(found, key=lambda one: one.question.asked_at)

    async def find(self, wanted: str) -> OpenQuestion:
        """Return the open question with this id, or with the only id that begins like this. Raise `question-ended` for a question that
        has ended, `question-ambiguous`, or `question-not-found`."""
        hits = [one for one in self.open() if wanted and one.question.id.startswith(wanted)]
        if len(hits) > 1:
            raise HarkError("question-ambiguous", f"{wanted!r} fits {len(hits)} questions", "type more of the id")
        if hits:
            return hits[0]
        ended = await self._store.question(QuestionId(wanted))
        how = f", {ended.answer} by {ended.answered_by}" if ended.answer else ""
        detail = f"the question {ended.id} has ended already ({ended.end}{how})"
        raise HarkError("question-ended", detail, "`hark questions` lists the open questions")

    async def ask(
        self, session: Session, asked: Asked, at: datetime, channel: Channel, hook: WaitingHook | None = None
    ) -> OpenQuestion | None:
        """Take a question that an agent asks. A question with the same name that is open is the same question, unless a hook waits for
        the answer to each of them. Return None if the session has too many open questions, or if it cannot be stored."""
        known = self._of(session.id).open
        same = [one for one in known.values() if one.question.agents_id == asked.agents_id != ""]
        if same and not (hook and same[0].is_carried):
            same[0].hook = hook or same[0].hook
            return same[0]
        if len(known) >= MOST_OPEN:
            logger.warning("too many open questions", extra={"session": session.name})
            return None
        question = make_question(QuestionId(secrets.token_hex(ID_BYTES)), session.id, asked, at, channel)
        try:
            await self._store.add_question(question, self._event(EventKind.QUESTION_ASKED, question, at))
        except HarkError as failure:
            logger.warning("question not recorded", extra={"session": session.name, "code": failure.code})
            return None
        one = OpenQuestion(question, self._clock())
        one.hook = hook
        known[question.id] = one
        self.on_asked(session, one)
        return one

    def draft(self, session: Session, asked: Asked) -> Question:
        """Return a question as it would be recorded, without recording it."""
        return make_question(QuestionId(secrets.token_hex(ID_BYTES)), session.id, asked, self._clock(), Channel.HOOK)

    async def record_denied(self, session: Session, asked: Asked, who: str) -> None:
        """Record a permission that was denied before the agent asked for it."""
        question, at = self.draft(session, asked), self._clock()
        ending = Ending(end=QuestionEnd.ANSWERED, answer=DENY, answered_by=AnsweredBy.HARK, answered_as=who)
        try:
            await self._store.add_question(question, self._event(EventKind.QUESTION_ASKED, question, at))
            await self._store.end_question(question.id, at, ending, self._ended_event(question, ending, at))
        except HarkError as failure:
            logger.warning("question not recorded", extra={"session": session.name, "code": failure.code})

    async def list_native(self, session: Session, asked: Sequence[Asked]) -> None:
        """Take what an agent's own API lists as asked now: new questions begin, and those that are not listed any more have ended."""
        names = {one.agents_id for one in asked}
        for one in self.open(session.id):
            is_over = one.question.channel is Channel.NATIVE and one.question.agents_id not in names
            if is_over and not one.is_being_answered:
                await self._end(one, rules.AT_THE_TERMINAL)
        for each in asked:
            await self.ask(session, each, self._clock(), Channel.NATIVE)

    async def hear(self, session_id: SessionId, heard: Heard) -> None:
        """Take what an agent has said about its turns, whichever witness has told."""
        for one in self.open(session_id):
            if not one.is_being_answered and (ending := rules.end_by_word(one.question, heard)):
                await self._end(one, ending)
        if heard.work:
            await self._correct(session_id, heard)

    async def see(self, session_id: SessionId, phase: Phase, since: datetime) -> None:
        """Take what the status of an agent says. This is called often, and mostly there is no open question."""
        for one in self.open(session_id):
            ending = rules.end_by_sight(one.question, phase, since, was_waiting=one.was_waiting)
            if ending and not one.is_being_answered:
                await self._end(one, ending)
            one.was_waiting = one.was_waiting or phase is Phase.WAITING

    def on_event(self, event: Event) -> None:
        """Take note that an agent has begun to do something else."""
        if event.kind is EventKind.TURN and event.session_id:
            self._phases.put_nowait((event.session_id, Phase(event.data["phase"]), event.at))

    async def run(self) -> None:
        while True:
            await self._change_phase(*await self._phases.get())

    async def _change_phase(self, session_id: SessionId, phase: Phase, at: datetime) -> None:
        """Take the phase that an agent has begun. A dialog may be drawn a moment after its question is known; until then an agent that
        shows its input box seems to work, so such a phase counts only if it still lasts when the dialog must have been drawn."""
        for one in self.open(session_id):
            ending = rules.end_by_phase(one.question, phase, is_carried=one.is_carried)
            if ending is None or at < one.since or one.is_being_answered:
                continue
            early_s = DRAWN_WITHIN_S - (at - one.since).total_seconds()
            if phase is Phase.BUSY and early_s > 0:
                asyncio.get_running_loop().call_later(early_s, self._look_again, session_id, one)
            else:
                await self._end(one, ending)

    def _look_again(self, session_id: SessionId, one: OpenQuestion) -> None:
        at = one.since + timedelta(seconds=DRAWN_WITHIN_S)
        self._phases.put_nowait((session_id, self.phase_of(session_id), max(at, self._clock())))

    async def end_answered(self, one: OpenQuestion, ending: Ending) -> Question:
        """Record that hark has answered a question."""
        part = self._of(one.question.session_id)
        ended = await self._end(one, ending)
        part.answered = [*part.answered, ended][-MOST_ENDED:]
        return ended

    async def _correct(self, session_id: SessionId, heard: Heard) -> None:
        part = self._live.find(session_id, SessionQuestions)
        for question in part.answered if part else []:
            if part and rules.is_contradicted(question, heard):
                part.answered.remove(question)
                ending = rules.ALLOWED_AT_THE_TERMINAL
                event = self._ended_event(question, ending, self._clock())
                await self._store.correct_question(question.id, ending, event)

    async def _end(self, one: OpenQuestion, ending: Ending) -> Question:
        if one.is_inherited and ending.answered_by is AnsweredBy.TERMINAL:
            ending = Ending(end=ending.end, answer=ending.answer, answered_by=AnsweredBy.UNKNOWN)
        if one.hook:
            one.hook.let_go()
        at = self._clock()
        question = one.question
        if part := self._live.find(question.session_id, SessionQuestions):
            part.open.pop(question.id, None)
        try:
            return await self._store.end_question(question.id, at, ending, self._ended_event(question, ending, at))
        except HarkError as failure:
            # The question is not open any more, whether or not that can be written down now; the next daemon ends it once more.
            logger.warning("end of a question not recorded", extra={"question": question.id, "code": failure.code})
            return question

    async def _end_gone(self, one: OpenQuestion) -> None:
        await self._end(one, rules.SESSION_GONE)

    def _of(self, session_id: SessionId) -> SessionQuestions:
        return self._live.of(session_id).part(SessionQuestions, lambda: SessionQuestions(self._end_gone))

    def _event(self, kind: EventKind, question: Question, at: datetime) -> Event:
        data = {"question_id": question.id, "kind": str(question.kind), "tool": question.tool, "text": question.text}
        options = [list(part.options) for part in question.parts]
        return Event(at=at, kind=kind, session_id=question.session_id, data=data | {"options": options})

    def _ended_event(self, question: Question, ending: Ending, at: datetime) -> Event:
        data = {
            "question_id": question.id,
            "kind": str(question.kind),
            "end": str(ending.end),
            "answer": ending.answer,
            "answered_by": str(ending.answered_by) if ending.answered_by else None,
            "answered_as": ending.answered_as,
        }
        return Event(at=at, kind=EventKind.QUESTION_ENDED, session_id=question.session_id, data=data)
