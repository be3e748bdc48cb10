"""A question is what an agent asks its human in a dialog of its own: for a permission, or to choose.

`Asked` is what an agent says about a question. A `Question` is that together with its session, its id, and how it has ended.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import QuestionId, SessionId
from hark.model.message import Channel

LONGEST_TEXT = 64 * 1024
"""The greatest number of characters of a command or a question that hark keeps. Nobody may allow what hark could not show whole."""
MOST_PARTS, MOST_OPTIONS = 20, 50
ALLOW, DENY = "allow", "deny"


class QuestionKind(StrEnum):
    PERMISSION = "permission"
    """The agent asks whether it may do something: run a command, change a file, carry out a plan."""
    CHOICE = "choice"
    """The agent asks its human something, mostly with options to choose from."""


class QuestionEnd(StrEnum):
    ANSWERED = "answered"
    """Somebody has answered the question."""
    TURN_ENDED = "turn-ended"
    """The turn has ended with the question open, or the agent has begun another turn."""
    SESSION_GONE = "session-gone"
    """The session is gone, or its agent has ended."""


class AnsweredBy(StrEnum):
    HARK = "hark"
    """Hark carried an answer to the agent: of a human, of a program, or of the policy."""
    TERMINAL = "terminal"
    """The human answered in the agent's own dialog."""
    UNKNOWN = "unknown"
    """The agent has not said who answered."""


class QuestionPart(Struct, frozen=True, kw_only=True):
    """One of the questions in a dialog; an agent may ask several at once."""

    text: str
    name: str = ""
    """The agent's own name for this part; empty if it has none."""
    options: tuple[str, ...] = ()
    is_multiple: bool = False
    """True if several options may be chosen."""
    allows_text: bool = True
    """True if an answer may be a text that is not one of the options."""


class Asked(Struct, frozen=True, kw_only=True):
    """A question as an agent asks it."""

    kind: QuestionKind
    text: str
    """The exact command, or the question; for other permissions what is to be done, such as the path of a file and its change."""
    agents_id: str = ""
    """The agent's own name for the question. If it has none, a name that hark makes of what is asked for, so that hark recognises the
    tool when it has run."""
    tool: str = ""
    """The agent's own name for the tool that waits for the answer."""
    is_command: bool = False
    """True if `text` is the whole command line of a shell, as the agent would run it."""
    is_whole: bool = True
    """True if `text` says all that would be allowed."""
    detail: str = ""
    """Why the agent asks, in its own words."""
    directory: str = ""
    """The directory in which the command would run; empty if the agent does not say."""
    parts: tuple[QuestionPart, ...] = ()
    """What is asked in a choice, in order; empty for a permission."""


class Question(Struct, frozen=True, kw_only=True):
    id: QuestionId
    session_id: SessionId
    kind: QuestionKind
    text: str
    channel: Channel = Channel.HOOK
    """How hark heard of the question: by a hook or by the agent's own API."""
    agents_id: str = ""
    tool: str = ""
    is_command: bool = False
    is_cut: bool = False
    """True if hark does not have all that the agent asks for. Such a question cannot be answered with `allow`."""
    detail: str = ""
    directory: str = ""
    parts: tuple[QuestionPart, ...] = ()
    asked_at: datetime
    ended_at: datetime | None = None
    end: QuestionEnd | None = None
    """How the question has ended; None while it is open."""
    answer: str = ""
    """The answer: `allow`, `deny`, or the words of a choice. Empty if hark does not know it."""
    answered_by: AnsweredBy | None = None
    answered_as: str = ""
    """Who gave the answer that hark carried, such as a user, a session, or a rule of the policy."""


class Answerable(Struct, frozen=True, kw_only=True):
    """Whether and how an open question can be answered from elsewhere."""

    answers: tuple[str, ...] = ()
    """The answers that hark can carry, such as `allow` and `deny`; empty if it can carry none."""
    reason: str = ""
    """Why hark can carry no answer; empty if it can."""
    code: str = ""
    """The error code of an answer that is tried all the same; empty if it can be answered."""


class Ending(Struct, frozen=True, kw_only=True):
    """How a question ends."""

    end: QuestionEnd
    answer: str = ""
    answered_by: AnsweredBy | None = None
    answered_as: str = ""


class Reply(Struct, frozen=True, kw_only=True):
    """An answer that fits a question."""

    answer: str
    """`allow` or `deny`; `allow` for a choice too, which goes on with `texts`."""
    texts: tuple[str, ...] = ()
    """The answers to the parts of a choice, in order."""
    chosen: tuple[tuple[str, ...], ...] = ()
    """The answers to the parts of a choice as single options or texts, in order."""
    message: str = ""
    """What the agent is told beside a `deny`."""

    @property
    def words(self) -> str:
        """The answer in words, for the record."""
        return "; ".join(self.texts) or self.answer


def make_question(
    question_id: QuestionId, session_id: SessionId, asked: Asked, at: datetime, channel: Channel
) -> Question:
    """Return the question, cut to what hark keeps."""
    parts = tuple(
        QuestionPart(
            text=_cut(part.text),
            name=_cut(part.name),
            options=tuple(_cut(option) for option in part.options[:MOST_OPTIONS]),
            is_multiple=part.is_multiple,
            allows_text=part.allows_text,
        )
        for part in asked.parts[:MOST_PARTS]
    )
    return Question(
        id=question_id,
        session_id=session_id,
        kind=asked.kind,
        channel=channel,
        text=_cut(asked.text),
        agents_id=asked.agents_id,
        tool=_cut(asked.tool),
        is_command=asked.is_command,
        is_cut=_is_cut(asked),
        detail=_cut(asked.detail),
        directory=_cut(asked.directory),
        parts=parts,
        asked_at=at,
    )


def _is_cut(asked: Asked) -> bool:
    of_parts = [text for part in asked.parts for text in (part.text, *part.options)]
    is_long = any(len(text) > LONGEST_TEXT for text in (asked.text, asked.directory, *of_parts))
    return (
        not asked.is_whole
        or is_long
        or len(asked.parts) > MOST_PARTS
        or any(len(part.options) > MOST_OPTIONS for part in asked.parts)
    )


def _cut(text: str) -> str:
    """Return the beginning of a text. Halves of characters, which no database takes, become U+FFFD."""
    return text[:LONGEST_TEXT].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
