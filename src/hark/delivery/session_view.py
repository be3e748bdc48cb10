"""What is known of a session at one moment: all that `next_step` decides on.

Most of it is in the daemon's memory or costs one read of the store. The rest costs a look at the terminal, a question to the agent or
more reads of the store, and most rounds need only a little of that. So the view has a place for each such fact, and a fact that nobody has
found out yet is `UNSET`. When `next_step` needs a fact that is unset, it asks for it by its name (`Fact`).
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

from hark.delivery.gate import PaneState
from hark.model.ids import MessageId
from hark.model.message import Authority, Draft, HoldReason, Message
from hark.queue.handover import Boundary
from hark.queue.turns import Phase


class Fact(StrEnum):
    """The facts that cost something to find out. Each names a field of `Facts`."""

    BATCH = "batch"
    IN_ORDER = "in_order"
    SUSPENDED = "is_suspended"
    CHANNEL = "has_channel"
    CONVERSATION = "conversation"
    TRANSCRIPT = "is_in_transcript"
    PANE = "pane"
    UNBEGUN = "is_unbegun"
    PROMPT_UNDER_WAY = "has_prompt_under_way"


class Conversation(Struct, frozen=True, kw_only=True):
    """What the agent's own API says about the conversation in the pane."""

    is_beginning: bool = False
    """True if a message would begin a conversation."""
    away: str | None = None
    """Why the API did not answer; None if it did."""


class Facts(Struct, frozen=True, kw_only=True):
    batch: tuple[Message, ...] | UnsetType = UNSET
    """All messages of the payload in which the first message has been, whatever their statuses are now."""
    in_order: tuple[Message, ...] | UnsetType = UNSET
    """The messages that wait, in the order of delivery: as many as one payload may have."""
    is_suspended: bool | UnsetType = UNSET
    """True if the airlock says that the agent is suspended (Ctrl-Z)."""
    has_channel: bool | UnsetType = UNSET
    """True if the agent's own API can be reached."""
    conversation: Conversation | UnsetType = UNSET
    is_in_transcript: bool | UnsetType | None = UNSET
    """True if the agent's transcript has the id of the first message; None if the transcript cannot be read."""
    pane: PaneState | UnsetType = UNSET
    """The state of the pane and its terminal. The gate decides on it."""
    is_unbegun: bool | UnsetType = UNSET
    """True if the screen shows that no conversation has begun, so that the agent would lose keys."""
    has_prompt_under_way: bool | UnsetType = UNSET
    """True if the agent was given a prompt that it has not begun with, as far as anybody reports what the agent does."""

    def has(self, fact: Fact) -> bool:
        """Return True if the fact is known."""
        return getattr(self, fact) is not UNSET


class AgentTraits(Struct, frozen=True, kw_only=True):
    """What `next_step` has to know about the kind of agent. The agent's data file says it."""

    is_typed_when_idle: bool = False
    """True if nothing may be typed to the agent while it works."""
    loses_first_keys: bool = False
    """True if the agent loses keys that come while it begins a conversation."""


class HookView(Struct, frozen=True, kw_only=True):
    """What is known of the agent's turn and of its hooks."""

    phase: Phase = Phase.UNKNOWN
    is_listening: bool = False
    """True if the agent reads what its hooks print."""
    authorities: Mapping[Boundary, Authority] = {}
    """The authority with which the agent reads what a hook prints at each boundary."""
    has_claim: bool = False
    """True if messages were given to a hook and nothing has proven yet what became of them."""
    has_waiter: bool = False
    """True if a hook waits beside the idle agent for a message."""
    is_waking: bool = False
    """True if hooks may wait beside an idle agent at all."""


class Memory(Struct, frozen=True, kw_only=True):
    """What a courier remembers of its attempts from round to round."""

    refused_id: MessageId | None = None
    """The message that the agent refused last. It goes alone next time."""
    refusals: int = 0
    """How often the agent has refused that message since this courier began."""
    resting_id: MessageId | None = None
    """The message that must not be tried before `rests_until_s`. A message that comes before it need not wait."""
    rests_until_s: float = 0.0

    def rest_s(self, message_id: MessageId, elapsed_s: float) -> float:
        """Return how many seconds the message still has to rest; 0 or less if it may be tried."""
        return self.rests_until_s - elapsed_s if message_id == self.resting_id else 0.0


class Limits(Struct, frozen=True, kw_only=True):
    """The settings that the decisions depend on."""

    human_pause_s: float = 2.0
    most_in_batch: int = 10
    most_attempts: int = 5
    """After this many refused attempts a message is given up; 0 means never."""
    poll_s: float = 5.0
    """The longest time between two looks at a session with a message that is held."""


class SessionView(Struct, frozen=True, kw_only=True):
    now: datetime
    """The time when the last fact was found out."""
    elapsed_s: float = 0.0
    """The same moment in seconds on a clock that never goes back."""
    is_gone: bool = False
    do_not_disturb: bool = False
    waiting: tuple[Message, ...] = ()
    """The message that is delivered next. If the session is gone, all messages that wait for it."""
    draft: Draft | None = None
    """A human's draft that hark took out of the box and has not put back."""
    memory: Memory = Memory()
    agent: AgentTraits = AgentTraits()
    hooks: HookView = HookView()
    limits: Limits = Limits()
    facts: Facts = Facts()

    @property
    def message(self) -> Message | None:
        """The message that is delivered next; None if none waits."""
        return self.waiting[0] if self.waiting else None

    @property
    def waited_s(self) -> float:
        """How many seconds the message has been held because a human types."""
        message = self.message
        if message is None or message.hold_reason is not HoldReason.HUMAN_TYPING or message.held_since is None:
            return 0.0
        return max(0.0, (self.now - message.held_since).total_seconds())
