"""A note on disk that hark has pressed a session's editor key, so that the editor which opens is hark's own.

The daemon knows that too, but it may be dead by the time the editor opens, or be another one: without the note the editor
would become the human's, in the middle of their typing. Stdlib only: `hark-editor` reads it. It is good for one editor, and
not for long: an agent may have ignored the key, and the human's next one must be the human's.
"""

import contextlib
import os
import time
from pathlib import Path

from hark import instance

GOOD_FOR_S = 15.0


def write(session_id: str) -> None:
    path = _path(session_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    os.utime(path)


def claim(session_id: str) -> bool:
    """Whether there was one; whoever asks next has none."""
    path = _path(session_id)
    try:
        age_s = time.time() - path.stat().st_mtime
        path.unlink()
    except OSError:
        return False
    return age_s < GOOD_FOR_S


def tear(session_id: str) -> None:
    with contextlib.suppress(OSError):
        _path(session_id).unlink()


def _path(session_id: str) -> Path:
    return instance.runtime_dir() / "editors" / session_id
