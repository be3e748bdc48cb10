"""Turns: what an agent is doing, and which message belongs to which of its turns. Hark decides this from the events that it hears of
the agent, by the time at which the agent said them, not the time at which they reached hark: late, repeated and overtaken events
change nothing that they should not.

    prompt submitted -> busy ... permission asked -> waiting ... answered -> busy ... stopped -> idle

A message belongs to the turn whose prompt contained the message's id. The message is completed when that turn has stopped: by the
first stop that the agent said after the prompt. Some agents do not say which prompts they take (`SUBMITTED`, two-phase promotion).
Such an agent works at once on a message that was pasted while it was idle. It works on a message that was pasted while it was busy
after the next stop, and the stop after that one completes the message. That may be one turn late if a stop was lost, and is never
one turn too early.

A hook's report can get lost, because the daemon or its socket was away. A stop alone does not say whose turn has stopped, because
the human may have queued prompts of their own before hark's message. Two things prove that the agent has taken a message that it
said nothing about (`expected`): the agent has taken a message that was submitted later, so the stop of that one settles both; or the
agent rests.

An interrupted turn often ends without any report. So hark believes nothing for ever: an agent whose terminal has fallen silent with
its input box in view rests, and has done all that it was given before (`lapse`), except what still stands in its box.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from hark.model.heard import Heard, Said
from hark.model.ids import MessageId

SILENCE_ENDS_TURN_S = 5.0
"""Seconds of silence in the terminal that end a turn: every agent that works animates its screen."""
_SILENCE = timedelta(seconds=SILENCE_ENDS_TURN_S)
MOST_EXPECTED = 1000
"""The largest number of messages that hark remembers for an agent that never says which prompts it takes."""
BEGINS_WITHIN_S = 10.0
"""How long an agent may take to begin with a prompt that it was given: some agents first read the files that the prompt mentions."""
BELIEVED_FOR_S = 900.0
"""Seconds for which hark believes that an agent is busy or waits without hearing any event; then the phase is unknown until the next
event."""
_BEGINS_WITHIN = timedelta(seconds=BEGINS_WITHIN_S)


class Phase(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"
    """The agent waits for a human's permission."""
    UNKNOWN = "unknown"


class Task(Struct, frozen=True):
    """A message that the agent has, and since when the agent has it."""

    message_id: MessageId
    since: datetime
    is_heard: bool = True
    """True if the agent itself has said that it has the message."""


class Turns(Struct, frozen=True, kw_only=True):
    phase: Phase = Phase.UNKNOWN
    at: datetime | None = None
    """When the agent said what decided the phase."""
    working_on: tuple[Task, ...] = ()
    next_up: tuple[MessageId, ...] = ()
    """The messages that were pasted into a busy agent that does not say which prompts it takes: they belong to the next turn."""
    expected: tuple[Task, ...] = ()
    """The messages that hark submitted and that the agent will say it has taken, but has not yet said, in the order in which they
    were submitted. This includes messages that were submitted before hark heard anything of the agent."""
    stopped_at: datetime | None = None
    """When the agent's last turn stopped."""
    detail: str = ""
    """What the agent waits for; empty if it does not wait for a permission."""

    @property
    def has_work(self) -> bool:
        return bool(self.working_on or self.next_up or self.expected)

    @property
    def message_ids(self) -> tuple[MessageId, ...]:
        """All messages that the agent has, as far as hark knows."""
        return (*(task.message_id for task in (*self.working_on, *self.expected)), *self.next_up)


class Acknowledged(Struct, frozen=True):
    message_id: MessageId
    at: datetime


class Completed(Struct, frozen=True):
    message_id: MessageId
    at: datetime
    was_interrupted: bool = False
    is_inferred: bool = False
    """True if hark concluded the end of the turn from silence, because nobody reported it."""
    is_seen: bool = False
    """True if the end of the turn was reported by a witness that sees what the agent does, but not why."""


Fact = Acknowledged | Completed


def is_cut(fact: Completed, taken_at: datetime | None, cut_at: datetime | None) -> bool:
    """True if the turn of the message has ended because hark told it to, at the time `cut_at`. `taken_at` is when the agent was given
    the message. An agent that says itself that it has stopped is believed: it may have finished in that moment."""
    if cut_at is None or taken_at is None or taken_at > cut_at or fact.at < cut_at:
        return False
    return fact.was_interrupted or fact.is_inferred or fact.is_seen


Heeded = tuple[Turns, tuple[Fact, ...]]

_PHASES = {
    Said.SESSION_STARTED: Phase.IDLE,
    Said.SESSION_ENDED: Phase.UNKNOWN,
    Said.PROMPT_SUBMITTED: Phase.BUSY,
    Said.TOOL_STARTING: Phase.BUSY,
    Said.TOOL_DONE: Phase.BUSY,
    Said.PERMISSION_ASKED: Phase.WAITING,
    Said.PERMISSION_ANSWERED: Phase.BUSY,
    Said.STOPPED: Phase.IDLE,
    Said.CONTINUED: Phase.BUSY,
    Said.INTERRUPTED: Phase.IDLE,
}
_ENDS = (Said.STOPPED, Said.CONTINUED, Said.INTERRUPTED)


def hear(turns: Turns, heard: Heard) -> Heeded:
    facts: tuple[Fact, ...] = ()
    if heard.said is Said.PROMPT_SUBMITTED:
        turns, facts = _take_prompt(turns, heard)
    elif heard.said in _ENDS and not _is_over(turns, heard):
        turns, facts = _end_turn(turns, heard)
    return _change_phase(turns, heard), facts


def submit(turns: Turns, message_id: MessageId, at: datetime, *, is_prompt_heard: bool) -> Turns:
    """Record that hark has submitted a message. If the agent will say by itself that it has taken the message (`is_prompt_heard`), wait
    for that."""
    if _knows(turns, message_id):
        return turns
    task = Task(message_id, at, is_heard=False)
    if is_prompt_heard:
        return expect(turns, (task,))
    if turns.phase in (Phase.BUSY, Phase.WAITING):
        return replace(turns, next_up=(*turns.next_up, message_id))
    return replace(turns, phase=Phase.BUSY, at=at, working_on=(*turns.working_on, task))


def expect(turns: Turns, tasks: Sequence[Task]) -> Turns:
    """Add messages that the agent has or will have, and about which it has said nothing."""
    new = tuple(task for task in tasks if not _knows(turns, task.message_id))
    return replace(turns, expected=(*turns.expected, *new)[-MOST_EXPECTED:])


def overtake(turns: Turns, message_id: MessageId) -> Turns:
    """Record that the agent spoke of a message while hark was still submitting it, and so has taken all messages that hark submitted
    before that one."""
    task = next((task for task in turns.working_on if task.message_id == message_id), None)
    if task is None:
        return turns
    untold = tuple(Task(earlier.message_id, task.since, is_heard=False) for earlier in turns.expected)
    return replace(turns, expected=(), working_on=turns.working_on + untold)


def beginning(turns: Turns, now: datetime) -> tuple[MessageId, ...]:
    """Return the messages that the agent was given a moment ago and may not have begun to work on: nobody has said that it did."""
    given = (*turns.working_on, *turns.expected)
    return tuple(task.message_id for task in given if not task.is_heard and abs(now - task.since) < _BEGINS_WITHIN)


def give_back(turns: Turns, message_ids: tuple[MessageId, ...]) -> Turns:
    """Remove messages that the agent does not have any more."""
    return _without(turns, message_ids)


def lapse(
    turns: Turns, now: datetime, *, quiet_s: float | None, has_box: bool, in_box: Collection[MessageId] = ()
) -> Heeded:
    """Conclude what the agent's silence means. `has_box` is True if the agent's input box is in view, with nothing in front of it.
    `in_box` holds the messages that stand in the box."""
    if turns.phase is Phase.WAITING and has_box:
        return replace(turns, phase=Phase.BUSY, at=now, detail=""), ()
    is_silent = quiet_s is not None and quiet_s >= SILENCE_ENDS_TURN_S
    is_old = turns.at is None or _is_past(turns.at, now)
    if turns.phase is not Phase.WAITING and is_silent and is_old and has_box:
        return _rest(turns, now, in_box)
    is_of_work = turns.phase in (Phase.BUSY, Phase.WAITING)
    if is_of_work and turns.at is not None and now - turns.at >= timedelta(seconds=BELIEVED_FOR_S):
        return replace(turns, phase=Phase.UNKNOWN, at=now, detail=""), ()
    return turns, ()


def _is_past(at: datetime, now: datetime) -> bool:
    """True if `at` is longer ago than the silence that ends a turn. A time far in the future counts as past too, because it was stamped
    before a clock was set back."""
    return abs(now - at) >= _SILENCE


def _rest(turns: Turns, now: datetime, in_box: Collection[MessageId]) -> Heeded:
    """Record that the agent rests, and so has done all that it was given before, whatever it has said about that."""
    ended: Turns = turns
    facts: tuple[Fact, ...] = ()
    if turns.phase is Phase.BUSY:
        ended, facts = hear(turns, Heard(said=Said.INTERRUPTED, at=now))
    given = (*ended.working_on, *ended.expected)
    done = tuple(t.message_id for t in given if _is_past(t.since, now) and t.message_id not in in_box)
    ended = _without(ended, done)
    if ended.phase is not Phase.IDLE:
        ended = replace(ended, phase=Phase.IDLE, at=now, detail="")
    completed = dict.fromkeys((*(fact.message_id for fact in facts), *done))
    return ended, tuple(Completed(message_id, now, is_inferred=True) for message_id in completed)


def witness(turns: Turns, phase: Phase, at: datetime, now: datetime, *, is_prompt_heard: bool) -> Heeded:
    """Take in the report of a witness that sees what the agent does and since when, but not why: a status file or a title. Believe the
    witness only after a moment, because the agent's own report may be under way, and only if nothing was said since `at`."""
    is_news = turns.at is None or at > turns.at
    if phase is turns.phase or not is_news or now - at < _WORD_UNDER_WAY:
        return turns, ()
    if phase is not Phase.IDLE or turns.phase is Phase.UNKNOWN:
        return replace(turns, phase=phase, at=at, detail=""), ()
    # If the agent reports its stops itself and did not report this one, then the turn did not stop by itself: it was interrupted.
    ended, facts = hear(turns, Heard(said=Said.INTERRUPTED if is_prompt_heard else Said.STOPPED, at=at))
    return ended, tuple(Completed(fact.message_id, fact.at, is_seen=True) for fact in facts)


_WORD_UNDER_WAY = timedelta(seconds=0.5)
"""How long the agent's own report may be under way after a witness has seen the same."""


def _take_prompt(turns: Turns, heard: Heard) -> Heeded:
    new = tuple(message_id for message_id in heard.message_ids if not _is_heard(turns, message_id))
    facts: list[Fact] = [Acknowledged(message_id, heard.at) for message_id in new]
    earlier = _earlier(turns, new)
    turns = _without(turns, (*earlier, *new))
    if turns.stopped_at is not None and turns.stopped_at > heard.at:
        # The report of the turn's stop has overtaken the report of its prompt.
        facts += [Completed(message_id, turns.stopped_at) for message_id in (*earlier, *new)]
        return turns, tuple(facts)
    untold = tuple(Task(message_id, heard.at, is_heard=False) for message_id in earlier)
    tasks = tuple(Task(message_id, heard.at) for message_id in new)
    return replace(turns, working_on=turns.working_on + untold + tasks), tuple(facts)


def _earlier(turns: Turns, taken: Collection[MessageId]) -> tuple[MessageId, ...]:
    """Return the messages that were submitted before the last of the messages in `taken`, and that the agent said nothing about: agents
    take prompts in the order in which they get them."""
    expected = tuple(task.message_id for task in turns.expected)
    last = max((place for place, message_id in enumerate(expected) if message_id in taken), default=0)
    return tuple(message_id for message_id in expected[:last] if message_id not in taken)


def _is_over(turns: Turns, heard: Heard) -> bool:
    """True if this is the end of a turn that another witness has reported before, while the agent now works on something else."""
    is_of_others = bool(heard.message_ids) and not any(_knows(turns, message_id) for message_id in heard.message_ids)
    return is_of_others and bool(turns.working_on)


def _end_turn(turns: Turns, heard: Heard) -> Heeded:
    """End the turn: complete the messages whose prompts the agent took before this stop. A stop does not end the work on a prompt that
    came after it."""
    done = tuple(task for task in turns.working_on if task.since <= heard.at)
    left = tuple(task for task in turns.working_on if task.since > heard.at)
    was_interrupted = heard.said is Said.INTERRUPTED
    facts = tuple(Completed(task.message_id, heard.at, was_interrupted) for task in done)
    stopped_at = heard.at if turns.stopped_at is None else max(turns.stopped_at, heard.at)
    if turns.stopped_at is not None and heard.at <= turns.stopped_at:
        # This stop is repeated or late, so the agent does not begin now with the messages that were pasted since the real stop.
        return replace(turns, working_on=left), facts
    promoted = tuple(Task(message_id, heard.at + _TICK, is_heard=False) for message_id in turns.next_up)
    return replace(turns, working_on=left + promoted, next_up=(), stopped_at=stopped_at), facts


_TICK = timedelta(microseconds=1)
"""The time by which a message that a stop promotes begins after that stop, so that the same stop, said again, does not complete it."""


def _change_phase(turns: Turns, heard: Heard) -> Turns:
    phase = _PHASES.get(heard.said)
    if phase is None or (turns.at is not None and heard.at < turns.at):
        return turns
    detail = heard.detail if phase is Phase.WAITING else ""
    return replace(turns, phase=phase, at=heard.at, detail=detail)


def _is_heard(turns: Turns, message_id: MessageId) -> bool:
    return any(task.message_id == message_id and task.is_heard for task in turns.working_on)


def _knows(turns: Turns, message_id: MessageId) -> bool:
    return message_id in turns.message_ids


def _without(turns: Turns, message_ids: tuple[MessageId, ...]) -> Turns:
    """Remove messages from all lists, before they are put elsewhere."""
    return replace(
        turns,
        working_on=tuple(task for task in turns.working_on if task.message_id not in message_ids),
        next_up=tuple(message_id for message_id in turns.next_up if message_id not in message_ids),
        expected=tuple(task for task in turns.expected if task.message_id not in message_ids),
    )
