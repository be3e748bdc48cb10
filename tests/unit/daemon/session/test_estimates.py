"""When a message will be delivered, from what the daemon knows without asking anybody."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import structs

from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.registry.watcher import Watcher
from hark.daemon.session.estimates import Estimates
from hark.delivery.session_view import HookView
from hark.model.session import Session, SessionState
from hark.queue.turns import Phase
from hark.store.contract import Enqueued
from tests.unit.daemon.faulty import T0, Parts, make_session
from tests.unit.delivery.screens import KINDS

COPY_MODE = SimpleNamespace(foreground="hark-demo-agent", in_mode=True)


async def estimate(parts: Parts, *, phase: Phase = Phase.IDLE, seen: Any = None, has_channel: bool = False) -> str:
    estimates = Estimates(
        replace(parts.core, kinds=KINDS),
        cast(TurnBook, SimpleNamespace(of=lambda _: SimpleNamespace(phase=phase))),
        cast(Handovers, SimpleNamespace(view=lambda _: HookView())),
        cast(Natives, SimpleNamespace(has_channel=lambda _: has_channel)),
        cast(Watcher, SimpleNamespace(seen=lambda _: seen)),
    )
    message = await parts.enqueue("m1", "a")
    return await estimates.of(Enqueued(message, 1, True))


async def test_an_idle_agent_gets_a_message_now() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))

        assert await estimate(parts) == "now"


@pytest.mark.parametrize(
    ("session", "seen", "has_channel", "expected"),
    [
        (make_session("a", SessionState.GONE, T0), None, False, "waiting_for_session_gone"),
        (structs.replace(make_session("a"), do_not_disturb_since=T0), None, False, "waiting_for_do_not_disturb"),
        (make_session("a"), COPY_MODE, False, "waiting_for_copy_mode"),
        (make_session("a"), COPY_MODE, True, "now"),  # An API does not mind what the pane shows.
    ],
    ids=["gone", "do not disturb", "copy mode", "copy mode, with an API"],
)
async def test_what_is_known_to_be_in_the_way_is_named(
    session: Session, seen: Any, has_channel: bool, expected: str
) -> None:
    async with Parts() as parts:
        await parts.add(session)

        assert await estimate(parts, seen=seen, has_channel=has_channel) == expected
