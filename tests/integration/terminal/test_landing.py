"""A human never stays in the hidden session, whatever way leads there."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from hark.demo.human import Human
from hark.terminal.tmux.landing import TmuxSession, way_on
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import DEADLINE_S, connected, in_thread
from tests.support.terminals import PrivateTmux, wait_until


def listed(*names: str) -> list[TmuxSession]:
    """In tmux's order; the later ones are more recently used."""
    return [TmuxSession(name.upper(), at, False, name) for at, name in enumerate(names)]


WAYS = {
    # sessions, where the human came from: the way on
    "forwards through it": (["_hark", "a", "b"], "b", ["B", "A"]),
    "backwards through it": (["_hark", "a", "b"], "a", ["A", "B"]),
    "forwards, in the middle": (["A0", "_hark", "b"], "A0", ["A0", "B"]),
    "backwards, in the middle": (["A0", "_hark", "b", "c"], "b", ["B", "A0"]),
    "forwards, at the end": (["A0", "B0", "_hark"], "B0", ["B0", "A0"]),
    "backwards, at the end": (["A0", "B0", "_hark"], "A0", ["A0", "B0"]),
    "the only other one": (["_hark", "a"], "a", ["A"]),
    "from nowhere": (["_hark", "a", "b"], "", ["B"]),
    "from one that has ended": (["_hark", "a", "b"], "c", ["B"]),
    "no other one": (["_hark"], "", []),
}


@pytest.mark.parametrize(("names", "came_from", "expected"), WAYS.values(), ids=WAYS.keys())
def test_the_way_on(names: list[str], came_from: str, expected: list[str]) -> None:
    assert way_on(listed(*names), came_from) == expected


def test_from_nowhere_a_session_that_nobody_shows_is_preferred() -> None:
    shown = TmuxSession("$2", 9, True, "b")

    assert way_on([*listed("_hark", "a"), shown], "") == ["A"]


def shown(tmux: PrivateTmux) -> list[str]:
    """What the human's terminal shows, and where they were before."""
    rows = tmux.run(
        "list-clients", "-F", "#{client_control_mode} #{client_session} #{client_last_session}"
    ).splitlines()
    return [row[2:] for row in rows if row.startswith("0 ")]


@contextmanager
def human_at(tmux: PrivateTmux, target: str) -> Iterator[Human]:
    with Human(tmux.socket, target) as human:
        human.wait_attached()
        yield human


def press(human: Human, key: str) -> None:
    human.press("C-b")
    human.type(key, keys_per_second=50)


def expect(tmux: PrivateTmux, wanted: str) -> None:
    wait_until(lambda: shown(tmux) == [wanted], DEADLINE_S, f"the human at {wanted}", lambda: shown(tmux))


def test_going_round_the_sessions_passes_by_the_hidden_one(tmux: PrivateTmux) -> None:
    for name in ("a", "m", "z"):
        tmux.run("new-session", "-d", "-s", name, "cat")

    def walk() -> None:
        with human_at(tmux, "m") as human:
            for key, wanted in ((")", "z m"), (")", "a z"), (")", "m a"), ("(", "a m"), ("(", "z a"), ("L", "a z")):
                press(human, key)
                expect(tmux, wanted)

    async def act(server: TmuxServer) -> None:
        await server.connect()
        await asyncio.to_thread(walk)

    connected(tmux, act)


def test_a_plain_attach_shows_a_session_of_the_humans(tmux: PrivateTmux) -> None:
    tmux.run("new-session", "-d", "-s", "work", "cat")

    def attach_twice() -> None:
        with ExitStack() as humans:
            humans.enter_context(human_at(tmux, "work"))
            # Now every session is attached, and the hidden one was used last: tmux chooses it.
            tmux.run("switch-client", "-c", humans_tty(tmux), "-t", "work")
            second = humans.enter_context(Human(tmux.socket, "_hark"))
            second.wait_attached()
            wait_until(lambda: [row.split()[0] for row in shown(tmux)] == ["work"] * 2, DEADLINE_S, "both at work")

    async def act(server: TmuxServer) -> None:
        await server.connect()
        await asyncio.to_thread(attach_twice)

    connected(tmux, act)


def humans_tty(tmux: PrivateTmux) -> str:
    rows = tmux.run("list-clients", "-F", "#{client_control_mode} #{client_tty}").splitlines()
    return next(row[2:] for row in rows if row.startswith("0 "))


def test_a_human_whose_session_ends_is_not_left_in_the_hidden_one(tmux: PrivateTmux) -> None:
    tmux.run("set", "-g", "detach-on-destroy", "off")
    for name in ("old", "work"):
        tmux.run("new-session", "-d", "-s", name, "cat")

    def end_it() -> None:
        with human_at(tmux, "work"):
            tmux.run("kill-session", "-t", "=work")
            wait_until(lambda: [row.split()[0] for row in shown(tmux)] == ["old"], DEADLINE_S, "the human at old")

    async def act(server: TmuxServer) -> None:
        await server.connect()
        await asyncio.to_thread(end_it)

    connected(tmux, act)


def test_where_there_is_no_other_session_a_human_is_detached(tmux: PrivateTmux) -> None:
    def attach() -> None:
        with Human(tmux.socket, "_hark") as human:
            wait_until(lambda: b"[detached" in human.seen, DEADLINE_S, "the human to be detached", lambda: human.seen)

    async def act(server: TmuxServer) -> None:
        await server.connect()
        await asyncio.to_thread(attach)

    connected(tmux, act)


def test_a_server_without_our_sessions_is_left_and_ends_with_its_last_one(tmux: PrivateTmux) -> None:
    tmux.run(
        "set", "-g", "exit-empty", "on", ";", "set", "-g", "remain-on-exit", "off", ";", "new-session", "-d", "cat"
    )

    async def act(server: TmuxServer) -> None:
        await server.connect()
        await server.leave_if_unused(3600)
        assert "_hark" in tmux.run("list-sessions")

        await server.leave_if_unused(0)
        await in_thread(lambda: "_hark" not in tmux.run("list-sessions"), "the hidden session to end")

        assert (await server.facts()).panes
        await server.leave_if_unused(0)
        tmux.run("kill-session", "-a", "-t", "0", ";", "kill-session", "-t", "0")
        await in_thread(lambda: not is_there(tmux), "the server to end")

    connected(tmux, act)


def is_there(tmux: PrivateTmux) -> bool:
    return os.path.exists(tmux.socket) and tmux._call(("-N", "list-sessions"), None).returncode == 0
