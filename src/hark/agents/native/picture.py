"""What an agent has on record about its conversation, and what has happened between two looks at that record. Pure.

Agents announce their turns, but an announcement can be missed: a daemon starts late, or again. An agent's record is the same for
everyone who asks, so announcements only say when to look.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct, structs

from hark.agents.native.channel import State
from hark.delivery.headers import find_message_ids
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.question import Asked


class Turn(Struct, frozen=True, kw_only=True):
    id: str
    message_ids: tuple[MessageId, ...] = ()
    end: Said | None = None
    """How the turn has ended: stopped or interrupted. None while it runs."""


class Picture(Struct, frozen=True, kw_only=True):
    conversation: str = ""
    """The agent's own name for the conversation; empty if it is not certain which conversation the pane shows."""
    state: State = State.UNKNOWN
    turns: tuple[Turn, ...] = ()
    """The newest turns, the oldest of them first."""
    waiting: tuple[MessageId, ...] = ()
    """Messages that the agent has accepted and not begun to work on."""
    asked: tuple[Asked, ...] = ()
    """What the agent asks its human, as far as it says."""

    @property
    def is_idle(self) -> bool:
        return self.state is State.IDLE


def message_ids(text: str, *own: MessageId | None) -> tuple[MessageId, ...]:
    """Return the ids of all messages in a payload: the one that names it, and those in its headers."""
    named = [one for one in own if one]
    return tuple(dict.fromkeys((*named, *find_message_ids(text))))


def continued(before: Picture | None, after: Picture) -> Picture:
    """Return the picture together with what was seen before: a turn that has ended does not run again, and a turn that ran when it moved
    out of view ends as the newest turn does, once the agent is idle."""
    if before is None or before.conversation != after.conversation:
        return after
    ends = {turn.id: turn.end for turn in before.turns}
    in_view = tuple(structs.replace(turn, end=ends.get(turn.id) or turn.end) for turn in after.turns)
    seen = {turn.id for turn in after.turns}
    newest = (in_view[-1].end if in_view else None) or Said.INTERRUPTED
    out_of_view = (turn for turn in before.turns if turn.end is None and turn.id not in seen)
    kept = (structs.replace(turn, end=newest if after.is_idle else None) for turn in out_of_view)
    return structs.replace(after, turns=(*kept, *in_view))


def events_between(before: Picture | None, after: Picture, at: datetime) -> list[Heard]:
    """Return what has happened between two looks. `before` is None at the first look: then turns of the past count only if messages of
    ours were in them. The first look into another conversation is a first look too. All events are heard at once, so each is dated a
    moment after the one before it."""
    if before and before.conversation != after.conversation:
        before = None
    known = {turn.id: turn for turn in before.turns} if before else {}
    was_waiting = before is not None and before.state is State.WAITING
    is_waiting = after.state is State.WAITING
    asked_before = {one.agents_id for one in before.asked} if before else set()
    asked_now = {one.agents_id for one in after.asked}
    said: list[tuple[Said, tuple[MessageId, ...]]] = []
    if was_waiting and not is_waiting:
        said.append((Said.PERMISSION_ANSWERED, ()))
    for turn in after.turns:
        if before or turn.message_ids or turn.end is None:
            said += _said_of(known.get(turn.id), turn)
    if is_waiting and (not was_waiting or asked_now - asked_before):
        said.append((Said.PERMISSION_ASKED, ()))
    elif asked_before - asked_now and is_waiting:
        said.append((Said.NOTIFIED, ()))
    detail = after.asked[0].text if after.asked else ""
    return [
        Heard(said=one, at=at + n * _MOMENT, message_ids=ids, detail=detail if one is Said.PERMISSION_ASKED else "")
        for n, (one, ids) in enumerate(said)
    ]


_MOMENT = timedelta(microseconds=1)


def _said_of(before: Turn | None, turn: Turn) -> Iterable[tuple[Said, tuple[MessageId, ...]]]:
    new_ids = tuple(one for one in turn.message_ids if before is None or one not in before.message_ids)
    if before is None or new_ids:
        yield Said.PROMPT_SUBMITTED, new_ids
    if turn.end and (before is None or before.end is None):
        yield turn.end, turn.message_ids
