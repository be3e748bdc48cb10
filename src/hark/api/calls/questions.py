"""Calls about what agents ask their humans."""

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request as HttpRequest

from hark.api.route import Call, Query, query_number
from hark.api.service import service_of
from hark.api.shapes.foundation import Request, Response
from hark.api.shapes.questions import QuestionInfo, question_info
from hark.daemon.service import Service
from hark.model.question import Question
from hark.model.session import Session

SOMEBODY = "somebody"
"""The name on record of whoever has answered and has not said who they are."""


class QuestionList(Response, frozen=True, kw_only=True):
    questions: list[QuestionInfo]


class AnswerQuestion(Request, frozen=True, kw_only=True):
    answers: Annotated[list[str], Meta(min_length=1, max_length=20)]
    """`allow` or `deny` for a permission; for a choice one answer for each part, each an option or a text, or `deny`."""
    message: str = ""
    """What the agent is told beside a `deny`."""
    answered_as: Annotated[str, Meta(max_length=64)] = ""
    """Who answers, for the record."""


def open_questions(hark: Service, session: Session) -> list[QuestionInfo]:
    """Describe what the session's agent asks now."""
    asked = hark.questions.open(session.id)
    return [question_info(one.question, session, hark.answering.ability(one)) for one in asked]


async def list_questions(request: HttpRequest, _: None) -> QuestionList:
    hark, wanted = service_of(request), request.query_params.get("session")
    session_id = hark.sessions.find(wanted).id if wanted else None
    if request.query_params.get("all") in ("1", "true"):
        limit = int(query_number(request, "limit", 50, 1, 10_000))
        return QuestionList(questions=[_info(request, one) for one in await hark.record.questions(session_id, limit)])
    return QuestionList(questions=[_info(request, one.question) for one in hark.questions.open(session_id)])


async def answer_question(request: HttpRequest, body: AnswerQuestion) -> QuestionInfo:
    hark = service_of(request)
    who = body.answered_as or SOMEBODY
    return _info(request, await hark.answering.answer(request.path_params["question"], body.answers, body.message, who))


def _info(request: HttpRequest, question: Question) -> QuestionInfo:
    hark = service_of(request)
    session: Session | None = hark.sessions.known(question.session_id)
    open_now = [one for one in hark.questions.open(question.session_id) if one.question.id == question.id]
    return question_info(question, session, hark.answering.ability(open_now[0]) if open_now else None)


CALLS = (
    Call(
        method="GET",
        path="/questions",
        summary="List what agents ask their humans now; with all=1 also the newest questions that have ended. Oldest first.",
        handler=list_questions,
        response=QuestionList,
        queries=(
            Query("session", "name or id of a session; all sessions without it", {"type": "string"}),
            Query("all", "1 also lists questions that have ended", {"type": "string"}),
            Query("limit", "how many, with all=1", {"type": "integer", "minimum": 1, "maximum": 10000}),
        ),
        errors=("session-not-found", "session-ambiguous"),
    ),
    Call(
        method="POST",
        path="/questions/{question}/answer",
        summary="Answer a question by the agent's own hook or API, never by keys. Off unless the setting `answers` is on.",
        handler=answer_question,
        body=AnswerQuestion,
        response=QuestionInfo,
        errors=(
            "question-not-found",
            "question-ambiguous",
            "question-ended",
            "answer-invalid",
            "answers-off",
            "not-answerable",
            "answer-unclear",
            "not-permitted",
        ),
    ),
)
