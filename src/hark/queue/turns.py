"""Turns: what an agent is doing, and which message belongs to which of its turns. Decided from what was heard of it, by the
time at which it was said, not at which it reached us: late, repeated and overtaken events change nothing that they should
not.

    prompt submitted -> busy ... permission asked -> waiting ... answered -> busy ... stopped -> idle

A message belongs to the turn whose prompt carried its id. It is completed when that turn has stopped: by the first stop that
was said after its prompt. Where an agent does not say which prompts it takes (`SUBMITTED`, two-phase promotion): what was
pasted into an idle agent is worked on at once; what was pasted into a busy one is worked on after the next stop, and
completed by the one after that. That may be one turn late when a stop was lost, and is never one too early.

A hook can get lost: the daemon was away, or its socket. A stop alone does not say whose it is, because the human may have
queued prompts of their own before our message. Two things do say that the agent has taken a message of which it told nothing
(`expected`): it has taken one that was submitted later, so the stop of that one settles both; or it rests.

An interrupted turn often ends without a word. So nothing is believed for ever: an agent whose terminal has fallen silent with
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
"""Seconds of silence that end a turn: every agent that works animates its screen."""
_SILENCE = timedelta(seconds=SILENCE_ENDS_TURN_S)
MOST_EXPECTED = 1000
"""How many messages are remembered of an agent that never tells anything."""
BEGINS_WITHIN_S = 10.0
"""How long an agent may take to begin with a prompt that it was given: some read the files that the prompt mentions first."""
BELIEVED_FOR_S = 900.0
"""Without any other event; then the state is unknown until somebody says something."""
_BEGINS_WITHIN = timedelta(seconds=BEGINS_WITHIN_S)


class Phase(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"
    """The agent waits for a human's permission."""
    UNKNOWN = "unknown"


class Task(Struct, frozen=True):
    """A message that the agent has, and since when."""

    message_id: MessageId
    since: datetime
    is_heard: bool = True
    """True if the agent itself has told that it has the message."""


class Turns(Struct, frozen=True, kw_only=True):
    phase: Phase = Phase.UNKNOWN
    at: datetime | None = None
    """When what decided the phase was said."""
    working_on: tuple[Task, ...] = ()
    next_up: tuple[MessageId, ...] = ()
    """Pasted into a busy agent that does not say which prompts it takes: for the turn after this one."""
    expected: tuple[Task, ...] = ()
    """Submitted to an agent that will say so itself, and has not yet; in the order in which they were submitted. Also what was
    submitted before we have heard anything of the agent."""
    stopped_at: datetime | None = None
    """When the agent's last turn stopped."""
    detail: str = ""
    """What the agent waits for."""

    @property
    def has_work(self) -> bool:
        return bool(self.working_on or self.next_up or self.expected)

    @property
    def message_ids(self) -> tuple[MessageId, ...]:
        """All messages that the agent has, as far as we know."""
        return (*(task.message_id for task in (*self.working_on, *self.expected)), *self.next_up)


class Acknowledged(Struct, frozen=True):
    message_id: MessageId
    at: datetime


class Completed(Struct, frozen=True):
    message_id: MessageId
    at: datetime
    was_interrupted: bool = False
    is_inferred: bool = False
    """True if the end of the turn is concluded from silence: nobody has told it."""
    is_seen: bool = False
    """True if a witness told it that sees what the agent does, and not why."""


Fact = Acknowledged | Completed
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
    """We have submitted a message. If the agent will say so itself, that is waited for."""
    if _knows(turns, message_id):
        return turns
    task = Task(message_id, at, is_heard=False)
    if is_prompt_heard:
        return expect(turns, (task,))
    if turns.phase in (Phase.BUSY, Phase.WAITING):
        return replace(turns, next_up=(*turns.next_up, message_id))
    return replace(turns, phase=Phase.BUSY, at=at, working_on=(*turns.working_on, task))


def expect(turns: Turns, tasks: Sequence[Task]) -> Turns:
    """Adds messages that the agent has, or will have, and of which it has told nothing."""
    new = tuple(task for task in tasks if not _knows(turns, task.message_id))
    return replace(turns, expected=(*turns.expected, *new)[-MOST_EXPECTED:])


def overtake(turns: Turns, message_id: MessageId) -> Turns:
    """The agent has told of a message while we were still submitting it: it has taken all that we submitted before it."""
    task = next((task for task in turns.working_on if task.message_id == message_id), None)
    if task is None:
        return turns
    untold = tuple(Task(earlier.message_id, task.since, is_heard=False) for earlier in turns.expected)
    return replace(turns, expected=(), working_on=turns.working_on + untold)


def beginning(turns: Turns, now: datetime) -> tuple[MessageId, ...]:
    """The messages that the agent was given a moment ago and may not have begun with: nobody has told that it did."""
    given = (*turns.working_on, *turns.expected)
    return tuple(task.message_id for task in given if not task.is_heard and abs(now - task.since) < _BEGINS_WITHIN)


def give_back(turns: Turns, message_ids: tuple[MessageId, ...]) -> Turns:
    """Removes messages that the agent does not have any more."""
    return _without(turns, message_ids)


def lapse(
    turns: Turns, now: datetime, *, quiet_s: float | None, has_box: bool, in_box: Collection[MessageId] = ()
) -> Heeded:
    """What silence says. `has_box`: the agent's input box is in view, with nothing in front of it. `in_box`: the messages that
    stand in the box."""
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
    """True if that was longer ago than a silence lasts. An instant far in the future was stamped before a clock was set back."""
    return abs(now - at) >= _SILENCE


def _rest(turns: Turns, now: datetime, in_box: Collection[MessageId]) -> Heeded:
    """The agent rests: it has done all that it was given before, whatever it has told of it."""
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
    """What somebody says who sees what the agent does since when, and not why: a status file, a title. It is believed after a
    moment, for the agent's own word may be under way, and only if nothing was said since."""
    is_news = turns.at is None or at > turns.at
    if phase is turns.phase or not is_news or now - at < _WORD_UNDER_WAY:
        return turns, ()
    if phase is not Phase.IDLE or turns.phase is Phase.UNKNOWN:
        return replace(turns, phase=phase, at=at, detail=""), ()
    # Of an agent whose stops are told, one that was not told was none.
    ended, facts = hear(turns, Heard(said=Said.INTERRUPTED if is_prompt_heard else Said.STOPPED, at=at))
    return ended, tuple(Completed(fact.message_id, fact.at, is_seen=True) for fact in facts)


_WORD_UNDER_WAY = timedelta(seconds=0.5)


def _take_prompt(turns: Turns, heard: Heard) -> Heeded:
    new = tuple(message_id for message_id in heard.message_ids if not _is_heard(turns, message_id))
    facts: list[Fact] = [Acknowledged(message_id, heard.at) for message_id in new]
    earlier = _earlier(turns, new)
    turns = _without(turns, (*earlier, *new))
    if turns.stopped_at is not None and turns.stopped_at > heard.at:
        # Its stop has overtaken it.
        facts += [Completed(message_id, turns.stopped_at) for message_id in (*earlier, *new)]
        return turns, tuple(facts)
    untold = tuple(Task(message_id, heard.at, is_heard=False) for message_id in earlier)
    tasks = tuple(Task(message_id, heard.at) for message_id in new)
    return replace(turns, working_on=turns.working_on + untold + tasks), tuple(facts)


def _earlier(turns: Turns, taken: Collection[MessageId]) -> tuple[MessageId, ...]:
    """The messages that were submitted before one of these, and were not told of: agents take prompts in their order."""
    expected = tuple(task.message_id for task in turns.expected)
    last = max((place for place, message_id in enumerate(expected) if message_id in taken), default=0)
    return tuple(message_id for message_id in expected[:last] if message_id not in taken)


def _is_over(turns: Turns, heard: Heard) -> bool:
    """The end of a turn that another witness has told of before; meanwhile the agent works on something else."""
    is_of_others = bool(heard.message_ids) and not any(_knows(turns, message_id) for message_id in heard.message_ids)
    return is_of_others and bool(turns.working_on)


def _end_turn(turns: Turns, heard: Heard) -> Heeded:
    """A stop that was said before a prompt is not that prompt's."""
    done = tuple(task for task in turns.working_on if task.since <= heard.at)
    left = tuple(task for task in turns.working_on if task.since > heard.at)
    was_interrupted = heard.said is Said.INTERRUPTED
    facts = tuple(Completed(task.message_id, heard.at, was_interrupted) for task in done)
    stopped_at = heard.at if turns.stopped_at is None else max(turns.stopped_at, heard.at)
    if turns.stopped_at is not None and heard.at <= turns.stopped_at:
        # Said again, or late: what was pasted since does not begin with it.
        return replace(turns, working_on=left), facts
    promoted = tuple(Task(message_id, heard.at + _TICK, is_heard=False) for message_id in turns.next_up)
    return replace(turns, working_on=left + promoted, next_up=(), stopped_at=stopped_at), facts


_TICK = timedelta(microseconds=1)
"""What is promoted by a stop is not completed by the same one, should it be said again."""


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
    """Removes messages from where they are, before they are put elsewhere."""
    return replace(
        turns,
        working_on=tuple(task for task in turns.working_on if task.message_id not in message_ids),
        next_up=tuple(message_id for message_id in turns.next_up if message_id not in message_ids),
        expected=tuple(task for task in turns.expected if task.message_id not in message_ids),
    )
