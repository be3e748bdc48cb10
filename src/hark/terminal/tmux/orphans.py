"""Control clients whose daemon was killed, and how they are ended.

A control client ends when its daemon does, unless tmux had something to tell it in that moment: tmux (3.3a and newer) waits
until that is written, which it never is. Up to 3.6 such a client stays in the hidden session for good; from 3.7 on it leaves
the session, so that tmux does not list it, and its process stays all the same. `kill-server` waits for it.
So each client says on its command line whose it is, and the next daemon ends those whose parent is another. A server that a
client has started has the same command line and must never be ended: only a process that tmux lists as a client, or that
calls itself one, is.
"""

import asyncio
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator

from hark.terminal.tmux.commands import Line, command, line
from hark.terminal.tmux.expansion import Format
from hark.terminal.tmux.version import parse_version

HIDDEN_SESSION = "_hark"
CLIENT_NAME = "tmux: client"
"""What a client of tmux calls its process on Linux."""
ENDING_POLLS, ENDING_POLL_S = 25, 0.02
_MINE = re.compile(r"\s*(?P<pid>\d+)\s+(?P<parent>\d+)\s+(?P<words>.*)exec cat # hark (?P<daemon>\d+)\s*")


def hidden_program() -> str:
    """What runs in the hidden session; all that follows # is for us."""
    return f"exec cat # hark {os.getpid()}"


def who_is_attached() -> Line:
    """Answered with the processes of the clients that tmux lists."""
    return line(command("list-clients", "-t", f"={HIDDEN_SESSION}:", "-F", Format("#{client_pid}")))


def which_version() -> Line:
    return line(command("display-message", "-p", Format("#{version}")))


def may_have_orphans(version: str, attached: frozenset[int]) -> bool:
    """False if tmux lists nobody but us, and lists every client: looking for processes takes a while."""
    return len(attached) > 1 or parse_version(version) >= (3, 7)


async def end_orphans(socket: str, attached: frozenset[int]) -> None:
    """Ask each orphan of that tmux server to end; kill those that are still there a moment later."""
    left = list(orphans(await _processes(), socket, attached))
    for order in (signal.SIGTERM, signal.SIGKILL):
        left = [pid for pid in left if _is_told(pid, order)]
        for _ in range(ENDING_POLLS):
            if not (left := [pid for pid in left if _is_told(pid, 0)]):
                return
            await asyncio.sleep(ENDING_POLL_S)


def orphans(processes: list[str], socket: str, attached: frozenset[int]) -> Iterator[int]:
    """By what `ps` says: the process, its parent, its name, and its command line, which names the server and the daemon that was
    the parent. `attached`: the processes that tmux lists as clients."""
    for described in processes:
        found = _MINE.fullmatch(described)
        if not found or f" -S {socket} " not in found["words"] or found["parent"] == found["daemon"]:
            continue
        if int(found["pid"]) in attached or found["words"].startswith(CLIENT_NAME):
            yield int(found["pid"])


def _is_told(pid: int, order: int) -> bool:
    """True if there is such a process of ours."""
    try:
        os.kill(pid, order)
    except (ProcessLookupError, PermissionError):
        return False
    return True


async def _processes() -> list[str]:
    words = ("ps", "-A", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "comm=", "-o", "args=")
    try:
        asked = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return []
    said, _ = await asked.communicate()
    return said.decode("utf-8", "replace").splitlines()
