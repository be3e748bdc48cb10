"""Calls about answers: what an agent said at the end of the turn in which it worked on a message."""

from datetime import datetime

from starlette.requests import Request as HttpRequest

from hark.api.route import Call
from hark.api.service import service_of, session_of
from hark.api.shapes.foundation import Response
from hark.api.shapes.messages import AnswerInfo, answer_info
from hark.model.errors import HarkError


class LastAnswer(Response, frozen=True, kw_only=True):
    message_id: str
    session_id: str
    session_name: str
    text: str
    """The text of the message that was answered."""
    completed_at: datetime | None
    answer: AnswerInfo


async def last_answer(request: HttpRequest, _: None) -> LastAnswer:
    session, record = session_of(request), service_of(request).record
    answer = await record.last_answer(session.id)
    if answer is None:
        detail = f"no message to {session.name} has been completed with an answer yet"
        raise HarkError("answer-not-found", detail, f"`hark ask {session.name} TEXT` asks and waits for the answer")
    message = await record.message(answer.message_id)
    return LastAnswer(
        message_id=message.id,
        session_id=session.id,
        session_name=session.name,
        text=message.text,
        completed_at=message.completed_at,
        answer=answer_info(answer),
    )


CALLS = (
    Call(
        method="GET",
        path="/sessions/{session:path}/last-answer",
        summary="Return the answer to the newest message of a session that has one.",
        handler=last_answer,
        response=LastAnswer,
        errors=("session-not-found", "session-ambiguous", "answer-not-found"),
    ),
)
