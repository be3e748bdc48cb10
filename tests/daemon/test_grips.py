"""A grip is there when the agent has drawn the human's last key, and lends it the focus where it needs it."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from hark.daemon.grips import until_drawn, without_descriptors
from hark.model.session import Pane
from hark.terminal.airlocks import Airlock
from hark.terminal.grip import HeldByAirlock
from hark.terminal.server import TmuxServer
from tests.airlock.running import DEADLINE_S, Recorded
from tests.terminals import wait_until

# Draws a key only a while after it has read it, as agents do that are at work.
SLOW = """
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"READY")
while data := os.read(0, 1):
    time.sleep(0.15)
    os.write(1, b"<" + data + b">")
"""


def drawn_at_the_grip(recorded: Recorded) -> bytes:
    async def take() -> None:
        airlock = await Airlock.connect(recorded.socket)
        await airlock.hold(2.0, 0, 0)
        await until_drawn(airlock)
        await airlock.close()

    asyncio.run(take())
    return recorded.seen


def test_the_last_key_before_a_grip_is_drawn_when_it_is_there() -> None:
    with Recorded(SLOW) as recorded, recorded.client() as client:
        recorded.type(b"x")
        wait_until(lambda: client.facts()["last_key_age_s"] is not None, DEADLINE_S, "the key at the airlock")

        seen = drawn_at_the_grip(recorded)

        assert b"<x>" in seen


def test_nobody_has_pressed_a_key_so_nothing_is_waited_for() -> None:
    with Recorded(SLOW) as recorded:
        seen = drawn_at_the_grip(recorded)

        assert seen.endswith(b"READY")


def test_a_key_that_draws_nothing_delays_a_grip_and_does_not_prevent_it() -> None:
    with Recorded() as recorded, recorded.client() as client:
        recorded.type(b"x")
        wait_until(lambda: client.facts()["last_key_age_s"] is not None, DEADLINE_S, "the key at the airlock")

        drawn_at_the_grip(recorded)

        recorded.wait_input(b"x")


def lend_focus(recorded: Recorded, *, is_kept: bool) -> bool:
    async def take() -> bool:
        airlock = await Airlock.connect(recorded.socket)
        hold, _ = await airlock.hold(2.0, 0, 0)
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


def test_a_successor_is_not_told_descriptors_of_the_one_before() -> None:
    words = ["python", "-m", "hark.cli.main", "serve", "-o", "a=b"]

    assert without_descriptors([*words[:4], "--ready-fd", "7", *words[4:], "--lock-fds", "5,6"]) == words
    assert without_descriptors(words) == words
