"""Whether a session has a native channel that is proven to lead to what its pane shows."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct

from hark.agents.native.channel import ChannelLost, NativeChannel
from hark.agents.native.codex import CodexChannel
from hark.agents.native.launch import SOCKET


class Facts(Struct, frozen=True, kw_only=True):
    kind: str
    session_id: str | None
    """None for an agent that hark has not started."""
    door: Path
    """Where the session's socket or secret is."""
    pane_pid: int
    pane_title: Callable[[], Awaitable[str]]


async def find_channel(facts: Facts) -> NativeChannel | None:
    """None wherever something is missing or uncertain. Whoever gets one closes it."""
    try:
        return await _FINDERS[facts.kind](facts) if facts.kind in _FINDERS else None
    except ChannelLost:
        return None


async def _find_codex(facts: Facts) -> NativeChannel | None:
    channel = await CodexChannel.open(facts.door / SOCKET)
    try:
        if await channel.is_certain():
            return channel
    except BaseException:
        await channel.close()
        raise
    await channel.close()
    return None


_FINDERS: dict[str, Callable[[Facts], Awaitable[NativeChannel | None]]] = {"codex": _find_codex}
