"""The undo that is left with tmux: the server's own timer runs it before it lets the keys go, and only then."""

import asyncio
from contextlib import ExitStack

import pytest

from hark.delivery.carriers.undo import Undo, Write
from hark.demo.human import Human
from hark.terminal.holds.undo_script import UNDONE
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import (
    AT_ONCE,
    DEADLINE_S,
    PASTE_BEGIN,
    PASTE_END,
    Recorder,
    begin,
    state_of,
    wait_read,
)
from tests.integration.keyhold.test_leaving_nothing import held_by_a_victim, is_as_before
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux, wait_until

SHORT_S = 0.6
LABEL = "delivery-7"
HOSTILE = 'it\'s "$x" ${y} `z` $(w) \\n %s %% ~ # ; { } \t\n#{pane_id} ünï 漢 🦊 e\u0301'
UNDO = (
    Write(then_wait_s=0.01),
    Write(keys=("BSpace",) * 100),
    Write(keys=("DC", "DC", "Left"), then_wait_s=0.02),
    Write(paste="the draft", then_wait_s=0.01),
    Write(keys=("C-s",)),
)
WRITTEN = b"\x7f" * 100 + b"\x1b[3~" * 2 + b"\x1b[D" + PASTE_BEGIN + b"the draft" + PASTE_END + b"\x13"


def foreground(tmux: PrivateTmux, recorder: Recorder) -> str:
    return tmux.read(recorder.pane.pane_id, "#{pane_current_command}")


def left_and_abandoned(
    tmux: PrivateTmux, recorder: Recorder, human: Human | None, *undos: Undo, program: str = ""
) -> None:
    """Each undo replaces the one before; then nobody ends the hold."""

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S, label=LABEL)
        for undo in undos:
            assert await hold.leave_undo(undo, program or foreground(tmux, recorder))
        if human:
            human.type("abc", AT_ONCE)
            wait_read(tmux)

    connected(tmux, act)


def noted(tmux: PrivateTmux, recorder: Recorder) -> list[str]:
    return tmux.run("show-options", "-p", "-q", "-v", "-t", recorder.pane.pane_id, UNDONE).split()


def wait_for(recorder: Recorder, expected: bytes) -> None:
    wait_until(lambda: len(recorder.record) >= len(expected), DEADLINE_S, "the undo", lambda: recorder.record)
    assert recorder.record == expected


def test_the_undo_comes_before_the_keys(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    before = state_of(tmux)

    left_and_abandoned(tmux, recorder, human, (Write(paste="an earlier one"),), UNDO)

    wait_for(recorder, WRITTEN + b"abc")
    assert is_as_before(tmux, before)
    assert noted(tmux, recorder)[:2] == [LABEL, "0"]


def test_it_is_run_where_nobody_looks(tmux: PrivateTmux, recorder: Recorder) -> None:
    before = state_of(tmux)

    left_and_abandoned(tmux, recorder, None, UNDO)

    wait_for(recorder, WRITTEN)
    wait_until(lambda: noted(tmux, recorder)[:2] == [LABEL, "0"], DEADLINE_S, "the note")
    assert is_as_before(tmux, before)


@pytest.mark.parametrize(
    "text", [HOSTILE, "x" * 5000, "'", "\\", "%"], ids=["hostile", "long", "quote", "backslash", "percent"]
)
def test_every_text_is_pasted_as_it_is(tmux: PrivateTmux, recorder: Recorder, text: str) -> None:
    left_and_abandoned(tmux, recorder, None, (Write(paste=text),))

    wait_for(recorder, PASTE_BEGIN + text.encode() + PASTE_END)
    assert tmux.run("list-buffers") == ""


def test_nothing_is_written_to_another_program(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    left_and_abandoned(tmux, recorder, human, UNDO, program="another")

    wait_for(recorder, b"abc")
    assert noted(tmux, recorder)[:2] == [LABEL, "0"]
    assert tmux.run("list-buffers") == ""


@pytest.mark.parametrize("is_watched", [True, False])
def test_a_release_ends_it(tmux: PrivateTmux, recorder: Recorder, is_watched: bool) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S, label=LABEL)
        assert await hold.leave_undo(UNDO, foreground(tmux, recorder))
        await hold.release()
        assert not await hold.leave_undo(UNDO, foreground(tmux, recorder))
        # Started after the timer, over after it.
        await asyncio.to_thread(tmux.run, "run-shell", "-d", str(2 * SHORT_S), "true")

    before = state_of(tmux)
    if is_watched:
        with Human(recorder.pane.socket, recorder.pane.pane_id) as human:
            human.wait_attached(DEADLINE_S)
            connected(tmux, act)
    else:
        connected(tmux, act)

    assert recorder.record == b""
    assert noted(tmux, recorder) == []
    assert state_of(tmux)["server options"] == before["server options"]


def test_it_is_replaced_in_the_same_instant_as_the_enter(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S, label=LABEL)
        program = foreground(tmux, recorder)
        assert await hold.leave_undo(UNDO, program)
        screen = await server.screen(recorder.pane)
        then = await hold.undo_command((Write(keys=("C-s",)),), program, is_after_enter=True)
        assert await server.press_if_unmoved(recorder.pane, "Enter", screen, "ready", then)
        moved = await hold.undo_command((Write(keys=("C-c",)),), program)
        assert not await server.press_if_unmoved(recorder.pane, "Enter", screen, "elsewhere", moved)

    connected(tmux, act)

    wait_for(recorder, b"\r\x13")
    wait_until(lambda: noted(tmux, recorder)[:2] == [LABEL, "1"], DEADLINE_S, "the note")


def test_the_next_undo_forgets_the_note(tmux: PrivateTmux, recorder: Recorder) -> None:
    left_and_abandoned(tmux, recorder, None, (Write(keys=("C-s",)),))
    wait_until(lambda: noted(tmux, recorder), DEADLINE_S, "the note")

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S, label="another")
        assert await hold.leave_undo((), foreground(tmux, recorder))
        await hold.release()

    connected(tmux, act)

    assert noted(tmux, recorder) == []


@pytest.mark.parametrize("is_watched", [True, False])
def test_the_undo_of_a_killed_daemon_does_not_wait_for_the_timer(
    tmux: PrivateTmux, recorder: Recorder, is_watched: bool
) -> None:
    before = state_of(tmux)
    with ExitStack() as owned:
        if is_watched:
            owned.enter_context(Human(recorder.pane.socket, recorder.pane.pane_id)).wait_attached(DEADLINE_S)
            before = state_of(tmux)
        with held_by_a_victim(recorder, seconds=100 * DEADLINE_S, undo_of=foreground(tmux, recorder)):
            pass
        wait_for(recorder, b"\x7f" * 9)
        assert is_as_before(tmux, before)
    assert noted(tmux, recorder)[0] == "-"
