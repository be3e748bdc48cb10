"""Waits for agents end when the goal is reached, when the time is over, and when the session is gone."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.waits import Waits
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import Status
from hark.model.session import Session, SessionState
from hark.queue.turns import Phase
from tests.integration.contract.samples import refused, walk
from tests.unit.daemon.faulty import T0, Parts, make_session

LONG_S, SHORT_S = 60.0, 0.01


class Turns:
    """The phases of agents, as a test sets them."""

    def __init__(self) -> None:
        self.phases: dict[str, Phase] = {}
        self.working: set[str] = set()

    def of(self, session_id: str) -> Any:
        phase = self.phases.get(session_id, Phase.UNKNOWN)
        return SimpleNamespace(phase=phase, has_work=session_id in self.working)

    async def wait_written(self, session_id: str) -> None: ...


async def stage(parts: Parts, *names: str) -> tuple[Waits, Turns, list[Session]]:
    await parts.add(*(make_session(name) for name in names))
    turns = Turns()
    return Waits(parts.core, cast(TurnBook, turns)), turns, [parts.sessions.get(SessionId(name)) for name in names]


async def say(parts: Parts, kind: EventKind, session: str, **data: Any) -> None:
    await parts.store.add_event(Event(at=T0, kind=kind, session_id=SessionId(session), data=data))


async def test_a_goal_that_is_reached_already_needs_no_event() -> None:
    async with Parts() as parts:
        waits, turns, sessions = await stage(parts, "a")
        turns.phases["a"] = Phase.IDLE

        assert await waits.until(sessions, "idle", LONG_S) == sessions


async def test_all_agents_must_be_there_unless_one_is_enough() -> None:
    async with Parts() as parts:
        waits, turns, sessions = await stage(parts, "a", "b")
        turns.phases |= {"a": Phase.BUSY, "b": Phase.IDLE}

        assert await waits.until(sessions, "idle", LONG_S, is_any=True) == sessions[1:]
        with refused("wait-timeout"):
            await waits.until(sessions, "idle", SHORT_S)


async def test_an_agent_with_a_message_on_its_way_is_not_idle() -> None:
    async with Parts() as parts:
        waits, turns, sessions = await stage(parts, "a")
        turns.phases["a"] = Phase.IDLE
        await parts.enqueue("m1", "a")

        with refused("wait-timeout"):
            await waits.until(sessions, "idle", SHORT_S)


async def test_a_wait_goes_on_with_every_event() -> None:
    async with Parts() as parts:
        waits, turns, sessions = await stage(parts, "a")
        waiting = asyncio.ensure_future(waits.until(sessions, "busy", LONG_S))
        await asyncio.sleep(0)
        turns.phases["a"] = Phase.BUSY

        await say(parts, EventKind.HOOK, "a")

        assert await waiting == sessions


async def test_completed_means_that_every_message_is_done() -> None:
    async with Parts() as parts:
        waits, _, sessions = await stage(parts, "a")
        message = await parts.enqueue("m1", "a")
        waiting = asyncio.ensure_future(waits.until(sessions, "completed", LONG_S))
        await asyncio.sleep(0)
        assert not waiting.done()

        await walk(parts.store, message, Status.STAGED, Status.SUBMITTED, Status.ACKNOWLEDGED, Status.COMPLETED)

        assert await waiting == sessions
        assert (await parts.store.message(MessageId("m1"))).status is Status.COMPLETED


async def test_a_signal_counts_if_it_is_announced_after_the_given_event() -> None:
    async with Parts() as parts:
        waits, _, sessions = await stage(parts, "a")
        await say(parts, EventKind.SIGNAL, "a", state="needs_input")
        after = await parts.store.last_event_seq()

        assert await waits.until(sessions, "signal:needs_input", LONG_S, after=after - 1) == sessions
        with refused("wait-timeout"):
            await waits.until(sessions, "signal:needs_input", SHORT_S, after=after)
        with refused("wait-timeout"):
            await waits.until(sessions, "signal:error", SHORT_S, after=after - 1)


async def test_an_agent_that_is_gone_ends_the_wait() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a", SessionState.GONE, T0))
        waits, _, _ = await stage(parts)

        with refused("session-not-found"):
            await waits.until([parts.sessions.get(SessionId("a"))], "idle", LONG_S)


@pytest.mark.parametrize("goal", ["", "done", "signal:", "signal:idle", "IDLE"])
async def test_a_word_that_is_no_goal_is_refused(goal: str) -> None:
    async with Parts() as parts:
        waits, _, sessions = await stage(parts, "a")

        with refused("request-invalid"):
            await waits.until(sessions, goal, LONG_S)
