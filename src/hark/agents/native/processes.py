"""What /proc tells about the processes of a pane: which belong to it, what they listen on, what they have open.

Where there is no /proc, hark finds nothing, and the terminal channel has to do.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hark.agents.lineage import Process

PROC = Path("/proc")
MOST_ANCESTORS = 100
LONGEST_WORDS = 4096
"""How many bytes of a command line are read; a command line names its program at its beginning."""
LISTENING = "0A"
CONNECTED = "03"
LOOPBACK = "0100007F"


def tree(root: int) -> list[int]:
    """Return a process and all its descendants, parents first."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for pid, parent in _parents():
        children[parent].append(pid)
    found = [root]
    for pid in found:
        found += children[pid]
    return found


def ancestors(pid: int) -> list[Process]:
    """Return a process, its parent, its parent's parent and so on, up to the first process of the machine; empty if /proc does
    not tell."""
    chain: list[Process] = []
    while pid > 0 and len(chain) < MOST_ANCESTORS:
        try:
            # The name of the program stands in brackets and may hold anything.
            fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
            with open(PROC / str(pid) / "cmdline", "rb") as file:
                words = file.read(LONGEST_WORDS).decode(errors="replace").split("\0")
            chain.append(Process(pid, int(fields[2]), tuple(words)))
            pid = int(fields[1])
        except (OSError, IndexError, ValueError):
            return []
    return chain


def has_environment(pid: int, name: str, value: str) -> bool:
    """Return whether the process began with this variable in its environment."""
    try:
        return f"{name}={value}".encode() in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def environment_of(pid: int) -> dict[str, str]:
    """Return the environment with which the process began; empty if this user may not read it."""
    try:
        pairs = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(pair.decode(errors="replace").split("=", 1) for pair in pairs if b"=" in pair)


def loopback_ports(pid: int) -> list[int]:
    """Return the TCP ports of the IPv4 loopback on which this very process listens."""
    mine = {target[8:-1] for target in open_files(pid) if target.startswith("socket:[")}
    return [port for inode, port in _listening(pid) if inode in mine]


def has_client(socket: Path) -> bool:
    """Return whether anybody is connected to a unix socket."""
    real = os.path.realpath(socket)
    try:
        lines = (PROC / "net/unix").read_text().splitlines()[1:]
    except OSError:
        return False
    fields = (line.split(maxsplit=7) for line in lines)
    return any(len(one) == 8 and one[5] == CONNECTED and one[7] == real for one in fields)


def terminal_of(pid: int) -> str | None:
    """Return what a process reads from: the name of its terminal, or of whatever else it is; None if that cannot be told."""
    try:
        return os.readlink(PROC / str(pid) / "fd/0")
    except OSError:
        return None


def open_files(pid: int) -> list[str]:
    return list(_targets(PROC / str(pid) / "fd"))


def _targets(directory: Path) -> Iterator[str]:
    try:
        names = os.listdir(directory)
    except OSError:
        return
    for name in names:
        try:
            yield os.readlink(directory / name)
        except OSError:
            continue


def _listening(pid: int) -> Iterator[tuple[str, int]]:
    try:
        lines = (PROC / str(pid) / "net/tcp").read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        fields = line.split()
        address, _, port = fields[1].partition(":")
        if fields[3] == LISTENING and address == LOOPBACK:
            yield fields[9], int(port, 16)


def _parents() -> Iterator[tuple[int, int]]:
    try:
        names = [name for name in os.listdir(PROC) if name.isdigit()]
    except OSError:
        return
    for name in names:
        try:
            # The name of the program stands in brackets and may hold anything.
            yield int(name), int((PROC / name / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
