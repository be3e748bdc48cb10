"""Hands messages to a busy agent through its own hooks: decides which messages go at which boundary, and what proves that the agent has
them.

    a tool has run     important messages are added to what the agent is told
    the turn stops     all messages that wait make the agent go on, as its next turn

A message is claimed (staged) before the hook gets it. The hook prints the message only after it has told hark that it will; a hook
that ends without telling has printed nothing. What the agent does next proves that it has what the hook printed (`judge`): after a
tool it goes on working, and after a stop that hark has refused it works more, or stops and says that a hook made it go on. A new
prompt or an interrupt proves nothing. Then the agent's own transcript must decide (`resolve`), and if the transcript cannot, the
message is uncertain.

An agent that is made to go on again and again never rests, and its user never gets a word in. So hark refuses at most
MOST_CONTINUATIONS stops in a row, and delivers what still waits after that like any message to an idle agent.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.message import Authority, Message, Mode, Status
from hark.queue.lifecycle import is_attempted, is_expired
from hark.queue.turns import Phase

MOST_CONTINUATIONS = 5
MOST_MESSAGES = 10
LOST_AFTER = timedelta(seconds=30)
"""How long to wait for evidence before giving up."""
TRANSCRIPT_LAG = timedelta(seconds=2)
"""How long an agent may take to write into its transcript what it was told."""


class Boundary(StrEnum):
    TOOL = "tool"
    """A tool has run, and the agent's turn goes on."""
    STOP = "stop"
    """The agent's turn is about to end."""


BOUNDARIES = {Said.TOOL_DONE: Boundary.TOOL, Said.STOPPED: Boundary.STOP}
_MODES = {
    Boundary.TOOL: frozenset({Mode.IMPORTANT}),
    Boundary.STOP: frozenset({Mode.IMPORTANT, Mode.SEQUENTIAL}),
}


class Claim(Struct, frozen=True, kw_only=True):
    """The messages that hark has given to a hook, without proof yet that the agent has them."""

    message_ids: tuple[MessageId, ...]
    boundary: Boundary
    at: datetime
    """When the agent's hook was called."""


class Verdict(StrEnum):
    TAKEN = "taken"
    UNPROVEN = "unproven"
    """The agent went on in a way that says nothing about what its hook was given."""
    WAIT = "wait"


def choose(
    waiting: Sequence[Message], boundary: Boundary, authority: Authority, *, continuations: int, now: datetime
) -> tuple[Message, ...]:
    """Choose the messages that a hook hands over now: from those that wait, in the order of delivery, all up to the first that
    may not go this way, so that no message overtakes another. A question goes alone."""
    if boundary is Boundary.STOP and continuations >= MOST_CONTINUATIONS:
        return ()
    chosen: list[Message] = []
    for message in waiting[:MOST_MESSAGES]:
        if is_expired(message, now):
            continue
        if not may_go(message, boundary, authority) or (message.is_alone and chosen):
            break
        chosen.append(message)
        if message.is_alone:
            break
    return tuple(chosen)


def may_go(message: Message, boundary: Boundary, authority: Authority) -> bool:
    is_free = message.status in (Status.QUEUED, Status.HELD) and not is_attempted(message)
    is_kind = message.mode in _MODES[boundary] and not message.is_raw and not message.is_inbox
    # What is handed over after a tool has its answer together with the prompt of the running turn.
    is_kind = is_kind and not (message.is_alone and boundary is Boundary.TOOL)
    return is_free and is_kind and (authority is Authority.USER or not message.is_as_user)


def continued(before: int, *, is_continued: bool) -> int:
    """Return, at a stop, how many stops in a row hark has refused: hark's own count, but at least 1 if the agent says that a hook
    made it go on (`is_continued`), and 0 if it does not."""
    return max(1, before) if is_continued else 0


_GOES_ON = frozenset({Said.TOOL_STARTING, Said.PERMISSION_ASKED})
_SAYS_NOTHING = frozenset({Said.NOTIFIED, Said.UNKNOWN, Said.PERMISSION_ANSWERED})


def judge(claim: Claim, heard: Heard, *, is_continued: bool) -> Verdict:
    """Decide what the agent's next event proves about a claim."""
    if heard.at <= claim.at or heard.said in _SAYS_NOTHING:
        return Verdict.WAIT
    if heard.said in _GOES_ON or set(claim.message_ids) & set(heard.message_ids):
        return Verdict.TAKEN
    if claim.boundary is Boundary.TOOL:
        return _judge_after_tool(heard.said)
    if heard.said is Said.TOOL_DONE or (heard.said is Said.STOPPED and is_continued):
        return Verdict.TAKEN
    return Verdict.UNPROVEN


def _judge_after_tool(said: Said) -> Verdict:
    if said is Said.TOOL_DONE:
        # The event may be of a tool that ran beside the first one.
        return Verdict.WAIT
    return Verdict.TAKEN if said is Said.STOPPED else Verdict.UNPROVEN


class Fate(StrEnum):
    TAKEN = "taken"
    QUEUED = "queued"
    UNCERTAIN = "uncertain"
    WAIT = "wait"


def resolve(
    staged_at: datetime,
    now: datetime,
    phase: Phase,
    *,
    is_in_transcript: bool | None,
    is_waking: bool = False,
) -> Fate:
    """Decide what happens to a claim that no event has proven. Only a turn that is over and whose transcript can be read proves
    that the agent has not got the messages. Not even that is a proof where a waiting hook may wake the agent (`is_waking`): the
    agent may have been idle all the time, and about to be woken by the messages."""
    if is_in_transcript:
        return Fate.TAKEN
    age = now - staged_at
    if phase is Phase.IDLE and age >= TRANSCRIPT_LAG and not is_waking:
        return Fate.QUEUED if is_in_transcript is False else Fate.UNCERTAIN
    if phase not in (Phase.BUSY, Phase.WAITING) and age >= LOST_AFTER:
        return Fate.UNCERTAIN
    return Fate.WAIT
