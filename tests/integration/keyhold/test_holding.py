"""Keys that humans press during a hold arrive after it, in order, all of them."""

import asyncio
import random
import re
from collections.abc import Iterable
from contextlib import ExitStack

from hark.demo.human import Human
from hark.model.session import Pane
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.commands import command, line
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import (
    AT_ONCE,
    DEADLINE_S,
    PASTE_BEGIN,
    PASTE_END,
    Recorder,
    Typist,
    begin,
    wait_read,
)
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux, wait_until

OPENING, CLOSING = b"<", b">"


async def write_marked(server: TmuxServer, pane: Pane, pause_s: float, enter_gap_s: float) -> None:
    """What a delivery is: something, a pause, something more; no key of a human may lie between."""
    hold = await begin(server, pane, enter_gap_s=enter_gap_s)
    try:
        await server.paste(pane, OPENING.decode())
        await asyncio.sleep(pause_s)
        await server.paste(pane, CLOSING.decode())
    finally:
        await hold.release()


def read_marked(record: bytes, after_each_read: bytes = b"") -> tuple[list[bytes], bytes]:
    """What lies within each hold, and what the humans typed."""
    text = record.replace(after_each_read, b"").replace(PASTE_BEGIN, b"").replace(PASTE_END, b"")
    return re.findall(rb"<([^>]*)>", text), re.sub(rb"[<>]", b"", text)


def hold_while_typing(
    tmux: PrivateTmux,
    recorder: Recorder,
    typists: list[Typist],
    pauses_s: Iterable[float],
    enter_gap_s: float = 0.0,
    after_each_read: bytes = b"",
) -> tuple[list[bytes], bytes]:
    async def act(server: TmuxServer) -> None:
        for pause_s in pauses_s:
            await write_marked(server, recorder.pane, pause_s, enter_gap_s)

    with ExitStack() as stack:
        for typist in typists:
            stack.enter_context(typist.typing())
        connected(tmux, act)
    expected = sum(len(typist.typed) for typist in typists)

    def received() -> tuple[list[bytes], bytes]:
        return read_marked(recorder.record, after_each_read)

    wait_until(lambda: len(received()[1]) >= expected, DEADLINE_S, "the last key")
    return received()


def test_a_key_waits_until_the_release(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    ours = PASTE_BEGIN + b"ours" + PASTE_END

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane)
        human.type("abc", AT_ONCE)
        wait_read(tmux)
        await server.paste(recorder.pane, "ours")
        await recorder.wait_for(ours)
        await hold.release()
        await recorder.wait_for(ours + b"abc")

    connected(tmux, act)


def test_our_own_keys_are_not_held(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane)
        human.type("held", AT_ONCE)
        wait_read(tmux)
        await server.run(line(command("send-keys", "-t", recorder.pane.pane_id, "--", "x", "Enter")))
        await recorder.wait_for(b"x\r")
        await hold.release()
        await recorder.wait_for(b"x\rheld")

    connected(tmux, act)


def test_200_holds_while_a_human_types(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    typist = Typist(human, keys_per_second=15)
    dice = random.Random(1)

    within, typed = hold_while_typing(tmux, recorder, [typist], [dice.uniform(0.05, 0.15) for _ in range(200)])

    assert within == [b""] * 200
    assert typed.decode() == typist.typed


def test_50_holds_against_100_keys_a_second(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    typist = Typist(human, keys_per_second=100)

    within, typed = hold_while_typing(tmux, recorder, [typist], [0.05] * 50)

    assert within == [b""] * 50
    assert typed.decode() == typist.typed


def test_two_humans_on_the_same_pane(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    with Human(recorder.pane.socket, recorder.pane.pane_id) as other:
        other.wait_attached(DEADLINE_S)
        typists = [Typist(human, 40), Typist(other, 60, "abcdefghij;")]

        within, typed = hold_while_typing(tmux, recorder, typists, [0.05] * 50)

    assert within == [b""] * 50
    assert re.sub("[a-j;]", "", typed.decode()) == typists[0].typed
    assert re.sub("[0-9,]", "", typed.decode()) == typists[1].typed


def test_keys_faster_than_any_hand(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """tmux takes keys less than a millisecond apart for a paste, which passes by key tables."""
    typist = Typist(human, keys_per_second=5000)

    within, typed = hold_while_typing(tmux, recorder, [typist], [0.03] * 30)

    assert within == [b""] * 30
    assert typed.decode() == typist.typed


def test_who_shows_another_pane_types_freely(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    elsewhere = Recorder(tmux)

    async def act(server: TmuxServer) -> bytes:
        hold = await begin(server, recorder.pane)
        human.type("held", AT_ONCE)
        other.type("free", AT_ONCE)
        await elsewhere.wait_for(b"free")
        before_release = recorder.record
        await hold.release()
        await recorder.wait_for(b"held")
        return before_release

    with Human(elsewhere.pane.socket, elsewhere.pane.pane_id) as other:
        other.wait_attached(DEADLINE_S)
        assert connected(tmux, act) == b""


def test_a_human_who_leaves_does_not_keep_the_keys_of_another(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    """A lock that both wait for would be handed to the one who has gone."""

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane)
        for person in (leaving, human):
            person.type("x", AT_ONCE)
            wait_read(tmux)
        leaving.close()
        await hold.release()
        await recorder.wait_for(b"x")
        human.type("and more", AT_ONCE)
        await recorder.wait_for(b"xand more")

    with Human(recorder.pane.socket, recorder.pane.pane_id) as leaving:
        leaving.wait_attached(DEADLINE_S)
        connected(tmux, act)


def test_tmux_answers_everybody_else_during_a_hold(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """Each call of the server has a deadline of five seconds, and the hold outlasts it."""

    async def act(server: TmuxServer) -> int:
        hold = await begin(server, recorder.pane, seconds=60.0)
        human.type("held", AT_ONCE)
        wait_read(tmux)
        answers = [await server.screen(recorder.pane) for _ in range(200)]
        assert hold.is_active
        await hold.release()
        return len(answers)

    assert connected(tmux, act) == 200


def test_nobody_to_hold(tmux: PrivateTmux, recorder: Recorder) -> None:
    async def act(server: TmuxServer) -> tuple[bool, bool]:
        hold = await KeyHold.begin(server, recorder.pane, 20.0)
        assert hold is not None
        was_active = hold.is_active
        await hold.release()
        return was_active, hold.is_active

    assert connected(tmux, act) == (True, False)
