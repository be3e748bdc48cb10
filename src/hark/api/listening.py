"""Where the API is listened for: a socket of the user's own, and TCP with a token."""

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from hark import paths
from hark.model.errors import HarkError

SHUTDOWN_GRACE_S = 3


class Server(uvicorn.Server):
    """Signals are handled once, by us, for all servers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def unix_socket(path: Path) -> socket.socket:
    """We hold the lock, so a socket of ours that is there is a dead one."""
    if os.path.lexists(path) and not paths.socket_is_ours(path):
        raise HarkError("directory-unsafe", f"{path} is not a socket of yours", f"look who owns {path.parent}")
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    listener.listen(512)
    return listener


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
    listener.listen(512)
    return listener


def token() -> str:
    """Made once, private to the user. One that is empty (the disk was full when it was made) would let everybody in."""
    path = paths.token_path()
    with open(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600), "r+") as file:
        os.fchmod(file.fileno(), 0o600)
        words = file.read().strip()
        if not words:
            words = secrets.token_urlsafe(32)
            file.seek(0)
            file.write(words + "\n")
    return words


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
