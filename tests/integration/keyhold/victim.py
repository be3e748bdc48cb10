"""Daemons that are killed while they hold keys: one waits for it in a hold, one holds again and again until it comes."""

import asyncio
import sys

from hark.delivery.carriers.undo import Write
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import begin


async def hold(
    socket: str, pane_id: str, pid: str, seconds: str, enter_gap_s: str, is_repeated: str = "", undo_of: str = ""
) -> None:
    """Begin a hold, say so, and wait to be killed; or release it and begin the next one, for ever. `undo_of`: leave an undo for that
    program."""
    server = TmuxServer(socket, lambda changed: None)
    pane = Pane(socket=socket, pane_id=pane_id, pid=int(pid))
    held = await _begin(server, pane, float(seconds), float(enter_gap_s))
    if undo_of:
        assert await held.leave_undo((Write(keys=("BSpace",) * 9),), undo_of)
    print("held", flush=True)
    while is_repeated:
        await held.release()
        held = await _begin(server, pane, float(seconds), float(enter_gap_s))
    await asyncio.Event().wait()


async def _begin(server: TmuxServer, pane: Pane, seconds: float, enter_gap_s: float) -> KeyHold:
    """A short hold may be over before a tmux on a busy machine has answered: then the next one is tried, as a daemon does."""
    while True:
        try:
            return await begin(server, pane, seconds, enter_gap_s)
        except HarkError as failure:
            if failure.code != "tmux-timeout":
                raise


if __name__ == "__main__":
    asyncio.run(hold(*sys.argv[1:]))
