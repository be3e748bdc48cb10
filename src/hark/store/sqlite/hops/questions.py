"""Writes and reads questions inside a transaction."""

from collections.abc import Sequence
from datetime import datetime

from hark.model.event import Event
from hark.model.ids import QuestionId, SessionId
from hark.model.question import Ending, Question
from hark.store import rules
from hark.store.sqlite.hops.sessions import find_session
from hark.store.sqlite.rows import QUESTIONS
from hark.store.sqlite.transaction import Transaction


def add_question(transaction: Transaction, question: Question, event: Event) -> None:
    find_session(transaction, question.session_id)
    transaction.run("insert-question", QUESTIONS.to_row(question))
    transaction.record(event)


def end_question(
    transaction: Transaction, question_id: QuestionId, at: datetime, ending: Ending, event: Event | None
) -> Question:
    return _write(transaction, rules.ended(find_question(transaction, question_id), at, ending), event)


def correct_question(transaction: Transaction, question_id: QuestionId, ending: Ending, event: Event) -> Question:
    return _write(transaction, rules.corrected(find_question(transaction, question_id), ending), event)


def find_question(transaction: Transaction, question_id: QuestionId) -> Question:
    row = transaction.one("find-question", question_id=question_id)
    if row is None:
        raise rules.no_question(question_id)
    return QUESTIONS.from_row(row)


def list_open_questions(transaction: Transaction) -> Sequence[Question]:
    return [QUESTIONS.from_row(row) for row in transaction.all("list-open-questions")]


def list_questions(transaction: Transaction, session_id: SessionId | None, limit: int) -> Sequence[Question]:
    found = (
        transaction.all("list-questions", limit=limit)
        if session_id is None
        else transaction.all("list-questions-of-session", session_id=session_id, limit=limit)
    )
    return [QUESTIONS.from_row(row) for row in reversed(found)]


def _write(transaction: Transaction, question: Question, event: Event | None) -> Question:
    row = QUESTIONS.to_row(question)
    wanted = ("id", "ended_at", "how_ended", "answer", "answered_by", "answered_as")
    transaction.run("end-question", {name: row[name] for name in wanted})
    if event:
        transaction.record(event)
    return question
