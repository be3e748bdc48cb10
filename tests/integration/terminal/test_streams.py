"""What panes print arrives whole and in order, and nothing stays open."""

import array
import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from hark.model.session import Pane
from hark.terminal.streams import PaneStreams
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import DEADLINE_S, connected, in_thread, new_pane, pane_of, until
from tests.support.terminals import PrivateTmux

LINES = 130_000
"""Two megabytes."""
COUNT = f"""
import sys, tty
tty.setraw(1)
sys.stdin.read(1)
sys.stdout.write("".join(f"line {{number:08}}\\r\\n" for number in range({LINES})))
sys.stdout.flush()
sys.stdin.read(1)
"""


class Listener:
    def __init__(self, directory: Path) -> None:
        self.path = directory / "pipes"
        self.output: dict[Pane, bytearray] = {}
        self.closed: list[Pane] = []
        self.streams = PaneStreams(self.path, self._hear, self.closed.append)

    def _hear(self, pane: Pane, data: bytes) -> None:
        self.output.setdefault(pane, bytearray()).extend(data)

    def heard(self, pane: Pane) -> bytes:
        return bytes(self.output.get(pane, b""))


def listening(tmux: PrivateTmux, act: Callable[[TmuxServer, Listener], Awaitable[None]]) -> None:
    async def run(server: TmuxServer) -> None:
        listener = Listener(tmux.directory)
        listener.streams.open()
        try:
            await act(server, listener)
        finally:
            listener.streams.close()

    connected(tmux, run)


def descriptors() -> set[tuple[str, str]]:
    return {(name, target) for name in os.listdir("/proc/self/fd") if (target := read_link(name))}


def read_link(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{name}")
    except FileNotFoundError:
        return ""


def test_two_megabytes_arrive_whole_and_in_order(tmux: PrivateTmux) -> None:
    pane = pane_of(tmux, tmux.new([sys.executable, "-ISE", "-c", COUNT]))
    expected = "".join(f"line {number:08}\r\n" for number in range(LINES)).encode()

    async def act(server: TmuxServer, listener: Listener) -> None:
        assert await listener.streams.attach(server, pane)
        assert listener.streams.is_open(pane)
        tmux.press(pane.pane_id, "x")

        async def is_complete() -> bool:
            return len(listener.heard(pane)) >= len(expected)

        await until(is_complete, "two megabytes")
        assert listener.heard(pane).removeprefix(b"x") == expected

    listening(tmux, act)


def test_every_pane_has_its_own_stream_and_no_process(tmux: PrivateTmux) -> None:
    panes = [pane_of(tmux, tmux.new("cat")) for _ in range(3)]

    async def act(server: TmuxServer, listener: Listener) -> None:
        assert await asyncio.gather(*(listener.streams.attach(server, pane) for pane in panes)) == [True] * 3
        for number, pane in enumerate(panes):
            tmux.type(pane.pane_id, f"words of {number}")

        async def is_heard() -> bool:
            return all(f"words of {number}".encode() in listener.heard(pane) for number, pane in enumerate(panes))

        await until(is_heard, "each pane's words")
        await in_thread(lambda: not helpers(listener.path), "the helpers to end")
        assert [tmux.read(pane.pane_id, "#{pane_pipe}") for pane in panes] == ["1"] * 3

    listening(tmux, act)


def helpers(path: Path) -> list[str]:
    """Processes that were started with the path of the socket."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(path).encode() in words:
            found.append(entry.parent.name)
    return found


def test_a_humans_own_pipe_is_left_alone(tmux: PrivateTmux) -> None:
    pane = pane_of(tmux, tmux.new("cat"))
    log = tmux.directory / "log"
    tmux.run("pipe-pane", "-t", pane.pane_id, f"cat >>{log}")

    async def act(server: TmuxServer, listener: Listener) -> None:
        assert not await listener.streams.attach(server, pane)
        assert not listener.streams.is_open(pane)
        tmux.type(pane.pane_id, "still logged")
        await in_thread(lambda: log.exists() and "still logged" in log.read_text(), "the human's log")

    listening(tmux, act)


@pytest.mark.parametrize(
    "end", ["the pane is killed", "the program ends", "a human pipes elsewhere", "the server ends"]
)
def test_the_end_of_a_stream_is_told_once(tmux: PrivateTmux, end: str) -> None:
    new_pane(tmux, "another")
    pane = pane_of(tmux, tmux.new("cat"))
    endings = {
        "the pane is killed": ("kill-pane", "-t", pane.pane_id),
        "the program ends": ("respawn-pane", "-k", "-t", pane.pane_id, "exit"),
        "a human pipes elsewhere": ("pipe-pane", "-t", pane.pane_id, "cat >/dev/null"),
        "the server ends": ("kill-server",),
    }

    async def act(server: TmuxServer, listener: Listener) -> None:
        assert await listener.streams.attach(server, pane)
        if end == "the program ends":
            tmux.run("set-option", "-p", "-t", pane.pane_id, "remain-on-exit", "off")
        tmux.run(*endings[end])

        async def is_closed() -> bool:
            return bool(listener.closed)

        await until(is_closed, "the end")
        assert listener.closed == [pane]
        assert not listener.streams.is_open(pane)

    listening(tmux, act)


def test_a_stream_can_be_attached_again(tmux: PrivateTmux) -> None:
    pane = pane_of(tmux, tmux.new("cat"))

    async def act(server: TmuxServer, listener: Listener) -> None:
        assert await listener.streams.attach(server, pane)
        tmux.run("pipe-pane", "-t", pane.pane_id)

        async def is_closed() -> bool:
            return not listener.streams.is_open(pane)

        await until(is_closed, "the end")
        assert await listener.streams.attach(server, pane)
        tmux.type(pane.pane_id, "again")

        async def is_heard() -> bool:
            return b"again" in listener.heard(pane)

        await until(is_heard, "its words")

    listening(tmux, act)


def test_who_has_no_token_is_not_listened_to(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer, listener: Listener) -> None:
        reading, writing = os.pipe()
        before = descriptors()
        with socket.socket(socket.AF_UNIX) as stranger:
            await asyncio.to_thread(stranger.connect, str(listener.path))
            passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [reading] * 3))]
            stranger.sendmsg([b"0" * 32], passed)
            stranger.setblocking(False)
            assert await asyncio.wait_for(asyncio.get_running_loop().sock_recv(stranger, 1), DEADLINE_S) == b""
        try:
            assert descriptors() == before
            os.write(writing, b"listen to me")
            await asyncio.sleep(0)
            assert listener.output == {}
        finally:
            os.close(reading)
            os.close(writing)

    listening(tmux, act)


def test_only_the_owner_may_connect(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer, listener: Listener) -> None:
        assert listener.path.stat().st_mode & 0o777 == 0o600

    listening(tmux, act)


def test_closing_releases_every_descriptor(tmux: PrivateTmux) -> None:
    panes = [pane_of(tmux, tmux.new("cat")) for _ in range(3)]

    async def act(server: TmuxServer) -> None:
        await server.connect()
        before = descriptors()
        listener = Listener(tmux.directory)
        listener.streams.open()
        with socket.socket(socket.AF_UNIX) as stranger:
            await asyncio.to_thread(stranger.connect, str(listener.path))
            for pane in panes:
                assert await listener.streams.attach(server, pane)
            assert len(descriptors()) > len(before) + 3
            listener.streams.close()
        assert descriptors() == before
        assert not listener.path.exists()
        await in_thread(lambda: all(tmux.read(pane.pane_id, "#{pane_pipe}") == "0" for pane in panes), "no pipes")
        assert listener.closed == []

    connected(tmux, act)


def test_received_descriptors_are_not_inherited_by_children(tmux: PrivateTmux) -> None:
    pane = pane_of(tmux, tmux.new("cat"))

    async def act(server: TmuxServer, listener: Listener) -> None:
        before = descriptors()
        assert await listener.streams.attach(server, pane)
        new = descriptors() - before
        assert new
        assert not any(os.get_inheritable(int(name)) for name, _ in new)

    listening(tmux, act)


def test_a_socket_left_by_a_killed_daemon_is_replaced(tmux: PrivateTmux) -> None:
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(tmux.directory / "pipes"))
    pane = pane_of(tmux, tmux.new("cat"))

    async def act(server: TmuxServer, listener: Listener) -> None:
        assert await listener.streams.attach(server, pane)

    listening(tmux, act)
