"""How an agent is started: behind an airlock, with its own API opened to us where it has one."""

import secrets
import sys
from pathlib import Path

from msgspec import Struct

from hark import airlock, paths
from hark.agents.native import launch as native
from hark.agents.native.find import keep_secret
from hark.model.ids import SessionId


class Launch(Struct, frozen=True, kw_only=True):
    words: list[str]
    environment: dict[str, str]
    airlock: str
    """Socket of the airlock."""


class Launcher:
    def __init__(self, airlocks: Path, natives: Path, *, has_native: bool) -> None:
        self._airlocks = airlocks
        self._natives = natives
        self._has_native = has_native

    def launch(self, session_id: SessionId, kind: str, command: list[str], environment: dict[str, str]) -> Launch:
        variables = environment | paths.hark_environment(session_id) | paths.editor_environment(environment)
        words = list(command)
        if self._has_native and kind in native.KINDS:
            begun = native.start(kind, command, variables, self._native_door(session_id), secrets.token_urlsafe(24))
            if begun.secret:
                keep_secret(self._native_door(session_id), begun.secret)
            words, variables = list(begun.words), variables | begun.environment
        door = self.door(session_id)
        wrapped = [sys.executable, "-ISE", airlock.__file__, "--socket", door, "--", *words]
        return Launch(words=wrapped, environment=variables, airlock=door)

    def door(self, session_id: SessionId) -> str:
        self._airlocks.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(self._airlocks / f"{session_id}.sock")

    def _native_door(self, session_id: SessionId) -> Path:
        door = self._natives / session_id
        door.mkdir(mode=0o700, parents=True, exist_ok=True)
        return door
