"""A held Enter comes out by itself: together with text an agent takes it for a newline of a paste."""

import re
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from hark.terminal.holds.key_tables import ENTERS
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import (
    AT_ONCE,
    DEADLINE_S,
    PASTE_BEGIN,
    PASTE_END,
    Recorder,
    Typist,
    begin,
    differences,
    state_of,
    wait_read,
)
from tests.integration.keyhold.test_holding import hold_while_typing
from tests.integration.keyhold.test_leaving_nothing import held_by_a_victim, is_as_before
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux, wait_until

GAP_S = 0.06
READ = b"|"


@pytest.fixture
def recorder(tmux: PrivateTmux) -> Recorder:
    """It records what each of its reads brought."""
    return Recorder(tmux, after_each_read=READ.decode())


@pytest.fixture
def other(recorder: Recorder) -> Iterator[Human]:
    with Human(recorder.pane.socket, recorder.pane.pane_id) as person:
        person.wait_attached(DEADLINE_S)
        yield person


def type_during_a_hold(tmux: PrivateTmux, recorder: Recorder, human: Human, text: str, enter_gap_s: float) -> bytes:
    """What each read of the program brought of it."""

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, enter_gap_s=enter_gap_s)
        human.type(text, AT_ONCE)
        wait_read(tmux)
        await hold.release()

    connected(tmux, act)
    wait_for_all(recorder, text.encode())
    return recorder.record


def wait_for_all(recorder: Recorder, typed: bytes) -> None:
    def received() -> bytes:
        return recorder.record.replace(READ, b"")

    wait_until(lambda: len(received()) >= len(typed), DEADLINE_S, "all keys", received)
    assert received() == typed


def enters_behind_text(record: bytes) -> list[bytes]:
    return re.findall(rb"[^|\r]\r", record)


def test_an_enter_comes_alone(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    record = type_during_a_hold(tmux, recorder, human, "one\rtwo\r", GAP_S)

    assert enters_behind_text(record) == []


def test_an_enter_that_is_not_told_to_wait_comes_with_the_text(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    """What the others could not see otherwise."""
    record = type_during_a_hold(tmux, recorder, human, "one\rtwo\r", 0.0)

    assert enters_behind_text(record) != []


def test_a_paste_comes_as_one(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """But for its first newlines, which tmux before 3.4 takes for Enters: a few more of them on a busy machine."""
    paste = PASTE_BEGIN.decode() + "a line\r" * 200 + PASTE_END.decode()

    record = type_during_a_hold(tmux, recorder, human, paste, GAP_S)

    assert len(enters_behind_text(record)) >= 200 - 5 * ENTERS


def test_holds_while_lines_are_typed(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    typist = Typist(human, keys_per_second=25, digits="0123456789\r")

    within, typed = hold_while_typing(tmux, recorder, [typist], [0.08] * 20, GAP_S, READ)

    assert within == [b""] * 20
    assert typed.decode() == typist.typed


def test_two_who_press_enter(tmux: PrivateTmux, recorder: Recorder, human: Human, other: Human) -> None:
    typists = [Typist(human, 20, "0123456789\r"), Typist(other, 30, "abcdefghij\r")]

    within, typed = hold_while_typing(tmux, recorder, typists, [0.08] * 10, GAP_S, READ)

    assert within == [b""] * 10
    assert sorted(typed.decode()) == sorted(typists[0].typed + typists[1].typed)


def test_nothing_is_left_behind(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> dict[str, tuple[str | None, str | None]]:
        await server.connect()
        before = state_of(tmux)
        hold = await begin(server, recorder.pane, enter_gap_s=GAP_S)
        human.type("one\r\r", AT_ONCE)
        wait_read(tmux)
        await hold.release()
        return differences(before, state_of(tmux))

    assert connected(tmux, act) == {}
    wait_for_all(recorder, b"one\r\r")


def test_nothing_is_left_behind_when_we_are_killed(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    before = state_of(tmux)

    with held_by_a_victim(recorder, GAP_S):
        human.type("one\rtwo\r", AT_ONCE)
    wait_for_all(recorder, b"one\rtwo\r")

    assert is_as_before(tmux, before)
    assert enters_behind_text(recorder.record) == []


def test_who_leaves_while_an_enter_waits(tmux: PrivateTmux, recorder: Recorder, human: Human, other: Human) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, enter_gap_s=GAP_S)
        other.type("\r", AT_ONCE)
        wait_read(tmux)
        other.close()
        await hold.release()
        again = await begin(server, recorder.pane, enter_gap_s=GAP_S)
        human.type("x", AT_ONCE)
        wait_read(tmux)
        assert b"x" not in recorder.record
        await again.release()

    connected(tmux, act)
    wait_until(lambda: recorder.record.endswith(b"x|"), DEADLINE_S, "the key", lambda: recorder.record)
    assert "hark-" not in tmux.run("show-options", "-s")


def test_who_leans_on_enter_is_not_waited_for(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """100 gaps: all of them come, in order, though not each by itself."""
    before = state_of(tmux)

    type_during_a_hold(tmux, recorder, human, "x\r" * 100, GAP_S)

    assert is_as_before(tmux, before)


def test_the_prefix_works_behind_a_held_enter(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    tmux.run("bind-key", "-T", "prefix", "y", "set-option -s @pressed 1")

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, enter_gap_s=GAP_S)
        human.type("one\r\x02ytwo", AT_ONCE)
        wait_read(tmux)
        await hold.release()

    connected(tmux, act)
    wait_for_all(recorder, b"one\rtwo")
    assert tmux.run("show-options", "-s", "-v", "@pressed") == "1\n"
