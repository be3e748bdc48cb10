"""What the courier of a session can do next. `next_step` chooses one of these actions, and the daemon carries it out."""

from enum import StrEnum

from msgspec import Struct

from hark.delivery.gate import Hold
from hark.delivery.session_view import Fact
from hark.model.message import Draft, Message
from hark.queue.handover import Fate
from hark.queue.lifecycle import is_attempted


class Find(Struct, frozen=True):
    """Find out a fact, and ask again what to do."""

    fact: Fact


class Idle(Struct, frozen=True):
    """Do nothing until somebody wakes the courier: no message waits, and no draft is out of the box."""


class Rest(Struct, frozen=True):
    """Wait before the next attempt, because the agent refused the last one."""

    for_s: float


class HoldAll(Struct, frozen=True):
    """Hold every message, because the session is gone. A message that has expired ends instead."""

    messages: tuple[Message, ...]
    hold: Hold


class HoldBack(Struct, frozen=True):
    """Deliver nothing now. The message is held for this reason, if one waits."""

    hold: Hold


class Expire(Struct, frozen=True):
    """End the message, because its time-out has passed."""

    message: Message


class Finish(Struct, frozen=True):
    """Record the message as submitted, because another message of its payload is known to be."""

    message: Message
    sibling: Message


class GiveUpProof(Struct, frozen=True):
    """End the message as uncertain: it was on its way to the agent's own API, and nobody will tell any more whether it arrived."""

    message: Message


class SettleClaim(Struct, frozen=True):
    """Record what became of a message that was given to a hook."""

    message: Message
    fate: Fate


class WakeAgent(Struct, frozen=True):
    """Give the message to the hook that waits beside the idle agent. If the hook cannot take it, ask again what to do."""

    message: Message


class DeliverNatively(Struct, frozen=True, kw_only=True):
    """Hand the payload to the agent's own API."""

    messages: tuple[Message, ...]
    is_beginning: bool
    """True if the payload begins a conversation: then the human's keys are held until it is delivered."""
    interrupts: bool
    """True if a running turn is told to end first."""


class KeyWork(StrEnum):
    DELIVER = "deliver"
    """Put the payload into the box, and submit it."""
    RESUME = "resume"
    """Go on with a payload that may be in the box already, and then put the draft back, if one is out."""
    PUT_BACK = "put-back"
    """Put the draft back into the box, and do nothing else."""


class UseKeys(Struct, frozen=True, kw_only=True):
    """Hold the human's keys and do the work on the box."""

    work: KeyWork
    messages: tuple[Message, ...]
    """The payload. If the work is to put a draft back, it is the payload that comes next."""
    draft: Draft | None
    foreground: str
    """The pane's foreground program when the gate let the work start."""
    interrupts: bool = False
    """True if a running turn is told to end first."""


Action = (
    Find
    | Idle
    | Rest
    | HoldAll
    | HoldBack
    | Expire
    | Finish
    | GiveUpProof
    | SettleClaim
    | WakeAgent
    | DeliverNatively
    | UseKeys
)


def key_work(message: Message | None, draft: Draft | None) -> KeyWork:
    """Return what has to be done at the box. A draft goes back before a new payload comes, and after a payload that may be in the box
    already: the draft does not fit beside it."""
    if message is not None and is_attempted(message):
        return KeyWork.RESUME
    return KeyWork.DELIVER if message is not None and draft is None else KeyWork.PUT_BACK
