"""A daemon that was killed leaves no control client behind for good."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from hark.terminal.tmux.orphans import HIDDEN_SESSION, orphans
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import DEADLINE_S, connected, new_pane
from tests.support.terminals import PrivateTmux, clean_environment, wait_until

DESCRIBED = {
    "its daemon is its parent": ("5 4711 tmux: client tmux -S /s -C new-session exec cat # hark 4711", []),
    "its daemon is gone": ("  5     1 tmux: client    tmux -S /s -C new-session exec cat # hark 4711", [5]),
    "its daemon is gone, and a service manager took it": (
        "5 902 tmux: client tmux -u -S /s -C exec cat # hark 4711  ",
        [5],
    ),
    "a client that tmux lists": ("7 1 tmux tmux -S /s -C new-session exec cat # hark 4711", [7]),
    "a client that tmux does not list and that has no name": ("5 1 tmux tmux -S /s -C new exec cat # hark 4711", []),
    "the server that it has started": ("5 1 tmux: server tmux -S /s -C new-session exec cat # hark 4711", []),
    "it is a client of another server": ("5 1 tmux: client tmux -S /s2 -C new exec cat # hark 4711", []),
    "somebody else's": ("5 1 tmux: client tmux -S /s -C attach -t _hark", []),
    "nothing": ("", []),
}

# Asks for much, reads nothing of it, and waits to be killed.
VICTIM = """
import subprocess, sys, time
from hark.terminal.tmux.orphans import hidden_program
hidden = ["new-session", "-A", "-s", "_hark", hidden_program()]
client = subprocess.Popen([*sys.argv[1:], "-C", *hidden], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
client.stdin.write(b"list-keys\\n" * 100)
client.stdin.flush()
print(client.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(("described", "expected"), DESCRIBED.values(), ids=DESCRIBED)
def test_who_is_an_orphan(described: str, expected: list[int]) -> None:
    assert list(orphans([described], "/s", frozenset([7]))) == expected


def test_the_next_daemon_ends_it(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")
    orphan = left_by_a_victim(tmux)

    async def act(server: TmuxServer) -> None:
        await server.connect()

    try:
        connected(tmux, act)
        wait_until(lambda: not is_alive(orphan), DEADLINE_S, f"the orphan {orphan} to end")
    finally:
        end(orphan)


def test_a_client_of_a_daemon_that_lives_is_left_alone(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")

    async def act(server: TmuxServer) -> list[str]:
        await server.connect()
        other = TmuxServer(str(tmux.socket), lambda changed: None)
        try:
            await other.connect()
            return clients(tmux)
        finally:
            await other.close()

    assert len(connected(tmux, act)) == 2


def left_by_a_victim(tmux: PrivateTmux) -> int:
    words = ["tmux", "-S", str(tmux.socket)]
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, *words], stdout=subprocess.PIPE, env=clean_environment(), text=True
    )
    try:
        assert victim.stdout is not None
        pid = int(victim.stdout.readline())
        try:
            wait_until(lambda: str(pid) in clients(tmux), DEADLINE_S, "the client")
        except AssertionError:
            end(pid)
            raise
    finally:
        victim.kill()
        victim.communicate()
    return pid


def clients(tmux: PrivateTmux) -> list[str]:
    return tmux.run("list-clients", "-F", f"#{{?#{{==:#{{session_name}},{HIDDEN_SESSION}}},#{{client_pid}},}}").split()


def end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
