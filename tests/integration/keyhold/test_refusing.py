"""When there can be no hold, there is none: nothing is held, and nothing is another than before."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hark.demo.human import Human
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.commands import Line
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, DEADLINE_S, Interposed, Recorder, begin, state_of, wait_read
from tests.integration.terminal.connected import connected, in_thread
from tests.support.terminals import PrivateTmux, wait_until


def begin_when(tmux: PrivateTmux, recorder: Recorder, happening: Callable[[], object]) -> KeyHold | None:
    """Something happens in the instant between the look at the clients and the hold."""

    def before(line: Line) -> None:
        if any("switch-client" in text for text in line.commands) and not happened:
            happened.append(True)
            happening()

    async def act() -> KeyHold | None:
        server = Interposed(tmux, before)
        try:
            return await KeyHold.begin(server, recorder.pane, DEADLINE_S)
        finally:
            await server.close()

    happened: list[bool] = []
    hold = asyncio.run(act())
    assert happened
    return hold


def types_freely(recorder: Recorder, human: Human) -> bool:
    start = recorder.record
    human.type("free", AT_ONCE)
    return wait_until(lambda: recorder.record == start + b"free", DEADLINE_S, "the keys", lambda: recorder.record)


def test_a_pane_in_a_mode(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    tmux.run("copy-mode", "-t", recorder.pane.pane_id)
    before = state_of(tmux)

    async def act(server: TmuxServer) -> KeyHold | None:
        return await KeyHold.begin(server, recorder.pane, DEADLINE_S)

    assert connected(tmux, act) is None
    assert state_of(tmux) == before


def test_a_socket_that_is_gone(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """Our connection would still do; the timer could not let go."""
    away = tmux.socket.with_name("away")

    async def act(server: TmuxServer) -> KeyHold | None:
        await server.connect()
        tmux.socket.rename(away)
        try:
            return await KeyHold.begin(server, recorder.pane, DEADLINE_S)
        finally:
            away.rename(tmux.socket)

    assert connected(tmux, act) is None
    assert types_freely(recorder, human)


def test_a_client_that_vanishes(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    with Human(recorder.pane.socket, recorder.pane.pane_id) as leaving:
        leaving.wait_attached(DEADLINE_S)

        assert begin_when(tmux, recorder, leaving.close) is None
    assert types_freely(recorder, human)
    assert not any("hark-" in text for text in state_of(tmux).values())


def test_a_client_that_comes(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    def come() -> None:
        coming.__enter__()
        coming.wait_attached(DEADLINE_S)

    coming = Human(recorder.pane.socket, recorder.pane.pane_id)
    try:
        assert begin_when(tmux, recorder, come) is None
        assert types_freely(recorder, human)
        assert types_freely(recorder, coming)
    finally:
        coming.close()


def test_a_prefix_pressed_in_that_instant_still_counts(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    def press() -> None:
        human.press("C-b")
        wait_until(lambda: "prefix" in tmux.run("list-clients", "-F", "#{client_key_table}"), DEADLINE_S, "the prefix")

    assert begin_when(tmux, recorder, press) is None
    human.type("c", AT_ONCE)
    wait_until(
        lambda: tmux.read(recorder.pane.pane_id, "#{session_windows}") == "2",
        DEADLINE_S,
        "the window that the human made",
    )
    assert recorder.record == b""


def test_copy_mode_begun_in_that_instant(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    assert begin_when(tmux, recorder, lambda: tmux.run("copy-mode", "-t", recorder.pane.pane_id)) is None
    tmux.run("copy-mode", "-q", "-t", recorder.pane.pane_id)
    assert types_freely(recorder, human)


def test_a_second_hold_waits_for_the_first(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """It would take the options of the first for the human's."""
    before = state_of(tmux)

    async def act(server: TmuxServer) -> KeyHold | None:
        first = await begin(server, recorder.pane)
        human.type("a", AT_ONCE)
        wait_read(tmux)
        second = await KeyHold.begin(server, recorder.pane, DEADLINE_S)
        await first.release()
        await (await begin(server, recorder.pane)).release()
        return second

    assert connected(tmux, act) is None
    assert state_of(tmux) == before


def test_a_pane_that_is_another_one_by_now(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    stranger = Pane(socket=recorder.pane.socket, pane_id=recorder.pane.pane_id, pid=recorder.pane.pid + 1)

    async def act(server: TmuxServer) -> KeyHold | None:
        return await KeyHold.begin(server, stranger, DEADLINE_S)

    with pytest.raises(HarkError) as failure:
        connected(tmux, act)
    assert failure.value.code == "pane-not-found"


def test_it_says_when_its_time_is_over(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> tuple[bool, bool]:
        hold = await begin(server, recorder.pane, seconds=0.3)
        was_active = hold.is_active
        human.type("abc", AT_ONCE)
        await recorder.wait_for(b"abc")
        is_active = hold.is_active
        await hold.release()
        human.type("def", AT_ONCE)
        await recorder.wait_for(b"abcdef")
        return was_active, is_active

    assert connected(tmux, act) == (True, False)


async def twice(hold: KeyHold) -> None:
    await hold.release()
    await hold.release()


async def at_the_same_time(hold: KeyHold) -> None:
    await asyncio.gather(hold.release(), hold.release())


@pytest.mark.parametrize("release", [twice, at_the_same_time])
def test_release_more_than_once(
    tmux: PrivateTmux, recorder: Recorder, human: Human, release: Callable[[KeyHold], Awaitable[None]]
) -> None:
    async def act(server: TmuxServer) -> bool:
        hold = await begin(server, recorder.pane)
        human.type("abc", AT_ONCE)
        await release(hold)
        await recorder.wait_for(b"abc")
        return hold.is_active

    assert connected(tmux, act) is False


def test_a_begin_that_is_given_up_lets_go(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def give_up() -> None:
        def before(line: Line) -> None:
            if any("switch-client" in text for text in line.commands):
                asyncio.get_running_loop().call_soon(beginning.cancel)

        server = Interposed(tmux, before)
        try:
            beginning = asyncio.create_task(KeyHold.begin(server, recorder.pane, DEADLINE_S))
            with pytest.raises(asyncio.CancelledError):
                await beginning
            await in_thread(lambda: not any("hark-" in text for text in state_of(tmux).values()), "nothing to be left")
        finally:
            await server.close()

    asyncio.run(give_up())
    assert types_freely(recorder, human)
