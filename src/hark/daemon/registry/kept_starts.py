"""Keeps what hark needs to start an agent again by itself: the environment that the agent was started with.

An environment often holds keys, so it is in no database. Each session that hark may start again has a file of its own, which only the
user can read, in the runtime directory: that directory does not outlive a reboot, and the file does not outlive the session.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from hark.daemon.process.log import logger
from hark.model.ids import SessionId


class KeptStart(Struct, frozen=True, kw_only=True):
    environment: dict[str, str]
    has_signals: bool = False
    """True if the agent was taught to signal."""


class KeptStarts:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, session_id: SessionId, start: KeptStart) -> None:
        """Write down how the session's agent was started. If that is not possible, the agent runs all the same."""
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.drop(session_id)
            file = os.open(self._place(session_id), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as opened:
                opened.write(msgspec.json.encode(start))
        except OSError as failure:
            logger.warning("a start was not kept", extra={"session": session_id, "detail": str(failure)})

    def find(self, session_id: SessionId) -> KeptStart | None:
        """Return how the session's agent was started; None if that is not known any more."""
        try:
            return msgspec.json.decode(self._place(session_id).read_bytes(), type=KeptStart)
        except (OSError, msgspec.DecodeError):
            return None

    def drop(self, session_id: SessionId) -> None:
        self._place(session_id).unlink(missing_ok=True)

    def _place(self, session_id: SessionId) -> Path:
        return self._directory / f"{session_id}.json"
