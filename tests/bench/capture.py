"""Reading a pane: over the control connection, and with one tmux process per look as others do it."""

import asyncio
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from hark.terminal.server import TmuxServer
from tests.bench.stage import tell

ROUNDS = 300


def run() -> None:
    print("one look at a pane, 200x50, full of text (aim: at least 8 times faster)")
    asyncio.run(_compare())


async def _compare() -> None:
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as directory:
        server = TmuxServer(str(Path(directory) / "s"), lambda server: None, config="/dev/null")
        fill = "while :; do printf '%0200d\\n' $((i=i+1)); [ $i -gt 60 ] && exec sleep 600; done"
        pane = await server.new_session("full", ["sh", "-c", fill], "/", {}, 200, 50)
        words = ["tmux", "-S", server.socket, "capture-pane", "-p", "-e", "-t", pane.pane_id]
        times: dict[str, list[float]] = {"control connection": [], "one process per look": []}
        for _ in range(ROUNDS):
            started = time.perf_counter()
            await server.screen(pane)
            times["control connection"].append(time.perf_counter() - started)
            started = time.perf_counter()
            subprocess.run(words, capture_output=True, check=True)  # noqa: ASYNC221 that is what is measured
            times["one process per look"].append(time.perf_counter() - started)
        await server.kill_pane(pane)
        await server.close()
    for name, seconds in times.items():
        tell(name, seconds)
    ratio = statistics.median(times["one process per look"]) / statistics.median(times["control connection"])
    print(f"  {ratio:.1f} times faster, with cursor and mode of the same instant\n")
