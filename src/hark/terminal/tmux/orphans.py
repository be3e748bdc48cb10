"""Orphans: control clients whose daemon was killed, and how hark ends them.

A control client ends when its daemon ends, unless tmux had something to tell the client in that moment: tmux (3.3a and newer) waits
until that is written, which never happens. Up to 3.6 such a client stays in the hidden session for good; from 3.7 on it leaves
the session, so that tmux does not list it, and its process stays all the same. `kill-server` waits for that process.
So each client has its daemon's process id on its command line, and the next daemon ends the clients whose parent is another process. A
server that a client has started has the same command line and must never be ended: so hark ends only a process that tmux lists as a
client, or that calls itself a client.
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
"""The name that a tmux client gives its process on Linux."""
ENDING_POLLS, ENDING_POLL_S = 25, 0.02
_MINE = re.compile(r"\s*(?P<pid>\d+)\s+(?P<parent>\d+)\s+(?P<words>.*)exec cat # hark (?P<daemon>\d+)\s*")


def hidden_program() -> str:
    """Return the shell command that runs in the hidden session. The comment behind # tells us whose client it is."""
    return f"exec cat # hark {os.getpid()}"


def who_is_attached() -> Line:
    """Return the line that asks tmux for the process ids of the clients in the hidden session."""
    return line(command("list-clients", "-t", f"={HIDDEN_SESSION}:", "-F", Format("#{client_pid}")))


def which_version() -> Line:
    return line(command("display-message", "-p", Format("#{version}")))


def may_have_orphans(version: str, attached: frozenset[int]) -> bool:
    """Return False if there are no orphans for certain: tmux lists nobody but us, and before 3.7 it lists every client. Then hark need
    not look through all processes, which takes a while."""
    return len(attached) > 1 or parse_version(version) >= (3, 7)


async def end_orphans(socket: str, attached: frozenset[int]) -> None:
    """Ask each orphan of that tmux server to end; kill the orphans that are still there a moment later."""
    left = list(orphans(await _processes(), socket, attached))
    for order in (signal.SIGTERM, signal.SIGKILL):
        left = [pid for pid in left if _send_signal(pid, order)]
        for _ in range(ENDING_POLLS):
            if not (left := [pid for pid in left if _send_signal(pid, 0)]):
                return
            await asyncio.sleep(ENDING_POLL_S)


def orphans(processes: list[str], socket: str, attached: frozenset[int]) -> Iterator[int]:
    """Yield the process ids of the orphans among `processes`. Each line of `ps` has the process, its parent, its name, and its command
    line, which names the server and the daemon that was the parent. `attached` has the processes that tmux lists as clients."""
    for described in processes:
        found = _MINE.fullmatch(described)
        if not found or f" -S {socket} " not in found["words"] or found["parent"] == found["daemon"]:
            continue
        if int(found["pid"]) in attached or found["words"].startswith(CLIENT_NAME):
            yield int(found["pid"])


def _send_signal(pid: int, order: int) -> bool:
    """Send the signal; return True if there is such a process of ours."""
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
