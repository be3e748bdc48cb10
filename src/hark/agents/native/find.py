"""Finds the native channel of a session, if one is proven to lead to what the session's pane shows."""

from hark.agents.native.access import Facts
from hark.agents.native.channel import ChannelLost, NativeChannel
from hark.agents.registry import find_agent


async def find_channel(facts: Facts, *, require_certain: bool = True) -> NativeChannel | None:
    """Return the session's native channel, which the caller has to close, or None if something is missing or uncertain.

    `require_certain` may be False for listening to what an agent says: then it does not matter which of its conversations the
    pane shows, because all of them are the agent's own."""
    native = find_agent(facts.kind).native
    try:
        return await native.find(facts, require_certain=require_certain) if native else None
    except ChannelLost:
        return None
