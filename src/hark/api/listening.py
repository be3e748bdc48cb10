"""Where the API listens: on a unix socket that belongs to the user, and on TCP with a token."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hark.model.errors import HarkError
from hark.sockets import OwnSocket

SHUTDOWN_GRACE_S = 3
BACKLOG = 512
BY_UNIX_SOCKET = "unix"
"""The name of a caller's host if the caller came by a unix socket; the port is its process id then."""


class HttpProtocol(HttpToolsProtocol):
    """Speaks HTTP with one caller, and takes note of the process that calls by a unix socket."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if pid := _peer_pid(transport.get_extra_info("socket")):
            self.client = (BY_UNIX_SOCKET, pid)


def _peer_pid(connection: socket.socket | None) -> int | None:
    """Return the process at the other end of a unix socket; None if the kernel does not tell."""
    if connection is None or connection.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return None
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid: int = struct.unpack("3i", credentials)[0]
    return pid


class Server(uvicorn.Server):
    """A uvicorn server that installs no signal handlers: the daemon handles signals once, for all servers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Doors:
    """All sockets that the API listens on. A socket that is bound early keeps its callers waiting until `serve` is called."""

    def __init__(self, app: ASGIApp, path: Path) -> None:
        self._app = app
        self._socket = OwnSocket(path, BACKLOG)
        self._servers: list[tuple[Server, socket.socket]] = []
        self._tcp: tuple[Server, socket.socket] | None = None
        self._tasks: asyncio.TaskGroup | None = None
        self._serving: set[asyncio.Task[None]] = set()

    def bind(self) -> None:
        """Bind the unix socket."""
        self._servers.append((http_server(self._app), self._socket.listen()))

    def add_tcp(self, app: ASGIApp, listener: socket.socket) -> None:
        """Serve `app` on a TCP socket: at once if the other sockets are served already."""
        server = http_server(app)
        self._servers.insert(0, (server, listener))
        self._tcp = (server, listener)
        if self._tasks is not None:
            self._begin(server, listener)

    def close_tcp(self) -> None:
        """Stop serving on the TCP socket."""
        if self._tcp:
            server, listener = self._tcp
            server.should_exit = True
            for one in getattr(server, "servers", []):
                one.close()
            listener.close()
            self._servers.remove(self._tcp)
            self._tcp = None

    def serve(self, tasks: asyncio.TaskGroup) -> None:
        self._tasks = tasks
        for server, listener in self._servers:
            self._begin(server, listener)

    def keep(self) -> bool:
        """Listen again if the unix socket's file has vanished, and return True if so. Requests under way go on as they are."""
        if self._tasks is None or not self._socket.is_gone():
            return False
        listener = self._socket.listen()
        unreachable, _ = self._servers[-1]
        for one in getattr(unreachable, "servers", []):
            one.close()
        self._servers.append((http_server(self._app), listener))
        self._begin(*self._servers[-1])
        return True

    async def close(self) -> None:
        """Stop serving, and let requests under way end within a grace period."""
        self._tasks = None
        for server, _ in self._servers:
            server.should_exit = True
        if self._serving:
            await asyncio.wait(self._serving, timeout=SHUTDOWN_GRACE_S + 2)

    def remove(self) -> None:
        self._socket.remove()

    def _begin(self, server: Server, listener: socket.socket) -> None:
        assert self._tasks is not None
        self._serving.add(self._tasks.create_task(server.serve([listener])))


def tcp_socket(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as failure:
        listener.close()
        raise HarkError(
            "config-invalid", f"cannot listen on {host}:{port}: {failure.strerror}", "choose another port"
        ) from failure
    listener.listen(BACKLOG)
    return listener


def http_server(app: ASGIApp) -> Server:
    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            http=HttpProtocol,
            ws="websockets-sansio",
            timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
            server_header=False,
            date_header=False,
        )
    )
