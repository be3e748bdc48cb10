"""Whose a hook report is, and what of it reaches the session's turns."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.agents.decoders import decode
from hark.agents.kinds import load_kinds
from hark.daemon.delivering.handover import Handovers, Offer
from hark.daemon.doors.hook_reports import HookCall, HookOrigin, Hooks
from hark.daemon.hearing.answers import Answers
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.questions.book import Questions
from hark.model.errors import HarkError
from hark.model.heard import Heard, Said
from hark.model.ids import SessionId
from hark.queue.turns import Phase
from tests.unit.daemon.faulty import T0, Parts, at, make_session

KINDS = load_kinds()
PROMPT = "[Input from: ci via hark send · 0123456789ab]\nhello"


class Stage:
    """The taker of reports, and what others hear from it."""

    def __init__(self, parts: Parts) -> None:
        self.heard: list[tuple[str, Heard]] = []
        self.offers: list[Offer] = []
        self.settled: list[bool] = []
        self.pause = asyncio.Event()
        self.pause.set()
        turns = SimpleNamespace(of=lambda _: SimpleNamespace(phase=Phase.IDLE), expected=self.expected, hear=self.hear)
        handovers = SimpleNamespace(judge=self.judge, offer=self.offer, settle=self.settle)
        witnesses = SimpleNamespace(learn_transcript=lambda *_: None, note_record=lambda *_: None)
        self.hooks = Hooks(
            replace(parts.core, kinds=KINDS),
            cast(TurnBook, turns),
            cast(Handovers, handovers),
            cast(Witnesses, witnesses),
            cast(Answers, SimpleNamespace(note=lambda *_: None)),
            Questions(parts.core),
        )

    async def expected(self, session_id: str, ids: Any) -> tuple[Any, ...]:
        return tuple(ids)

    async def hear(self, session_id: str, heard: Heard) -> None:
        await self.pause.wait()
        self.heard.append((session_id, heard))

    async def judge(self, *_: object) -> None: ...

    async def offer(self, *_: object) -> Offer | None:
        return self.offers.pop() if self.offers else None

    async def settle(self, offer: Offer, *, is_printed: bool) -> None:
        self.settled.append(is_printed)

    async def take(
        self, event: str = "stopped", origin: HookOrigin | None = None, agent: str = "demo", **payload: Any
    ) -> Any:
        return await self.hooks.take(agent, event, origin or HookOrigin("a", None, None), at(-1), payload)


def said(stage: Stage) -> list[tuple[str, Said]]:
    return [(session_id, heard.said) for session_id, heard in stage.heard]


async def test_a_report_reaches_the_session_that_it_names_with_the_ids_of_its_prompt() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("b"))
        stage = Stage(parts)

        assert await stage.take("prompt-submitted", prompt=PROMPT) == "a"

        ((session_id, heard),) = stage.heard
        assert (session_id, heard.said, heard.message_ids) == ("a", Said.PROMPT_SUBMITTED, ("0123456789ab",))
        assert heard.at == at(-1)


async def test_a_report_without_a_session_belongs_to_the_pane_that_it_comes_from() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("b"))
        stage = Stage(parts)

        assert await stage.take(origin=HookOrigin(None, "/server of b", "%1")) == "b"
        assert await stage.take(origin=HookOrigin(None, "/server of c", "%1")) is None
        assert await stage.take(origin=HookOrigin(None, None, None)) is None


async def test_a_report_of_nobody_we_know_is_counted_and_dropped() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        stage = Stage(parts)

        for number in range(5):
            assert await stage.take(origin=HookOrigin("nobody", None, None), agent=f"agent {number}") is None

        assert stage.heard == []
        assert [key[0] for key in stage.hooks.counts] == ["unknown"]


async def test_the_report_of_another_agent_in_the_pane_does_not_count() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        stage = Stage(parts)

        assert await stage.take("Stop", agent="claude") is None
        assert stage.heard == []


async def test_a_clock_of_the_future_is_not_believed() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        stage = Stage(parts)

        await stage.hooks.take("demo", "stopped", HookOrigin("a", None, None), at(1000), {})

        assert stage.heard[0][1].at == T0


async def test_reports_of_a_session_are_taken_in_one_after_the_other() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        stage = Stage(parts)
        stage.pause.clear()
        first = asyncio.ensure_future(stage.take("prompt-submitted", prompt="x"))
        second = asyncio.ensure_future(stage.take("stopped"))
        await asyncio.sleep(0)

        stage.pause.set()
        await asyncio.gather(first, second)

        assert said(stage) == [("a", Said.PROMPT_SUBMITTED), ("a", Said.STOPPED)]


@pytest.mark.parametrize(("is_printed", "heard"), [(True, Said.CONTINUED), (False, Said.STOPPED)])
async def test_a_stop_that_the_hook_refuses_is_no_stop(is_printed: bool, heard: Said) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        stage = Stage(parts)
        report = decode("demo", "stopped", {})
        stage.offers = [
            cast(Offer, SimpleNamespace(answer=b"go on", heard=Heard(said=Said.STOPPED, at=T0), session_id="a"))
        ]
        printed: list[bytes] = []

        async def hand(answer: bytes) -> bool:
            printed.append(answer)
            return is_printed

        await stage.hooks.take_in(parts.sessions.get(SessionId("a")), HookCall("demo", "stopped", T0, report), hand)

        assert (printed, stage.settled) == ([b"go on"], [is_printed])
        assert said(stage) == [("a", heard)]


async def test_a_report_counts_even_if_it_cannot_be_recorded() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        stage = Stage(parts)
        parts.store.fault("add_event", lambda _: True, HarkError("disk-full", "no room"))

        await stage.take()

        assert said(stage) == [("a", Said.STOPPED)]
