"""Sockets of tmux servers: where they are, and whether they are safe to use."""

import contextlib
import os
from pathlib import Path

from hark.model.errors import HarkError
from hark.paths import UNSAFE_HINT, UnsafeDirectory, check_tmux_socket


def check_owner(socket: str) -> None:
    try:
        check_tmux_socket(socket)
    except UnsafeDirectory as unsafe:
        raise HarkError("tmux-unsafe", f"no safe tmux server: {unsafe}", UNSAFE_HINT) from unsafe


def default_socket(name: str) -> str:
    """Return the path at which `tmux -L NAME` has its socket."""
    # hark checks whether the directory is safe when somebody connects: at that time it must still see a link in its place as a link.
    directory = Path(os.environ.get("TMUX_TMPDIR") or "/tmp").resolve() / f"tmux-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(directory / name)


def choose_socket(name: str | None, path: str | None) -> str | None:
    if name and path:
        raise HarkError(
            "request-invalid", "the request has both a socket name and a socket path", "give one of -L and -S"
        )
    if "\0" in (name or "") + (path or ""):
        raise HarkError("request-invalid", "a NUL byte cannot be part of a socket's path", "take it out")
    if name and "/" in name:
        raise HarkError("request-invalid", f"{name!r} is not a socket name", "use -S for a path")
    return default_socket(name) if name else path and os.path.abspath(path)
