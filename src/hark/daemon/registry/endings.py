"""Finds out how the agent of a session has ended. The airlock of the agent writes that down beside its socket before it ends itself."""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from hark.model.session import LOST_SERVER, Session
from hark.queue.comebacks import KILLED_WITH_AIRLOCK, Ending

_TOLD = Ending(was_told=True)
_PF_EXITING = 0x4
"""The flag by which Linux marks a process that has begun to end."""


class _Left(Struct, frozen=True):
    """What an airlock has left behind."""

    status: int
    """The agent's wait status."""
    was_told: bool


def find_ending(session: Session, why: str) -> Ending:
    """Return how the agent of a session that is gone has ended. `why` is what the watcher has seen.

    A pane goes away when its airlock has ended, which then has left a word; or because somebody has closed the pane, and then the airlock
    may still be there and wait for its agent. An airlock that is gone without a word was killed, unless its tmux server is gone too."""
    if session.airlock is None:
        return Ending()
    if left := _read(_place(session.airlock)):
        code = os.waitstatus_to_exitcode(left.status)
        if code < 0:
            return Ending(signal=-code, was_told=left.was_told)
        return Ending(exit_code=code, was_told=left.was_told)
    return _TOLD if why == LOST_SERVER or _is_alive(session.pane.pid) else KILLED_WITH_AIRLOCK


def forget_ending(session: Session) -> None:
    """Remove what the airlock of the session has left behind."""
    if session.airlock:
        _place(session.airlock).unlink(missing_ok=True)


def _place(airlock: str) -> Path:
    return Path(f"{airlock}.end")


def _read(place: Path) -> _Left | None:
    try:
        return msgspec.json.decode(place.read_bytes(), type=_Left)
    except (OSError, msgspec.DecodeError):
        return None


def _is_alive(pid: int) -> bool:
    """Return whether the process runs. One that is just ending, or that its parent, tmux, has not taken note of yet, is there, but dead."""
    if _is_ending(pid):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_ending(pid: int) -> bool:
    """Return whether Linux says that the process has begun to end: it closes its terminal before anybody can see that it is dead."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return fields[0] in ("Z", "X") or bool(int(fields[6]) & _PF_EXITING)
    except (OSError, IndexError, ValueError):
        return False
