"""How an agent is started so that its native channel is there: with more words and more environment.

hark adds words only to a command line whose words are all known to be harmless, and only where the agent starts its terminal
program: everything else starts as it was typed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hark.agents.native.access import Start
from hark.agents.registry import find_agent


def has_native(kind: str) -> bool:
    """Return whether agents of this kind have an API of their own."""
    return find_agent(kind).native is not None


def start(kind: str, words: Sequence[str], environment: Mapping[str, str], door: Path, password: str) -> Start:
    """Return how to start the agent. `door` is a directory of this session's own that only the user can enter."""
    native = find_agent(kind).native
    begun = native.start(words, environment, door, password) if native else None
    return begun or Start(tuple(words), {})
