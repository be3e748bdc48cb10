"""Keys that were meant for a dialog which somebody else has answered do not come out of a hold."""

from hark.demo.human import Human
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import DEADLINE_S, Recorder, differences, state_of, wait_read
from tests.integration.terminal.connected import connected, until
from tests.support.terminals import PrivateTmux


def test_enter_and_escape_are_dropped_and_everything_else_comes_out(tmux: PrivateTmux) -> None:
    recorder = Recorder(tmux)

    async def act(server: TmuxServer) -> None:
        holds: list[KeyHold] = []

        async def is_begun() -> bool:
            held = await KeyHold.begin(server, recorder.pane, 20.0, drops_answers=True)
            holds.extend([held] if held else [])
            return bool(holds)

        await until(is_begun, "a hold")
        human.press("Enter")
        human.type("a1", keys_per_second=50)
        human.press("Enter")
        human.type("y", keys_per_second=50)
        wait_read(tmux)
        assert recorder.record == b""
        await holds[0].release()
        await recorder.wait_for(b"a1y")
        human.press("Enter")
        await recorder.wait_for(b"a1y\r")

    with Human(tmux.socket, recorder.pane.pane_id) as human:
        human.wait_attached(DEADLINE_S)
        before = state_of(tmux)
        connected(tmux, act)
        assert differences(before, state_of(tmux)) == {}
