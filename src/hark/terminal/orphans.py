"""Control clients whose daemon was killed, and how they are ended.

A control client ends when its daemon does, unless tmux had something to tell it in that moment: tmux (3.3a at least) waits
until that is written, which it never is. Such a client stays in the hidden session for good, and `kill-server` waits for it.
So each client says on its command line whose it is, and the next daemon ends those whose parent is another.
"""

import asyncio
import contextlib
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable

from hark.terminal.commands import Line, command, line
from hark.terminal.expansion import Format

HIDDEN_SESSION = "_hark"
_MINE = re.compile(r"(?P<parent>\d+) .*exec cat # hark (?P<daemon>\d+)")


def hidden_program() -> str:
    """What runs in the hidden session; all that follows # is for us."""
    return f"exec cat # hark {os.getpid()}"


def who_is_attached() -> Line:
    return line(command("list-clients", "-t", f"={HIDDEN_SESSION}:", "-F", Format("#{client_pid}")))


async def end_orphans(clients: Iterable[int]) -> None:
    for pid in clients:
        if is_orphan(await _described(pid)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)


def is_orphan(described: str) -> bool:
    """By what `ps` says: the parent, and the command line, which names the daemon that was the parent."""
    found = _MINE.fullmatch(described.strip())
    return found is not None and found["parent"] != found["daemon"]


async def _described(pid: int) -> str:
    words = ("ps", "-ww", "-o", "ppid=", "-o", "args=", "-p", str(pid))
    try:
        asked = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return ""
    said, _ = await asked.communicate()
    return said.decode("utf-8", "replace")
