"""Prepares the start of an agent: behind an airlock, with its own API opened to us if it has one, else with hooks."""

import os
import secrets
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from hark import paths
from hark.agents.native import launch as native
from hark.agents.native.access import keep_secret
from hark.agents.registry import find_agent
from hark.inside import airlock
from hark.installing.hooks import MARK
from hark.installing.injection import inject, prepare, teach
from hark.installing.quick import quick_program
from hark.model.errors import HarkError
from hark.model.ids import SessionId


class Launch(Struct, frozen=True, kw_only=True):
    words: list[str]
    environment: dict[str, str]
    airlock: str
    """The path of the airlock's socket."""


class Launcher:
    def __init__(
        self,
        airlocks: Path,
        natives: Path,
        hooks: Path,
        *,
        has_native: bool,
        has_hooks: bool,
        has_waiter: bool = False,
        access: Callable[[SessionId], dict[str, str]] | None = None,
    ) -> None:
        """`access` returns the environment variables by which a program in a session reaches the daemon."""
        self._airlocks = airlocks
        self._natives = natives
        self._hooks = hooks
        self._has_native = has_native
        self._has_hooks = has_hooks
        self._has_waiter = has_waiter
        self._access = access

    def launch(
        self,
        session_id: SessionId,
        kind: str,
        command: list[str],
        environment: dict[str, str],
        *,
        has_signals: bool = False,
        is_watched: bool = False,
    ) -> Launch:
        """Return how to start an agent for a session. With `has_signals` the agent is taught to signal for this run, if it allows that.
        `is_watched` is True if `hark run` shows the agent in a terminal and wants to know how it ends."""
        command = list(teach(kind, tuple(command))) if has_signals else command
        variables = environment | paths.hark_environment(session_id) | paths.editor_environment(environment)
        variables |= self._access(session_id) if self._access else {}
        words, added = self._with_native(session_id, kind, command, variables)
        if words == command and self._has_hooks:
            words, added = self._with_hooks(kind, command, variables)
        variables |= added
        door = self.door(session_id)
        watched = ["--watched"] if is_watched else []
        wrapped = [sys.executable, "-ISE", airlock.__file__, "--socket", door, *watched, "--", *words]
        return Launch(words=wrapped, environment=variables, airlock=door)

    def _with_native(
        self, session_id: SessionId, kind: str, command: list[str], variables: dict[str, str]
    ) -> tuple[list[str], dict[str, str]]:
        if not self._has_native or not native.has_native(kind):
            return command, {}
        door = self._native_door(session_id)
        begun = native.start(kind, command, variables, door, secrets.token_urlsafe(24))
        if begun.secret:
            keep_secret(door, begun.secret)
        # The agent's API reports the same as an installed plugin would, and once is enough, so the plugin is told to keep quiet.
        quiet = {MARK: "1"} if find_agent(kind).plugin and begun.secret else {}
        return list(begun.words), begun.environment | quiet

    def _with_hooks(self, kind: str, command: list[str], variables: dict[str, str]) -> tuple[list[str], dict[str, str]]:
        program = quick_program(self._hooks, str(Path(sys.executable).with_name("hark-hook")))
        wanted = inject(kind, tuple(command), program, self._hooks, variables, has_waiter=self._has_waiter)
        injection = prepare(kind, wanted, variables)
        return list(injection.command), injection.environment

    def clear(self, session_id: SessionId) -> None:
        """Remove the sockets and secrets that an agent of this session has left, because it was killed: the next one needs the places."""
        for left in [*self._airlocks.glob(f"{session_id}.sock*"), *(self._natives / session_id).glob("*")]:
            left.unlink(missing_ok=True)

    def door(self, session_id: SessionId) -> str:
        self._airlocks.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(self._airlocks / f"{session_id}.sock")

    def _native_door(self, session_id: SessionId) -> Path:
        door = self._natives / session_id
        door.mkdir(mode=0o700, parents=True, exist_ok=True)
        return door


def check_command(command: list[str], directory: str, environment: dict[str, str]) -> None:
    if not os.path.isdir(directory):
        raise HarkError("request-invalid", f"{directory} is not a directory", "name an existing directory with -C")
    if any("\0" in word for word in [*command, *environment.values()]):
        raise HarkError("request-invalid", "a NUL byte cannot be part of a command", "take it out")
    for name in environment:
        if not name or "=" in name or "\0" in name:
            raise HarkError("request-invalid", f"{name!r} cannot be the name of a variable", "take it out")
    if "/" in command[0]:
        found = os.access(os.path.join(directory, command[0]), os.X_OK)
    else:
        found = shutil.which(command[0], path=environment.get("PATH", os.defpath)) is not None
    if not found:
        raise HarkError("request-invalid", f"{command[0]}: command not found", "check the name and your PATH")
