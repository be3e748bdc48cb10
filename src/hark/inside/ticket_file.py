"""Tickets: notes on disk which say that hark has pressed a session's editor key, so that the editor which opens is hark's own.

The daemon knows that too, but it may be dead by the time the editor opens, or be another daemon: without the ticket the editor
would become the human's, in the middle of their typing. Stdlib only: `hark-editor` reads tickets. Each ticket is good for one editor,
and not for long: an agent may have ignored the key, and the editor that the human opens next must be the human's.
"""

import contextlib
import os
import time
from pathlib import Path

from hark import instance

GOOD_FOR_S = 15.0


def write(session_id: str) -> None:
    """Write one more ticket. A session may have several: a slow agent may open an editor for each of several keys, one after another."""
    directory = _directory()
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"{session_id}.{time.time_ns():020}"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def claim(session_id: str) -> bool:
    """Use up the oldest ticket that is still good, and return True if there was one."""
    for path in _tickets(session_id):
        try:
            age_s = time.time() - path.stat().st_mtime
            path.unlink()
        except OSError:
            continue
        if age_s < GOOD_FOR_S:
            return True
    return False


def tear(session_id: str) -> None:
    """Delete the newest ticket of a session."""
    with contextlib.suppress(OSError, IndexError):
        _tickets(session_id)[-1].unlink()


def _tickets(session_id: str) -> list[Path]:
    """Return the tickets of a session, the oldest first."""
    return sorted(_directory().glob(f"{session_id}.*"))


def _directory() -> Path:
    return instance.runtime_dir() / "editors"
