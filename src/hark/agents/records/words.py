"""The words that an agent has spoken, as they stand on its own record."""

from datetime import UTC, datetime
from typing import Any

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


def join_texts(content: list[Json], kind: str) -> str:
    """Return the texts of the parts of this kind, each on a line of its own."""
    return "\n".join(part["text"] for part in content if part.get("type") == kind)


def words_at(name: str, text: str, timestamp: str | None) -> Words | None:
    """Return words that were spoken at a time in ISO 8601, or None if the text is blank."""
    at = datetime.fromisoformat(timestamp).astimezone(UTC) if timestamp else None
    return Words(name=name, text=text, at=at) if text.strip() else None
