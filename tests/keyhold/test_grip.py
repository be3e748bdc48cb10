"""The undo of an adopted pane, as a delivery leaves it."""

from hark.delivery.undo import Write
from hark.demo.human import Human
from hark.terminal.grip import HeldByTmux
from hark.terminal.server import TmuxServer
from tests.keyhold.stage import AT_ONCE, Recorder, begin, wait_read
from tests.keyhold.test_undo import SHORT_S, foreground, wait_for
from tests.terminal.connected import connected
from tests.terminals import PrivateTmux


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
