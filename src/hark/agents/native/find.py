"""Finds the native channel of a session, if one is proven to lead to what the session's pane shows."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct

from hark.agents.codex.channel import CodexChannel
from hark.agents.native import processes
from hark.agents.native.channel import ChannelLost, NativeChannel
from hark.agents.native.launch import SECRET, SOCKET
from hark.agents.native.pane_view import PaneView
from hark.agents.opencode.channel import OpenCodeChannel


class Facts(Struct, frozen=True, kw_only=True):
    kind: str
    session_id: str | None
    """The session's id, or None for an agent that hark has not started."""
    door: Path
    """The directory of the session's socket or secret."""
    pane_pid: int
    pane: Callable[[], Awaitable[PaneView]]


async def find_channel(facts: Facts, *, is_to_be_certain: bool = True) -> NativeChannel | None:
    """Return the session's native channel, which the caller has to close, or None if something is missing or uncertain.

    `is_to_be_certain` may be False for listening to what an agent says: then it does not matter which of its conversations the
    pane shows, because all of them are the agent's own."""
    try:
        return await _FINDERS[facts.kind](facts, is_to_be_certain) if facts.kind in _FINDERS else None
    except ChannelLost:
        return None


async def _find_codex(facts: Facts, is_to_be_certain: bool) -> NativeChannel | None:
    """Find the channel of Codex, but not before its TUI is there: in everything that it sends, Codex calls itself by its first client's
    name."""
    if not processes.has_client(facts.door / SOCKET):
        return None
    channel = await CodexChannel.open(facts.door / SOCKET)
    try:
        if not is_to_be_certain or await channel.is_certain():
            return channel
    except BaseException:
        await channel.close()
        raise
    await channel.close()
    return None


async def _find_opencode(facts: Facts, is_to_be_certain: bool) -> NativeChannel | None:
    password = read_secret(facts.door)
    for pid in processes.tree(facts.pane_pid):
        is_ours = facts.session_id is None or processes.has_environment(pid, "HARK_SESSION", facts.session_id)
        for port in processes.loopback_ports(pid) if is_ours else ():
            if channel := await _opencode_at(port, password, facts, is_to_be_certain):
                return channel
    return None


async def _opencode_at(port: int, password: str, facts: Facts, is_to_be_certain: bool) -> NativeChannel | None:
    """Return the channel of the OpenCode at this port, or None. Other programs of the agent may listen too: a program that does not
    answer as OpenCode does is not OpenCode."""
    try:
        channel = await OpenCodeChannel.open(port, password, facts.pane)
    except ChannelLost:
        return None
    try:
        if not is_to_be_certain or await channel.locate():
            return channel
    except BaseException:
        await channel.close()
        raise
    await channel.close()
    return None


def keep_secret(door: Path, secret: str) -> None:
    descriptor = os.open(door / SECRET, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(secret)


def read_secret(door: Path) -> str:
    try:
        return (door / SECRET).read_text(encoding="utf-8")
    except OSError:
        return ""


_FINDERS: dict[str, Callable[[Facts, bool], Awaitable[NativeChannel | None]]] = {
    "codex": _find_codex,
    "opencode": _find_opencode,
}
