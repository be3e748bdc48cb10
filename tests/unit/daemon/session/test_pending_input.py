"""The draft in a session's box, as the API shows it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.daemon.panes import Panes
from hark.daemon.session import pending_input
from hark.daemon.session.couriers import Couriers
from hark.daemon.session.pending_input import PendingInputs
from hark.delivery.screen.capture import Screen
from hark.model.errors import HarkError
from hark.model.session import SessionState
from tests.unit.daemon.faulty import T0, Parts, make_session
from tests.unit.delivery.screens import KINDS, draw_box

SESSION = make_session("a")


def pending(shown: Screen | HarkError, *, for_s: float = 0.0, lock: asyncio.Lock | None = None) -> PendingInputs:
    async def show(_: object) -> Screen:
        if isinstance(shown, HarkError):
            raise shown
        return shown

    courier: Any = SimpleNamespace(lock=lock or asyncio.Lock(), see_box=lambda box: for_s)
    panes = cast(Panes, SimpleNamespace(of=lambda _: SimpleNamespace(screen=show)))
    core = replace(Parts().core, panes=panes, kinds=KINDS)
    return PendingInputs(core, cast(Couriers, SimpleNamespace(of=lambda _: courier)))


async def test_the_rows_of_the_box_are_the_draft_and_its_age_is_told() -> None:
    found = await pending(draw_box("one\ntwo", 3), for_s=5.0).of(SESSION)

    assert found is not None
    assert (found.text, found.first_seen) == ("one\ntwo", T0 - timedelta(seconds=5))


async def test_an_empty_box_has_no_draft() -> None:
    assert await pending(draw_box("", 0)).of(SESSION) is None


async def test_a_terminal_that_cannot_be_seen_has_none_either() -> None:
    assert await pending(HarkError("tmux-gone", "no server")).of(SESSION) is None


async def test_a_delivery_that_uses_the_box_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_input, "WITHIN_S", 0.01)
    lock = asyncio.Lock()

    async with lock:
        assert await pending(draw_box("one", 3), lock=lock).of(SESSION) is None


async def test_a_session_that_is_gone_has_no_box() -> None:
    gone = make_session("a", SessionState.GONE, T0)

    assert await pending(draw_box("one", 3)).of(gone) is None
