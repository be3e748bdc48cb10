"""What agents ask is stored with its event; it ends once, and may be corrected."""

from datetime import datetime
from typing import Any

from hark.model.event import EventKind
from hark.model.ids import QuestionId, SessionId
from hark.model.question import AnsweredBy, Ending, Question, QuestionEnd, QuestionKind, QuestionPart
from hark.store.contract import Store
from tests.integration.contract.samples import ANA, BEN, NOW, add, later, make_event, make_session, refused

ALLOWED = Ending(end=QuestionEnd.ANSWERED, answer="allow", answered_by=AnsweredBy.HARK, answered_as="ana")
DENIED = Ending(end=QuestionEnd.ANSWERED, answer="deny", answered_by=AnsweredBy.TERMINAL)


def make_question(question_id: str, session_id: SessionId = ANA, at: datetime = NOW, **fields: Any) -> Question:
    known: dict[str, Any] = {"kind": QuestionKind.PERMISSION, "text": "touch x", "is_command": True}
    return Question(id=QuestionId(question_id), session_id=session_id, asked_at=at, **(known | fields))


def event(kind: EventKind = EventKind.QUESTION_ASKED) -> Any:
    return make_event(kind=kind, session_id=ANA)


async def test_a_question_is_kept_as_it_was_asked(store: Store) -> None:
    await add(store, make_session(ANA))
    parts = (
        QuestionPart(
            text="Which colour?", name="c", options=("Blue", "Grün, 漢字"), is_multiple=True, allows_text=False
        ),
    )
    asked = make_question("q1", kind=QuestionKind.CHOICE, parts=parts, agents_id="7", detail="why", directory="/srv")

    await store.add_question(asked, event())

    assert await store.question(QuestionId("q1")) == asked
    assert await store.open_questions() == [asked]
    assert [one.kind for one in await store.events()][-1] is EventKind.QUESTION_ASKED


async def test_a_question_of_nobody_is_refused(store: Store) -> None:
    await store.open()

    with refused("session-not-found"):
        await store.add_question(make_question("q1"), event())

    assert await store.open_questions() == []
    assert await store.events() == []


async def test_a_question_ends_once(store: Store) -> None:
    await add(store, make_session(ANA))
    await store.add_question(make_question("q1"), event())

    ended = await store.end_question(QuestionId("q1"), later(5), ALLOWED, event(EventKind.QUESTION_ENDED))

    assert (ended.end, ended.answer, ended.answered_by, ended.answered_as) == ("answered", "allow", "hark", "ana")
    assert ended.ended_at == later(5)
    assert await store.question(QuestionId("q1")) == ended
    assert await store.open_questions() == []
    with refused("question-ended"):
        await store.end_question(QuestionId("q1"), later(6), DENIED, event(EventKind.QUESTION_ENDED))
    assert await store.question(QuestionId("q1")) == ended
    assert [one.kind for one in await store.events()].count(EventKind.QUESTION_ENDED) == 1


async def test_what_was_written_down_about_an_end_can_be_corrected(store: Store) -> None:
    await add(store, make_session(ANA))
    await store.add_question(make_question("q1"), event())
    await store.end_question(QuestionId("q1"), later(5), ALLOWED)

    corrected = await store.correct_question(QuestionId("q1"), DENIED, event(EventKind.QUESTION_ENDED))

    assert (corrected.answer, corrected.answered_by, corrected.answered_as) == ("deny", "terminal", "")
    assert corrected.ended_at == later(5)
    assert await store.question(QuestionId("q1")) == corrected


async def test_a_question_that_nobody_has_asked_is_not_found(store: Store) -> None:
    await add(store, make_session(ANA))

    with refused("question-not-found"):
        await store.question(QuestionId("none"))
    with refused("question-not-found"):
        await store.end_question(QuestionId("none"), NOW, DENIED)
    with refused("question-not-found"):
        await store.correct_question(QuestionId("none"), DENIED, event())


async def test_the_newest_questions_are_listed_of_one_session_or_of_all_oldest_first(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    for number, session_id in enumerate((ANA, BEN, ANA, ANA)):
        await store.add_question(make_question(f"q{number}", session_id, later(number)), event())

    assert [one.id for one in await store.questions(ANA, limit=2)] == ["q2", "q3"]
    assert [one.id for one in await store.questions()] == ["q0", "q1", "q2", "q3"]
    assert [one.id for one in await store.open_questions()] == ["q0", "q1", "q2", "q3"]


async def test_questions_go_with_their_session(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    await store.add_question(make_question("q1", ANA), event())
    await store.add_question(make_question("q2", BEN), event())

    await store.remove_session(ANA)

    assert [one.id for one in await store.questions()] == ["q2"]


async def test_questions_that_ended_long_ago_are_forgotten_and_open_ones_are_kept(store: Store) -> None:
    await add(store, make_session(ANA))
    for name in ("old", "new", "open"):
        await store.add_question(make_question(name), event())
    await store.end_question(QuestionId("old"), later(1), ALLOWED)
    await store.end_question(QuestionId("new"), later(50), ALLOWED)

    await store.forget_messages(later(20))

    assert [one.id for one in await store.questions()] == ["new", "open"]
