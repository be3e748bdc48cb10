"""Reading a pane: over the control connection, and with one tmux process per look as others do it."""

import asyncio
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from hark.terminal.tmux.commands import command, line
from hark.terminal.tmux.facts import SCREEN_FORMAT
from hark.terminal.tmux.server import TmuxServer
from tests.campaigns.bench.stage import tell
from tests.integration.terminal.connected import start

ROUNDS = 300


def run() -> None:
    print("one look at a pane, 200x50, full of text (aim: at least 8 times faster)")
    asyncio.run(_compare())


async def _compare() -> None:
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as directory:
        server = TmuxServer(str(Path(directory) / "s"), lambda server: None, config=["/dev/null"])
        fill = "while :; do printf '%0200d\\n' $((i=i+1)); [ $i -gt 60 ] && exec sleep 600; done"
        pane = await start(server, "full", ["sh", "-c", fill], "/", {}, 200, 50)
        for name, flags in (("plain text", ()), ("with attributes", ("-e", "-N"))):
            await _compare_flags(name, server, pane.pane_id, flags)
        await server.kill_pane(pane)
        await server.close()
    print()


async def _compare_flags(name: str, server: TmuxServer, pane_id: str, flags: tuple[str, ...]) -> None:
    """The same two commands both ways: cursor and mode, and the content."""
    head = ("display-message", "-p", "-t", pane_id, SCREEN_FORMAT)
    body = ("capture-pane", "-p", *flags, "-t", pane_id)
    together = line(command(*head), command(*body))
    times: dict[str, list[float]] = {"control connection": [], "one process": []}
    for _ in range(ROUNDS):
        started = time.perf_counter()
        await server.run(together)
        times["control connection"].append(time.perf_counter() - started)
        started = time.perf_counter()
        subprocess.run(["tmux", "-S", server.socket, *head, ";", *body], capture_output=True, check=True)  # noqa: ASYNC221 that is what is measured
        times["one process"].append(time.perf_counter() - started)
    for way, seconds in times.items():
        tell(f"{name}, {way}", seconds)
    ratio = statistics.median(times["one process"]) / statistics.median(times["control connection"])
    print(f"  {ratio:.1f} times faster")
