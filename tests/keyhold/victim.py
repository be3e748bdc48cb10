"""A daemon that is killed while it holds the keys: begins a hold, says so, and waits to be killed."""

import asyncio
import sys

from hark.model.session import Pane
from hark.terminal.server import TmuxServer
from tests.keyhold.stage import begin


async def hold(socket: str, pane_id: str, pid: str, seconds: str, enter_gap_s: str) -> None:
    server = TmuxServer(socket, lambda changed: None)
    await begin(server, Pane(socket=socket, pane_id=pane_id, pid=int(pid)), float(seconds), float(enter_gap_s))
    print("held", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(hold(*sys.argv[1:]))
