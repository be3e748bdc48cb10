"""Carries answers to agents: by a hook that waits beside the agent's dialog, or by the agent's own API. Never by keys.

An answer is refused where it is not certain that it reaches exactly the question that was asked; the dialog stays with the human then.
While an answer is carried the human's own keys are held, because they are meant for the dialog that is about to go.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from hark.agents.native.channel import ChannelLost
from hark.agents.registry import find_agent
from hark.daemon.doors.native_channels import Natives
from hark.daemon.process.log import logger
from hark.daemon.questions.book import OpenQuestion, Questions
from hark.daemon.registry.sessions import Sessions
from hark.model.errors import HarkError
from hark.model.message import Channel
from hark.model.question import ALLOW, DENY, Answerable, AnsweredBy, Ending, Question, QuestionEnd, QuestionKind, Reply
from hark.model.session import Session
from hark.queue.questions import fit_answer

PRINTS_WITHIN_S = 5.0
"""How long a hook that waits may take to take its answer."""
AT_THE_DIALOG = "answer in the agent's own dialog: `hark attach NAME` shows it"
HINTS = {
    "answers-off": "set `answers = true` in config.toml and restart the daemon (docs/questions.md), or answer in the dialog",
    "not-answerable": AT_THE_DIALOG,
}

KeyGuard = Callable[[Session], AbstractAsyncContextManager[None]]
"""Holds the keys of the humans who look at a session while an answer is carried, and for a moment after that."""


class Answering:
    def __init__(
        self, questions: Questions, sessions: Sessions, natives: Natives, hold_keys: KeyGuard, *, is_on: bool
    ) -> None:
        self._questions = questions
        self._sessions = sessions
        self._natives = natives
        self._hold_keys = hold_keys
        self.is_on = is_on

    def ability(self, one: OpenQuestion) -> Answerable:
        """Return whether and how an open question can be answered from elsewhere."""
        if not self.is_on:
            return Answerable(code="answers-off", reason="the setting `answers` is off")
        if reason := self._obstacle(one):
            return Answerable(code="not-answerable", reason=reason)
        if one.question.kind is QuestionKind.PERMISSION:
            return Answerable(answers=(DENY,) if one.question.is_cut else (ALLOW, DENY))
        options = one.question.parts[0].options if len(one.question.parts) == 1 else ()
        return Answerable(answers=(*options, DENY))

    def _obstacle(self, one: OpenQuestion) -> str:
        """Return why no answer can be carried; empty if one can."""
        session = self._sessions.get(one.question.session_id)
        if one.question.channel is Channel.NATIVE:
            return (
                "" if self._natives.has_channel(session) else "hark has no connection to the agent's API at the moment"
            )
        if one.is_carried:
            return ""
        agent = find_agent(session.agent)
        if not agent.asks_beside:
            return agent.cannot_be_answered or "hark knows no way to answer this agent but keys, and presses none"
        if one.is_inherited:
            return (
                "the daemon has started again since the agent asked, and the hook that waited for the answer has ended"
            )
        if one.hook:
            return "the hook that waited for the answer has ended"
        return "no hook waits for the answer: the agent's hooks are from before `answers` was on, or run in a sandbox"

    async def answer(self, wanted: str, answers: Sequence[str], message: str, who: str) -> Question:
        """Answer an open question, and return it as it has ended. `who` is the name of whoever answers, for the record."""
        one = await self._questions.find(wanted)
        ability = self.ability(one)
        if ability.code:
            session = self._sessions.get(one.question.session_id)
            hint = HINTS[ability.code].replace("NAME", session.name)
            raise HarkError(ability.code, f"{session.name} cannot be answered: {ability.reason}", hint)
        return await self.carry(one, fit_answer(one.question, answers, message), who)

    async def carry(self, one: OpenQuestion, reply: Reply, who: str) -> Question:
        """Carry a reply to the agent. Two replies to the same question are carried one after the other: the second finds it ended."""
        if one.is_being_answered:
            raise HarkError("question-ended", f"somebody else is answering {one.question.id}", "`hark questions` tells")
        session = self._sessions.get(one.question.session_id)
        one.is_being_answered = True
        try:
            async with self._hold_keys(session):
                await self._hand_over(session, one, reply)
                ending = Ending(
                    end=QuestionEnd.ANSWERED,
                    answer=reply.words,
                    answered_by=AnsweredBy.HARK,
                    answered_as=who,
                )
                ended = await self._questions.end_answered(one, ending)
        finally:
            one.is_being_answered = False
        logger.info("question answered", extra={"session": session.name, "question": ended.id, "as": who})
        return ended

    async def _hand_over(self, session: Session, one: OpenQuestion, reply: Reply) -> None:
        if one.question.channel is Channel.NATIVE:
            await self._answer_natively(session, one, reply)
            return
        assert one.hook is not None
        words = find_agent(session.agent).answer_question(one.hook.event, one.hook.payload, reply)
        is_printed = False
        try:
            async with asyncio.timeout(PRINTS_WITHIN_S):
                is_printed = await one.hook.give(words)
        except TimeoutError:
            raise _unclear(session, "its hook did not say whether it took the answer") from None
        if not is_printed:
            raise _unclear(session, "its hook has ended, and the answer was not taken")

    async def _answer_natively(self, session: Session, one: OpenQuestion, reply: Reply) -> None:
        channel = await self._natives.of(session)
        if channel is None:
            raise _unclear(session, "its API is not there any more, and the answer was not given")
        try:
            is_taken = await channel.reply(one.question.agents_id, reply)
        except ChannelLost as lost:
            raise _unclear(session, f"its API did not say whether it took the answer ({lost})") from lost
        if not is_taken:
            raise HarkError("question-ended", f"{session.name} does not ask that any more", "`hark questions` tells")


def _unclear(session: Session, what: str) -> HarkError:
    hint = f"look at the dialog before you answer again: `hark attach {session.name}`"
    return HarkError("answer-unclear", f"{session.name}: {what}", hint)
