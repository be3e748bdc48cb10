"""Control clients whose daemon was killed, and how they are ended.

A control client ends when its daemon does, unless tmux had something to tell it in that moment: tmux (3.3a and newer) waits
until that is written, which it never is. Up to 3.6 such a client stays in the hidden session for good; from 3.7 on it leaves
the session, so that tmux does not list it, and its process stays all the same. `kill-server` waits for it.
So each client says on its command line whose it is, and the next daemon ends those whose parent is another.
"""

import asyncio
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator

HIDDEN_SESSION = "_hark"
ENDING_POLLS, ENDING_POLL_S = 25, 0.02
_MINE = re.compile(r"\s*(?P<pid>\d+)\s+(?P<parent>\d+)\s+(?P<words>.*)exec cat # hark (?P<daemon>\d+)\s*")


def hidden_program() -> str:
    """What runs in the hidden session; all that follows # is for us."""
    return f"exec cat # hark {os.getpid()}"


async def end_orphans(socket: str) -> None:
    """Ask each orphan of that tmux server to end; kill those that are still there a moment later."""
    left = list(orphans(await _processes(), socket))
    for order in (signal.SIGTERM, signal.SIGKILL):
        left = [pid for pid in left if _is_told(pid, order)]
        for _ in range(ENDING_POLLS):
            if not (left := [pid for pid in left if _is_told(pid, 0)]):
                return
            await asyncio.sleep(ENDING_POLL_S)


def orphans(processes: list[str], socket: str) -> Iterator[int]:
    """By what `ps` says: the process, its parent, and its command line, which names the server and the daemon that was the
    parent."""
    for described in processes:
        found = _MINE.fullmatch(described)
        if found and f" -S {socket} " in found["words"] and found["parent"] != found["daemon"]:
            yield int(found["pid"])


def _is_told(pid: int, order: int) -> bool:
    """True if there is such a process of ours."""
    try:
        os.kill(pid, order)
    except (ProcessLookupError, PermissionError):
        return False
    return True


async def _processes() -> list[str]:
    words = ("ps", "-A", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "args=")
    try:
        asked = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return []
    said, _ = await asked.communicate()
    return said.decode("utf-8", "replace").splitlines()
