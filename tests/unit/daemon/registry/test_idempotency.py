"""Requests with the same key start one agent: at the same time, afterwards, after a failure, and after the daemon has died."""

from __future__ import annotations

import asyncio

import pytest
from msgspec import Struct

from hark.daemon.registry.idempotency import Once, Repeats
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from tests.integration.contract.samples import refused
from tests.unit.daemon.faulty import Parts, make_session


class Body(Struct, frozen=True):
    name: str


class Made(Struct, frozen=True):
    id: str


class Starts:
    """Starts sessions, and counts them."""

    def __init__(self, parts: Parts, failure: HarkError | None = None) -> None:
        self.parts = parts
        self.failure = failure
        self.ids: list[str] = []

    async def make(self, session_id: SessionId) -> Made:
        await asyncio.sleep(0)
        self.ids.append(session_id)
        if self.failure:
            raise self.failure
        return Made(session_id)


def once(name: str = "a", key: str = "k", call: str = "sessions") -> Once[Made]:
    return Once(call=call, key=key, body=Body(name), answer=Made)


def repeats(parts: Parts) -> Repeats:
    return Repeats(parts.store, parts.sessions, parts.clocks.wall)


async def test_many_requests_at_once_start_one_agent_and_get_one_answer() -> None:
    async with Parts() as parts:
        starts, started = Starts(parts), repeats(parts)

        answers = await asyncio.gather(*(started.run(once(), starts.make) for _ in range(5)))

        assert len(starts.ids) == 1
        assert set(answers) == {Made(starts.ids[0])}


async def test_the_next_daemon_gives_the_same_answer_for_a_week() -> None:
    async with Parts() as parts:
        starts = Starts(parts)
        first = await repeats(parts).run(once(), starts.make)

        again = await repeats(parts).run(once(), starts.make)
        parts.clocks.real_s = 8 * 86400
        late = await repeats(parts).run(once(), starts.make)

        assert first == again
        assert late != first


async def test_a_daemon_that_died_in_between_goes_on_with_the_same_session() -> None:
    async with Parts() as parts:
        starts = Starts(parts)

        async def die(session_id: SessionId) -> Made:
            starts.ids.append(session_id)
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await repeats(parts).run(once(), die)

        made = await repeats(parts).run(once(), starts.make)

        assert starts.ids == [made.id, made.id]


async def test_a_start_that_failed_before_its_session_was_there_may_be_tried_again() -> None:
    async with Parts() as parts:
        failing = Starts(parts, HarkError("tmux-missing", "no tmux"))
        with refused("tmux-missing"):
            await repeats(parts).run(once(), failing.make)

        made = await repeats(parts).run(once(), Starts(parts).make)

        assert made.id not in failing.ids


async def test_a_start_that_failed_after_its_session_was_there_goes_on_with_that_session() -> None:
    async with Parts() as parts:
        starts = Starts(parts)

        async def fail_late(session_id: SessionId) -> Made:
            await parts.add(make_session(session_id))
            starts.ids.append(session_id)
            raise HarkError("tmux-failed", "no answer")

        with refused("tmux-failed"):
            await repeats(parts).run(once(), fail_late)

        made = await repeats(parts).run(once(), starts.make)

        assert starts.ids == [made.id, made.id]


async def test_a_key_belongs_to_one_request() -> None:
    async with Parts() as parts:
        await repeats(parts).run(once(), Starts(parts).make)

        for other in (once(name="b"), once(call="spawn")):
            with refused("idempotency-conflict"):
                await repeats(parts).run(other, Starts(parts).make)
