"""A grip knows when the last key was let through, and lends the agent the focus where it needs it."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from hark.model.session import Pane
from hark.terminal.holds.airlock_client import Airlock
from hark.terminal.holds.grip import HeldByAirlock
from hark.terminal.tmux.server import TmuxServer
from tests.integration.airlock.running import DEADLINE_S, Recorded
from tests.support.terminals import wait_until


async def passed_age_s(recorded: Recorded) -> float | None:
    airlock = await Airlock.connect(recorded.socket)
    try:
        return (await airlock.facts()).passed_age_s
    finally:
        await airlock.close()


def test_a_key_that_was_held_is_as_old_as_its_replay() -> None:
    with Recorded() as recorded, recorded.client() as client:
        assert asyncio.run(passed_age_s(recorded)) is None
        hold = client.hold()
        recorded.type(b"x")
        wait_until(lambda: client.facts()["last_key_age_s"] is not None, DEADLINE_S, "the key at the airlock")
        assert client.facts()["last_passed_age_s"] is None

        client.call(op="release", hold=hold)

        recorded.wait_input(b"x")
        facts = client.facts()
        assert facts["last_passed_age_s"] < facts["last_key_age_s"]


def lend_focus(recorded: Recorded, *, is_kept: bool) -> bool:
    async def take() -> bool:
        airlock = await Airlock.connect(recorded.socket)
        hold = await airlock.hold(2.0, 0, 0)
        grip = HeldByAirlock(cast(TmuxServer, None), cast(Pane, None), airlock, hold)
        is_lent = await grip.give_focus()
        if is_kept:
            grip.keep_focus()
        await grip.release()
        return is_lent

    return asyncio.run(take())


def test_an_agent_that_has_the_focus_is_not_told_so() -> None:
    with Recorded() as recorded:
        assert not lend_focus(recorded, is_kept=False)

        recorded.type(b"x")
        recorded.wait_input(b"x")


@pytest.mark.parametrize(("is_kept", "heard"), [(False, b"\x1b[O\x1b[I\x1b[Ox"), (True, b"\x1b[O\x1b[Ix")])
def test_the_focus_is_lent_for_the_time_of_a_grip(is_kept: bool, heard: bytes) -> None:
    with Recorded() as recorded, recorded.client() as client:
        recorded.type(b"\x1b[O")
        client.wait_facts(has_focus=False)

        assert lend_focus(recorded, is_kept=is_kept)

        recorded.type(b"x")
        recorded.wait_input(heard)
