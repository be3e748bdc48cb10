"""The records that agents keep of their own words: lines of JSON that an agent adds to a file while it speaks.

Only whole pieces are on record, each with a name of its own, so hark knows a piece again however often it reads the file. The
words of a subagent do not count as the agent's.
"""

import msgspec

from hark.agents.records.words import Words
from hark.agents.registry import find_agent


def read_line(kind: str, line: bytes, place: str) -> Words | None:
    """Return the words in a line of this agent kind's record, or None if the line holds no words. `place` is the name for words that
    have none."""
    agent = find_agent(kind)
    if not agent.has_record:
        return None
    try:
        entry = msgspec.json.decode(line)
        return agent.read_words(entry, place) if isinstance(entry, dict) else None
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError):
        return None


def has_record(kind: str) -> bool:
    return find_agent(kind).has_record
