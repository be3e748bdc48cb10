"""What every native channel can do, whatever the agent calls it.

A channel belongs to one session and to one conversation of it: the one that the session's pane shows, known for certain. When
that is no longer certain (the human went to another conversation), the channel refuses, and the terminal channel takes over.

`deliver` may be repeated after a crash with the same message id: every agent here keeps our id with the message, and a channel
looks for the id before it hands anything over. `events` says what became of the message, again from the agent's own records and
not from what happened to be heard: whoever listens later, or again, learns the same.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeVar

from msgspec import Struct

from hark.agents.records.words import Words
from hark.model.answer import Spoken
from hark.model.heard import Heard
from hark.model.ids import MessageId
from hark.model.question import Asked, Reply


class State(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"
    """The agent works, and has asked the human for something."""
    UNKNOWN = "unknown"


class Reason(StrEnum):
    GONE = "gone"
    """The agent's API does not answer."""
    UNPROVEN = "unproven"
    """It is not certain which conversation the pane shows."""
    BUSY = "busy"
    """The message would join the running turn, and its sender does not want that."""


class Delivered(Struct, frozen=True):
    """The agent has the message on record."""

    was_there: bool = False
    """True if the agent had the message already, so that nothing was handed over this time."""


class Refused(Struct, frozen=True):
    """The agent has not received the message."""

    reason: Reason
    detail: str


class Unclear(Struct, frozen=True):
    """The agent may have the message. A second `deliver` looks for it before it hands anything over."""

    detail: str


Outcome = Delivered | Refused | Unclear


class NativeChannel(Protocol):
    joins_running_turn: bool
    """True if a busy agent works on a delivered message within the running turn, not as the next turn."""
    conversation: str
    """The agent's own name for the conversation that `events` looked at last; empty if there was none."""

    asked: tuple[Asked, ...]
    """What the agent asks its human in that conversation, as `events` saw it last. Each question has a name that is the agent's own."""

    async def state(self) -> State: ...

    async def begins_conversation(self) -> bool:
        """Return whether the pane shows no conversation, so that a delivery would begin one and show it. An Enter of the human's in that
        moment would begin another one."""

    async def deliver(self, message_ids: Sequence[MessageId], text: str, *, may_join: bool = True) -> Outcome:
        """Hand over one payload; the first of the ids names it."""

    async def interrupt(self) -> bool:
        """End the running turn, as Escape would. Return False if no turn was running."""

    def events(self) -> AsyncIterator[Heard]:
        """Yield prompt-submitted, stopped, interrupted, permission-asked, permission-answered, and at last session-ended, with the ids
        of our messages if an event is about them. There is one listener for as long as the channel is used, because listening also
        starts what an interrupted agent has left in its queue."""

    async def words(self, since: datetime) -> list[Words]:
        """Return the newest words of the agent, the oldest of them first, from all conversations of this session, which began at
        `since`."""

    async def answer(self, message_id: MessageId) -> Spoken | None:
        """Return the final words of the turn that has the message; None if no conversation has the message."""

    async def reply(self, agents_id: str, reply: Reply) -> bool:
        """Answer a question of the agent's. Return False if the agent does not ask it any more. Raise ChannelLost if it is not certain
        whether the agent has taken the reply."""

    async def close(self) -> None: ...


class ChannelLost(Exception):
    """The agent's side has hung up, does not answer in time, or answers what we do not understand."""


Value = TypeVar("Value")


def understand(read: Callable[[], Value]) -> Value:
    """Read an answer of the agent. Raise ChannelLost for an answer that we do not understand: it comes from an agent that we do not
    know."""
    try:
        return read()
    except (KeyError, TypeError, AttributeError, IndexError) as wrong:
        raise ChannelLost(f"not an answer that we know: {wrong!r}") from wrong
