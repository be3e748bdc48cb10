"""The way in which our hooks get into each agent: entries in the agent's settings, or a plugin."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from hark.agents.registry import find_agent
from hark.installing import hooks, plugin
from hark.installing.hooks import Ours


class Way(Struct, frozen=True):
    put: Callable[[str, str, str], str]
    """Takes the text of the file, the agent and the program `hark-hook`; returns the text with our hooks."""
    take: Callable[[str, str, str | None], str]
    """Takes the text of the file, the agent and, if it is known, the text from before our hooks; returns the text without our hooks."""
    find: Callable[[str, str], Iterator[Ours]]
    switched_off: Callable[[str, str], str | None]


_ENTRIES = Way(hooks.put, hooks.take, hooks.find, hooks.switched_off)
_PLUGIN = Way(plugin.put, plugin.take, plugin.find, plugin.switched_off)


def way_of(agent: str) -> Way:
    return _PLUGIN if find_agent(agent).plugin else _ENTRIES
