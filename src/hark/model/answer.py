"""An answer: the final words of the turn in which an agent has worked on a message, with the source that they come from."""

import re
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import MessageId

LONGEST_ANSWER = 256 * 1024
"""The greatest size of an answer that hark keeps, in bytes of UTF-8; a longer one is cut."""
_HALVES = re.compile("[\ud800-\udfff]")


class AnswerSource(StrEnum):
    RECORD = "record"
    """The agent's own record of its conversation."""
    API = "api"
    """The agent's own API."""
    HOOK = "hook"
    """The agent's hook for the end of a turn."""
    SCREEN = "screen"
    """What the screen showed behind the prompt. This may have more in it than the answer, and may lack its beginning."""
    NONE = "none"
    """There is no answer, for the reason that is given."""


class Spoken(Struct, frozen=True):
    """The final words of a turn, as an agent's record or API has them."""

    text: str
    is_over: bool = True
    """True if the source shows that the turn has ended, so that no further words of it can follow."""


class Answer(Struct, frozen=True, kw_only=True):
    message_id: MessageId
    text: str
    source: AnswerSource
    is_cut: bool = False
    """True if the agent has said more than hark keeps."""
    reason: str = ""
    """Why there is no text, or why the text may not be the whole answer; empty if nothing is wrong."""
    at: datetime
    """When hark read the answer."""


def make_answer(message_id: MessageId, text: str, source: AnswerSource, at: datetime, reason: str = "") -> Answer:
    """Return the answer, cut to what hark keeps. Halves of characters, which no database takes, become U+FFFD."""
    data = _HALVES.sub("\ufffd", text).encode()
    kept = data[:LONGEST_ANSWER].decode("utf-8", "ignore")
    return Answer(
        message_id=message_id, text=kept, source=source, is_cut=len(data) > LONGEST_ANSWER, reason=reason, at=at
    )


def no_answer(message_id: MessageId, at: datetime, reason: str) -> Answer:
    return Answer(message_id=message_id, text="", source=AnswerSource.NONE, reason=reason, at=at)
