"""The output of panes, as it happens. `handoff` hands over one pipe per pane, the daemon always drains it, and no pane needs a process."""

import asyncio
import contextlib
import os
import secrets
import shlex
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from hark.model.session import Pane
from hark.sockets import OwnSocket
from hark.terminal import handoff
from hark.terminal.tmux.server import TmuxServer

CHUNK = 65536
HANDOFF_DEADLINE_S = 10.0
BACKLOG = 64


class PaneStreams:
    """The pipes of all panes. `on_output` is called for every chunk; `on_closed` is called when a pane's pipe ends, because the pane or
    the server is gone or because a human put a pipe of their own in its place."""

    def __init__(self, path: Path, on_output: Callable[[Pane, bytes], None], on_closed: Callable[[Pane], None]) -> None:
        self._path = path
        self._socket = OwnSocket(path, BACKLOG)
        self._on_output = on_output
        self._on_closed = on_closed
        self._listener: socket.socket | None = None
        self._expected: dict[str, asyncio.Future[int]] = {}
        self._open: dict[int, Pane] = {}
        self._panes: set[Pane] = set()
        """The panes whose pipes are open. It is a set beside `_open` because `is_open` is called all the time."""
        self._strangers: set[socket.socket] = set()
        """The connections that have not sent anything yet."""

    def open(self) -> None:
        self._listener = self._socket.listen()
        self._listener.setblocking(False)
        asyncio.get_running_loop().add_reader(self._listener, self._accept)

    def close(self) -> None:
        loop = asyncio.get_running_loop()
        self._stop_listening()
        self._socket.remove()
        for connection in self._strangers:
            loop.remove_reader(connection)
            connection.close()
        self._strangers.clear()
        for descriptor in list(self._open):
            loop.remove_reader(descriptor)
            os.close(descriptor)
        self._open.clear()
        self._panes.clear()

    def keep(self) -> bool:
        """Listen again if the socket's file has vanished, and return True if it had. Streams that are open go on."""
        if self._listener is None or not self._socket.is_gone():
            return False
        self._stop_listening()
        self.open()
        return True

    def _stop_listening(self) -> None:
        if self._listener:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None

    def is_open(self, pane: Pane) -> bool:
        return pane in self._panes

    async def attach(self, server: TmuxServer, pane: Pane) -> bool:
        """Open the stream of a pane. Return False if the pane has a pipe of the human's, or if the new pipe does not arrive in time: then
        there is no stream, and whoever waits for output must look at the screen instead."""
        token = secrets.token_hex(16)
        arrival = asyncio.get_running_loop().create_future()
        self._expected[token] = arrival
        words = [sys.executable, "-ISE", handoff.__file__, str(self._path), token]
        try:
            if not await server.pipe(pane, f"exec {shlex.join(words)} >/dev/null"):
                return False
            descriptor = await asyncio.wait_for(arrival, HANDOFF_DEADLINE_S)
        except TimeoutError:
            return False
        finally:
            self._expected.pop(token, None)
        os.set_blocking(descriptor, False)
        os.set_inheritable(descriptor, False)
        self._open[descriptor] = pane
        self._panes.add(pane)
        asyncio.get_running_loop().add_reader(descriptor, self._read, descriptor, pane)
        return True

    def _accept(self) -> None:
        assert self._listener is not None
        with contextlib.suppress(BlockingIOError):
            connection, _ = self._listener.accept()
            connection.setblocking(False)
            self._strangers.add(connection)
            asyncio.get_running_loop().add_reader(connection, self._receive, connection)

    def _receive(self, connection: socket.socket) -> None:
        """Take a pane's pipe from a connection, if it sends a token that we gave out; ignore every other connection."""
        self._strangers.discard(connection)
        descriptors: list[int] = []
        with connection, contextlib.suppress(OSError):
            asyncio.get_running_loop().remove_reader(connection)
            data, descriptors, _, _ = socket.recv_fds(connection, 64, 4)
            arrival = self._expected.get(data.decode("ascii", "replace"))
            if arrival and not arrival.done() and descriptors:
                arrival.set_result(descriptors.pop(0))
        for unwanted in descriptors:
            os.close(unwanted)

    def _read(self, descriptor: int, pane: Pane) -> None:
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._on_output(pane, data)
            return
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)
        del self._open[descriptor]
        self._panes.discard(pane)
        self._on_closed(pane)
