"""When an agent has ended, the messages that it had are ended too, and no others."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from msgspec import structs

from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.registry.dead_ends import ENDED, LET_GO, DeadEnds
from hark.model.ids import MessageId
from hark.model.message import Status
from hark.model.session import SessionState
from tests.integration.contract.samples import walk
from tests.unit.daemon.faulty import T0, Parts, make_session, until


class SettledTurns:
    """Remembers whose turns were written down before their messages ended."""

    def __init__(self) -> None:
        self.settled: list[str] = []

    async def settle(self, session_id: str) -> None:
        self.settled.append(session_id)


async def run_until_ended(parts: Parts, turns: SettledTurns, name: str) -> None:
    running = asyncio.ensure_future(DeadEnds(parts.core, cast(TurnBook, turns)).run())
    messages: dict[Any, Any] = parts.store._messages
    await until(
        lambda: any(one.id == name and one.status is Status.FAILED for one in messages.values()) or running.done()
    )
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize(("is_adopted", "detail"), [(False, ENDED), (True, LET_GO)])
async def test_what_an_agent_had_when_it_ended_is_failed(is_adopted: bool, detail: str) -> None:
    async with Parts() as parts:
        gone = make_session("a", SessionState.GONE, T0)
        await parts.add(structs.replace(gone, is_adopted=is_adopted))
        for name in ("waiting", "given"):
            await parts.enqueue(name, "a")
        await walk(parts.store, await parts.store.message(MessageId("given")), Status.STAGED, Status.SUBMITTED)
        turns = SettledTurns()

        await run_until_ended(parts, turns, "given")

        waiting, given = [await parts.store.message(MessageId(name)) for name in ("waiting", "given")]
        assert (waiting.status, given.status) == (Status.QUEUED, Status.FAILED)
        assert (await parts.store.receipts(given.id))[-1].detail == detail
        assert turns.settled == ["a"]


async def test_a_message_of_a_running_agent_is_left_alone() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("b", SessionState.GONE, T0))
        for name, session in (("mine", "a"), ("lost", "b")):
            await parts.enqueue(name, session)
            await walk(parts.store, await parts.store.message(MessageId(name)), Status.STAGED, Status.SUBMITTED)

        await run_until_ended(parts, SettledTurns(), "lost")

        assert (await parts.store.message(MessageId("mine"))).status is Status.SUBMITTED
