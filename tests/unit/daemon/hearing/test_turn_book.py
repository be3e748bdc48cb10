"""What a daemon writes down about messages when it hears of turns."""

from __future__ import annotations

from datetime import datetime

from hark.daemon.hearing.turn_book import TurnBook, TurnListeners
from hark.model.answer import Answer, no_answer
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Status
from hark.queue.lifecycle import Step
from hark.queue.turns import Completed, Phase
from tests.unit.daemon.faulty import T0, Parts, at, make_session

OLD, RUNNING = MessageId("old"), MessageId("running")
TAKEN = (Status.STAGED, Status.SUBMITTED, Status.ACKNOWLEDGED)


def turn_book(parts: Parts) -> TurnBook:
    listeners = TurnListeners(on_heard=nobody_listens, on_seen=nobody_looks, find_answer=answers_nothing)
    return TurnBook(parts.core, listeners)


async def nobody_listens(session_id: SessionId, heard: Heard) -> None:
    pass


async def nobody_looks(session_id: SessionId, phase: Phase, since: datetime) -> None:
    pass


async def answers_nothing(message: Message, fact: Completed) -> Answer:
    return no_answer(message.id, T0, "nobody speaks here")


async def test_the_end_of_an_older_turn_that_is_told_again_ends_no_other_turn() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        for name in (OLD, RUNNING):
            await parts.enqueue(name, "a")
            for status in (*TAKEN, Status.COMPLETED) if name == OLD else TAKEN:
                await parts.store.move(name, Step(status=status, at=T0))
        turns = turn_book(parts)
        await turns.load()
        parts.clocks.real_s = 60

        # The first look of a new daemon at the agent's record tells of all turns that are in view.
        for heard in (
            Heard(said=Said.PROMPT_SUBMITTED, at=at(50), message_ids=(OLD,)),
            Heard(said=Said.STOPPED, at=at(51), message_ids=(OLD,)),
            Heard(said=Said.PROMPT_SUBMITTED, at=at(52), message_ids=(RUNNING,)),
        ):
            await turns.hear(SessionId("a"), heard)

        assert (await parts.store.message(RUNNING)).status is Status.ACKNOWLEDGED

        await turns.hear(SessionId("a"), Heard(said=Said.STOPPED, at=at(55), message_ids=(RUNNING,)))
        assert (await parts.store.message(RUNNING)).status is Status.COMPLETED
