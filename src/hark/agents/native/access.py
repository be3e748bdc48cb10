"""What the folder of an agent offers if the agent has an API of its own: how the agent is started so that hark can reach the API, and how
the API is found."""

import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from hark.agents.native.channel import NativeChannel
from hark.agents.native.pane_view import PaneView

SECRET = "secret"
COMMAND = re.compile("[a-z][a-z-]*")


class Start(Struct, frozen=True):
    words: tuple[str, ...]
    environment: dict[str, str]
    """Variables that are added to the agent's environment."""
    secret: str = ""
    """The secret that a client has to send; it is kept where only the user can read it."""


class Facts(Struct, frozen=True, kw_only=True):
    kind: str
    session_id: str | None
    """The session's id, or None for an agent that hark has not started."""
    door: Path
    """The directory of the session's socket or secret."""
    pane_pid: int
    pane: Callable[[], Awaitable[PaneView]]


class NativeAccess(Protocol):
    def start(self, words: Sequence[str], environment: Mapping[str, str], door: Path, password: str) -> Start | None:
        """Return how to start the agent with its API, or None if the command line is not known to be harmless. `door` is a directory of
        this session's own that only the user can enter."""

    async def find(self, facts: Facts, *, require_certain: bool) -> NativeChannel | None:
        """Return the channel of a session, or None if there is none. With `require_certain`, return only a channel that is proven to lead
        to what the session's pane shows. Raise ChannelLost if the agent hangs up meanwhile."""


async def keep_if(channel: NativeChannel, is_right: Callable[[], Awaitable[object]]) -> NativeChannel | None:
    """Return the channel if `is_right` gives something true. Otherwise, and also if the question fails, close the channel."""
    try:
        if await is_right():
            return channel
    except BaseException:
        await channel.close()
        raise
    await channel.close()
    return None


def is_for_terminal(
    words: Sequence[str], with_value: frozenset[str], alone: frozenset[str], commands: frozenset[str]
) -> bool:
    """Return whether every word is one that we know, and none of them is a command that does something else. A word that might be a
    command of a newer version counts as one; a prompt or a path is not a single plain word, or comes after a command."""
    waiting, seen_command = list(words), False
    while waiting:
        word = waiting.pop(0)
        name, has_value, _ = word.partition("=")
        if word in alone or (has_value and name in with_value):
            continue
        if word in with_value and waiting:
            waiting.pop(0)
        elif word in commands:
            seen_command = True
        elif word.startswith("-") or (COMMAND.fullmatch(word) and not seen_command):
            return False
    return True


def keep_secret(door: Path, secret: str) -> None:
    descriptor = os.open(door / SECRET, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(secret)


def read_secret(door: Path) -> str:
    try:
        return (door / SECRET).read_text(encoding="utf-8")
    except OSError:
        return ""
