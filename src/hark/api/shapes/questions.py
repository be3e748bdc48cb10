"""The structs of the calls about what agents ask."""

from datetime import datetime

from hark.api.shapes.foundation import Response
from hark.model.question import Answerable, AnsweredBy, Question, QuestionEnd, QuestionKind
from hark.model.session import Session


class QuestionPartInfo(Response, frozen=True, kw_only=True):
    text: str
    options: list[str]
    is_multiple: bool
    allows_text: bool
    """True if an answer may be a text that is not one of the options."""


class QuestionInfo(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    session_name: str
    agent: str
    kind: QuestionKind
    """`permission` if the agent asks whether it may do something, `choice` if it asks something else."""
    tool: str
    text: str
    """The exact command, or what else is to be done, or the question."""
    is_command: bool
    """True if `text` is the whole command line of a shell, as the agent would run it."""
    is_cut: bool
    """True if hark does not have all that the agent asks for."""
    detail: str
    """Why the agent asks, in its own words."""
    directory: str
    parts: list[QuestionPartInfo]
    """What is asked in a choice, in order; each part wants one answer."""
    asked_at: datetime
    answers: list[str]
    """The answers that hark can carry to the agent; empty if it can carry none."""
    answered_through: str
    """How hark would carry the answer: `native` (the agent's own API) or `hook`; empty if it can carry none."""
    cannot_answer: str
    """Why hark can carry no answer; empty if it can, or if the question has ended."""
    ended_at: datetime | None
    end: QuestionEnd | None
    answer: str
    answered_by: AnsweredBy | None
    answered_as: str
    """Who gave the answer that hark carried."""


def question_info(question: Question, session: Session | None, ability: Answerable | None) -> QuestionInfo:
    """Describe a question. `session` is None if the session is not on record any more; `ability` is None if the question has ended."""
    answers = list(ability.answers) if ability else []
    parts = [
        QuestionPartInfo(
            text=part.text, options=list(part.options), is_multiple=part.is_multiple, allows_text=part.allows_text
        )
        for part in question.parts
    ]
    return QuestionInfo(
        id=question.id,
        session_id=question.session_id,
        session_name=session.name if session else "",
        agent=session.agent if session else "",
        kind=question.kind,
        tool=question.tool,
        text=question.text,
        is_command=question.is_command,
        is_cut=question.is_cut,
        detail=question.detail,
        directory=question.directory,
        parts=parts,
        asked_at=question.asked_at,
        answers=answers,
        answered_through=str(question.channel) if answers else "",
        cannot_answer=ability.reason if ability else "",
        ended_at=question.ended_at,
        end=question.end,
        answer=question.answer,
        answered_by=question.answered_by,
        answered_as=question.answered_as,
    )
