"""A TmuxServer on a private tmux, and waiting without blocking its loop."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from hark.model.session import Pane
from hark.terminal.tmux.commands import command, line
from hark.terminal.tmux.expansion import Format
from hark.terminal.tmux.new_panes import OwnSession, Program, open_pane
from hark.terminal.tmux.server import TmuxServer
from tests.support.terminals import PrivateTmux, wait_until

Value = TypeVar("Value")

DEADLINE_S = 90.0
POLL_INTERVAL_S = 0.02


def connected(tmux: PrivateTmux, act: Callable[[TmuxServer], Awaitable[Value]]) -> Value:
    """What `act` does with a server that is closed after it, whatever happens."""

    async def run() -> Value:
        server = TmuxServer(str(tmux.socket), lambda changed: None)
        try:
            return await asyncio.wait_for(act(server), 3 * DEADLINE_S)
        finally:
            await server.close()

    return asyncio.run(run())


async def until(condition: Callable[[], Awaitable[Value]], what: str) -> Value:
    """The first truthy value of `condition`."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + DEADLINE_S
    while not (value := await condition()):
        assert loop.time() < ends_at, f"waited {DEADLINE_S} s for {what}; last seen: {value!r}"
        await asyncio.sleep(POLL_INTERVAL_S)
    return value


async def in_thread(condition: Callable[[], object], what: str) -> None:
    """For conditions that ask by a process of their own, or block."""
    await asyncio.to_thread(wait_until, condition, DEADLINE_S, what)


async def start(
    server: TmuxServer,
    name: str,
    words: list[str],
    directory: str,
    environment: dict[str, str],
    columns: int,
    rows: int,
) -> Pane:
    """A program in a tmux session of its own."""
    program = Program(words=words, directory=directory, environment=environment, name=name, title=name)
    return await open_pane(server, program, OwnSession(name=name, columns=columns, rows=rows))


def pane_of(tmux: PrivateTmux, pane_id: str) -> Pane:
    return Pane(socket=str(tmux.socket), pane_id=pane_id, pid=int(tmux.read(pane_id, "#{pane_pid}")))


def new_pane(tmux: PrivateTmux, text: str, columns: int = 80, rows: int = 24) -> Pane:
    """A program that prints a text and then does nothing; answered when the cursor stands behind the text."""
    script = tmux.directory / "print.py"
    script.write_text(PRINT)
    done = tmux.directory / f"printed-{len(list(tmux.directory.iterdir()))}"
    pane_id = tmux.new([sys.executable, "-ISE", str(script), text, str(done)], columns, rows)
    # tmux reports the cursor to the program only after it has read all that came before.
    wait_until(done.exists, DEADLINE_S, "the program to have printed")
    return pane_of(tmux, pane_id)


PRINT = """
import os, pathlib, sys, tty
tty.setraw(0)
os.write(1, sys.argv[1].encode())
os.write(1, b"\\x1b[6n")
answer = b""
while not answer.endswith(b"R"):
    answer += os.read(0, 1)
pathlib.Path(sys.argv[2]).touch()
while os.read(0, 1):
    pass
"""


async def ask(server: TmuxServer, *words: str) -> list[str]:
    """One command, its answer as text. Words with `#{` are formats."""
    name, *rest = words
    [reply] = await server.run(line(command(name, *(Format(word) if "#{" in word else word for word in rest))))
    return [text.decode() for text in reply.lines]


def write_program(path: Path, source: str) -> str:
    path.write_text(source)
    path.chmod(0o755)
    return str(path)
