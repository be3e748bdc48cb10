"""The records that agents keep of their own words: lines of JSON that an agent adds to a file while it speaks.

Only whole pieces are on record, each with a name of its own, so hark knows a piece again however often it reads the file. The
words of a subagent do not count as the agent's.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

Json = dict[str, Any]


class Words(Struct, frozen=True, kw_only=True):
    name: str
    """The name that the agent gives these words, or their place in the record."""
    text: str
    """The text as the model wrote it, in Markdown."""
    at: datetime | None = None


def at_ms(milliseconds: float) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def read_line(kind: str, line: bytes, place: str) -> Words | None:
    """Return the words in a line of this agent kind's record, or None if the line holds no words. `place` is the name for words that
    have none."""
    read = _READERS.get(kind)
    if read is None:
        return None
    try:
        entry = msgspec.json.decode(line)
        return read(entry, place) if isinstance(entry, dict) else None
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError):
        return None


def has_record(kind: str) -> bool:
    return kind in _READERS


def _claude(entry: Json, place: str) -> Words | None:
    if entry.get("type") != "assistant" or entry.get("isSidechain"):
        return None
    return _words(entry.get("uuid") or place, _texts(entry["message"]["content"], "text"), entry.get("timestamp"))


def _codex(entry: Json, place: str) -> Words | None:
    item = entry.get("payload") or {}
    if entry.get("type") != "response_item" or (item.get("type"), item.get("role")) != ("message", "assistant"):
        return None
    return _words(place, _texts(item["content"], "output_text"), entry.get("timestamp"))


def _gemini(entry: Json, place: str) -> Words | None:
    if entry.get("type") != "gemini":
        return None
    content = entry["content"]
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    return _words(entry.get("id") or place, text, entry.get("timestamp"))


def _opencode(entry: Json, place: str) -> Words | None:
    """Read the record that hark's plugin for OpenCode writes."""
    if entry.get("type") != "words":
        return None
    return _words(entry.get("id") or place, entry["text"], entry.get("timestamp"))


_READERS: dict[str, Callable[[Json, str], Words | None]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}


def _texts(content: list[Json], kind: str) -> str:
    return "\n".join(part["text"] for part in content if part.get("type") == kind)


def _words(name: str, text: str, timestamp: str | None) -> Words | None:
    at = datetime.fromisoformat(timestamp).astimezone(UTC) if timestamp else None
    return Words(name=name, text=text, at=at) if text.strip() else None
