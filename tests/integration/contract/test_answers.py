"""Answers are stored together with the step that completes their message."""

from hark.model.answer import Answer, AnswerSource
from hark.model.event import EventKind
from hark.model.ids import MessageId
from hark.model.message import Message, Status
from hark.queue.lifecycle import LONGEST_IN_EVENT
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    BEN,
    NOW,
    add,
    enqueue,
    later,
    make_message,
    make_session,
    make_step,
    refused,
    walk,
)

HOSTILE = "漢字 \x1b]52;c;QUFB\x07 \x00 'quoted' -- % _\n\ttab"


def make_answer(message_id: str, text: str = HOSTILE, **fields: object) -> Answer:
    known: dict[str, object] = {"source": AnswerSource.RECORD, "at": NOW}
    return Answer(message_id=MessageId(message_id), text=text, **(known | fields))  # type: ignore[arg-type]


async def complete(store: Store, message: Message, answer: Answer | None) -> None:
    await walk(store, message, Status.STAGED, Status.SUBMITTED)
    await store.move(message.id, make_step(Status.COMPLETED, answer=answer))


async def test_an_answer_comes_back_with_every_field(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    answer = make_answer("m1", is_cut=True, reason="cut", source=AnswerSource.SCREEN, at=later(3))

    assert await store.answer(message.id) is None
    await complete(store, message, answer)

    assert await store.answer(message.id) == answer


async def test_the_event_of_the_end_has_the_beginning_of_the_answer(store: Store) -> None:
    await add(store, make_session(ANA))
    short, long = await enqueue(store, make_message("m1"), make_message("m2"))

    await complete(store, short, make_answer("m1", "yes"))
    await complete(store, long, make_answer("m2", "x" * 300_000))

    ends = [e for e in await store.events() if e.kind is EventKind.MESSAGE and e.data["status"] == "completed"]
    assert ends[0].data["answer"] == {"source": "record", "text": "yes", "is_whole": True, "reason": ""}
    assert (len(ends[1].data["answer"]["text"]), ends[1].data["answer"]["is_whole"]) == (LONGEST_IN_EVENT, False)


async def test_an_answer_is_not_stored_without_its_step(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))

    with refused("transition-illegal"):
        await store.move(message.id, make_step(Status.COMPLETED, answer=make_answer("m1")))

    assert await store.answer(message.id) is None


async def test_a_message_that_completes_again_has_its_newest_answer(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    await complete(store, message, make_answer("m1", "the first time"))
    await walk(store, message, Status.QUEUED)

    await complete(store, message, make_answer("m1", "the second time"))

    answer = await store.answer(message.id)
    assert answer is not None
    assert answer.text == "the second time"


async def test_the_last_answer_of_a_session_is_that_of_its_newest_answered_message(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    first, second, third, other = await enqueue(
        store, make_message("m1"), make_message("m2"), make_message("m3"), make_message("m4", BEN)
    )
    assert await store.last_answer(ANA) is None

    await complete(store, second, make_answer("m2", "of the second"))
    await complete(store, first, make_answer("m1", "of the first"))
    await complete(store, third, None)
    await complete(store, other, make_answer("m4", "of another session"))

    answer = await store.last_answer(ANA)
    assert answer is not None
    assert answer.text == "of the second"


async def test_an_answer_goes_with_its_message(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    await complete(store, message, make_answer("m1"))

    await store.forget_messages(later(50))

    assert await store.answer(message.id) is None
    assert await store.last_answer(ANA) is None


async def test_the_last_words_of_sessions_are_the_beginnings_of_their_last_answers(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    for number, text in enumerate(("first words", "last words of all", "")):
        (message,) = await enqueue(store, make_message(f"m{number}"))
        if text:
            await complete(store, message, make_answer(message.id, text))

    assert await store.last_words([ANA, BEN], 10) == {ANA: "last words"}
    assert await store.last_words([], 10) == {}
