"""The view of a session on which its courier decides: what is on record, and the facts that are asked for."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.agents.native.channel import ChannelLost
from hark.daemon.delivering.carriers import Carriers
from hark.daemon.delivering.equipment import Equipment
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.session.fact_finding import FactFinding, limits_of
from hark.delivery.next_step import API_AWAY
from hark.delivery.session_view import Conversation, Fact, HookView, Memory, SessionView
from hark.model.ids import SessionId
from hark.model.message import Message
from hark.model.session import SessionState
from hark.queue.turns import Phase
from tests.unit.daemon.faulty import T0, Parts, make_session
from tests.unit.delivery.screens import KINDS

A = SessionId("a")


class Stage:
    def __init__(self, parts: Parts, *, channel: object = None) -> None:
        async def of(_: object) -> object:
            return channel

        async def is_in_transcript(_: object, message: Message) -> bool:
            return message.id == "m1"

        self.hooks = HookView(phase=Phase.BUSY, has_waiter=True)
        self.beginning: list[Any] = []
        nothing: Any = None
        equipment = Equipment(
            store=parts.store,
            outbox=parts.outbox,
            sessions=parts.sessions,
            live=parts.live,
            panes=nothing,
            kinds=KINDS,
            config=parts.config,
            clock=parts.clocks.wall,
            owner="us",
            texts=Path("/nowhere"),
            editors=nothing,
            turns=cast(Any, SimpleNamespace(beginning=lambda _: self.beginning)),
            natives=cast(Any, SimpleNamespace(of=of)),
            handovers=cast(Any, SimpleNamespace(view=lambda _: self.hooks, is_in_transcript=is_in_transcript)),
        )
        ledger = Ledger(A, parts.store, parts.outbox, parts.clocks.wall)
        self.finding = FactFinding(A, equipment, ledger, cast(Carriers, nothing))

    async def look(self) -> SessionView:
        return await self.finding.look(Memory())

    async def find(self, fact: Fact) -> Any:
        return getattr((await self.finding.find(fact, await self.look())).facts, fact)


async def test_a_session_without_work_has_nothing_to_decide() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))

        view = await Stage(parts).look()

        assert (view.message, view.draft, view.is_gone, view.now) == (None, None, False, T0)


async def test_the_first_message_and_the_traits_of_the_agent_are_in_view() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        for name in ("m1", "m2"):
            await parts.enqueue(name, "a")

        view = await Stage(parts).look()

        assert [message.id for message in view.waiting] == ["m1"]
        assert view.agent.is_typed_when_idle == KINDS.get("demo").idle_only
        assert view.hooks.phase is Phase.BUSY


async def test_of_a_gone_session_all_messages_are_in_view_but_those_of_its_inbox() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a", SessionState.GONE, T0))
        await parts.enqueue("m1", "a")
        await parts.enqueue("m2", "a", is_inbox=True)

        view = await Stage(parts).look()

        assert view.is_gone
        assert [message.id for message in view.waiting] == ["m1"]


async def test_as_many_messages_are_found_as_one_payload_may_have() -> None:
    async with Parts(max_batch_size=2) as parts:
        await parts.add(make_session("a"))
        for number in range(3):
            await parts.enqueue(f"m{number}", "a", queued_at=T0 + timedelta(seconds=number))

        assert [message.id for message in await Stage(parts).find(Fact.IN_ORDER)] == ["m0", "m1"]


async def test_a_message_that_was_in_no_payload_has_no_batch() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        await parts.enqueue("m1", "a")
        stage = Stage(parts)

        assert await stage.find(Fact.BATCH) == ()
        assert await stage.find(Fact.TRANSCRIPT) is True
        assert await stage.find(Fact.SUSPENDED) is False


class Beginning:
    async def begins_conversation(self) -> bool:
        return True


class Lost:
    async def begins_conversation(self) -> bool:
        raise ChannelLost("it hung up")


@pytest.mark.parametrize(
    ("channel", "has_channel", "conversation"),
    [
        (None, False, Conversation(away=API_AWAY)),
        (Beginning(), True, Conversation(is_beginning=True)),
        (Lost(), True, Conversation(away="it hung up")),
    ],
)
async def test_the_agents_own_api_is_asked(channel: object, has_channel: bool, conversation: Conversation) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        await parts.enqueue("m1", "a")
        stage = Stage(parts, channel=channel)

        assert await stage.find(Fact.CHANNEL) is has_channel
        assert await stage.find(Fact.CONVERSATION) == conversation


async def test_only_a_prompt_that_may_begin_a_turn_is_under_way() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        raw, plain = await parts.enqueue("raw", "a", is_raw=True), await parts.enqueue("plain", "a")
        stage = Stage(parts)

        stage.beginning = [raw.id]
        assert await stage.find(Fact.PROMPT_UNDER_WAY) is False
        stage.beginning = [raw.id, plain.id]
        assert await stage.find(Fact.PROMPT_UNDER_WAY) is True


async def test_a_hook_that_could_not_take_the_message_is_not_asked_again_in_the_same_round() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        await parts.enqueue("m1", "a")
        stage = Stage(parts)
        stage.hooks = HookView(has_waiter=False)
        view = await stage.look()
        stage.hooks = HookView(has_waiter=True)

        again = await stage.finding.find(Fact.BATCH, view)

        assert not again.hooks.has_waiter


def test_the_limits_are_those_of_the_settings() -> None:
    config = Parts(max_batch_size=3, max_attempts=4, human_pause=0.5, input_poll_interval=6).config

    limits = limits_of(config)

    assert (limits.most_in_batch, limits.most_attempts, limits.human_pause_s, limits.poll_s) == (3, 4, 0.5, 6)
