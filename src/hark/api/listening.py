"""Where the API listens: on a unix socket that belongs to the user, and on TCP with a token."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from hark.model.errors import HarkError
from hark.sockets import OwnSocket

SHUTDOWN_GRACE_S = 3
BACKLOG = 512


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
        self._tasks: asyncio.TaskGroup | None = None
        self._serving: set[asyncio.Task[None]] = set()

    def bind(self) -> None:
        """Bind the unix socket."""
        self._servers.append((http_server(self._app), self._socket.listen()))

    def bind_tcp(self, app: ASGIApp, listener: socket.socket) -> None:
        self._servers.insert(0, (http_server(app), listener))

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
            http="httptools",
            ws="websockets-sansio",
            timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
            server_header=False,
            date_header=False,
        )
    )
