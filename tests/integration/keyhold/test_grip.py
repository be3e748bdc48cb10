"""The undo of an adopted pane, as a delivery leaves it."""

import asyncio

import pytest

from hark.delivery.carriers.undo import Write
from hark.demo.human import Human
from hark.terminal.holds.airlock_client import Undone
from hark.terminal.holds.grip import HeldByTmux
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, PASTE_BEGIN, PASTE_END, Recorder, begin, wait_read
from tests.integration.keyhold.test_undo import LABEL, SHORT_S, foreground, left_and_abandoned, wait_for
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux


def test_the_enter_replaces_the_undo(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S)
        grip = HeldByTmux(server, recorder.pane, hold, foreground(tmux, recorder))
        assert await grip.leave_undo((Write(keys=("BSpace",) * 9),))
        human.type("held", AT_ONCE)
        wait_read(tmux)
        screen = await server.screen(recorder.pane)
        assert await grip.press_enter(screen, "ready", (Write(keys=("C-s",)),))

    connected(tmux, act)

    wait_for(recorder, b"\r\x13held")


def test_nothing_is_written_once_tmux_has_let_the_keys_go(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S)
        grip = HeldByTmux(server, recorder.pane, hold, foreground(tmux, recorder))
        human.type("held", AT_ONCE)
        await asyncio.to_thread(wait_for, recorder, b"held")
        # Our clock is late: it says that the keys are held.
        hold._ends_at += 60
        screen = await server.screen(recorder.pane)
        assert not await grip.paste("late")
        assert not await grip.press(("Left",))
        assert not await grip.press_enter(screen, "ready")
        assert not await grip.leave_undo((Write(keys=("C-s",)),))

    connected(tmux, act)

    assert recorder.record == b"held"


def test_what_is_written_replaces_the_undo(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S)
        grip = HeldByTmux(server, recorder.pane, hold, foreground(tmux, recorder))
        assert await grip.leave_undo((Write(keys=("BSpace",) * 9),))
        assert await grip.press(("Left",) * 20, (Write(keys=("DC",)),))
        assert await grip.paste("ours", (Write(keys=("C-s",)),))
        human.type("held", AT_ONCE)
        wait_read(tmux)

    connected(tmux, act)

    wait_for(recorder, b"\x1b[D" * 20 + PASTE_BEGIN + b"ours" + PASTE_END + b"\x13held")


@pytest.mark.parametrize("leaves_draft_out", [False, True])
def test_the_next_daemon_learns_what_was_undone(
    tmux: PrivateTmux, recorder: Recorder, human: Human, leaves_draft_out: bool
) -> None:
    left_and_abandoned(tmux, recorder, human, (Write(keys=("C-s",)), Write(leaves_draft_out=leaves_draft_out)))
    wait_for(recorder, b"\x13abc")

    async def ask(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, SHORT_S)
        grip = HeldByTmux(server, recorder.pane, hold, foreground(tmux, recorder))
        assert await grip.undone(LABEL) == Undone(
            label=LABEL, is_after_enter=False, is_touched=True, leaves_draft_out=leaves_draft_out
        )
        assert await grip.undone("another") is None
        await grip.release()

    connected(tmux, ask)
