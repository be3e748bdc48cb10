"""The directories that a daemon needs: private to the user, writable, and short enough for a socket."""

import os

from hark import paths
from hark.model.errors import HarkError


def make_directories() -> None:
    try:
        paths.make_private(paths.runtime_dir())
        paths.make_private(paths.state_dir())
    except paths.UnsafeDirectory as unsafe:
        raise HarkError(
            "directory-unsafe", str(unsafe), "remove it if somebody else made it, or set HARK_HOME"
        ) from unsafe
    except OSError as failure:
        raise HarkError(
            "state-not-writable",
            f"{failure.filename}: {failure.strerror}",
            "make it writable, or set HARK_HOME to a directory of yours",
        ) from failure
    if len(os.fsencode(paths.socket_path())) > 100:
        raise HarkError(
            "directory-unsafe",
            f"{paths.socket_path()} is too long for a socket",
            "choose a shorter HARK_HOME or XDG_RUNTIME_DIR",
        )
    for directory in (paths.runtime_dir(), paths.state_dir()):
        if not os.access(directory, os.W_OK):
            raise HarkError(
                "state-not-writable",
                f"{directory} is not writable",
                "make it writable, or set HARK_HOME to a directory of yours",
            )
