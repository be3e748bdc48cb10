"""The life of a message: one table, one function.

    queued -> held(reason) <-> queued -> staged -> submitted -> acknowledged -> completed
    and the ends: expired, cancelled, uncertain, dead

A message is changed by nothing but `advance`, which looks the change up in LEGAL, and returns the new message together
with the receipt that proves it; a store writes both in one transaction or neither. So no message can be in a state that
its receipts do not explain. The table is also stored in the database, where receipts refer to it: a writer that went
around this file would break a foreign key.

Some rows deserve a word. `held -> held` changes the reason. Before its text is put into the box a message is marked by
`begin_attempt`, so that after a crash it is known where to look; a marked message that is neither in the box nor on record
becomes `uncertain`, also out of `queued` and `held`. `staged -> queued|held|expired|cancelled` is only legal for a
delivery that proved the text to be out of the box again. `uncertain` is no real end: later evidence may resolve it, and a
human may decide to send again; hark itself never does. `submitted|acknowledged|completed -> queued` is what an agent does
that is interrupted before it has answered: it puts the prompt back into its box, where it waits, marked, to be submitted
once more.

An inbox message is never typed, so it can be neither held nor staged nor uncertain: it has a smaller table of its own. It
becomes `submitted` when it is handed to the agent that asked for it, and the rest is what that agent says.
"""

from datetime import datetime
from typing import Any

from msgspec import Struct, structs

from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Receipt, Status

S = Status

LEGAL: dict[Status, frozenset[Status]] = {
    S.QUEUED: frozenset({S.HELD, S.STAGED, S.EXPIRED, S.CANCELLED, S.UNCERTAIN, S.DEAD}),
    S.HELD: frozenset({S.QUEUED, S.HELD, S.EXPIRED, S.CANCELLED, S.UNCERTAIN, S.DEAD}),
    S.STAGED: frozenset({S.SUBMITTED, S.ACKNOWLEDGED, S.QUEUED, S.HELD, S.EXPIRED, S.CANCELLED, S.UNCERTAIN}),
    S.SUBMITTED: frozenset({S.ACKNOWLEDGED, S.COMPLETED, S.QUEUED}),
    S.ACKNOWLEDGED: frozenset({S.COMPLETED, S.QUEUED}),
    S.UNCERTAIN: frozenset({S.SUBMITTED, S.ACKNOWLEDGED, S.COMPLETED, S.QUEUED, S.CANCELLED, S.DEAD}),
    S.DEAD: frozenset({S.QUEUED}),
    S.COMPLETED: frozenset({S.QUEUED}),
    S.EXPIRED: frozenset(),
    S.CANCELLED: frozenset(),
}

LEGAL_IN_INBOX: dict[Status, frozenset[Status]] = {
    **dict.fromkeys(S, frozenset()),
    S.QUEUED: frozenset({S.SUBMITTED, S.EXPIRED, S.CANCELLED}),
    S.SUBMITTED: frozenset({S.ACKNOWLEDGED, S.COMPLETED}),
    S.ACKNOWLEDGED: frozenset({S.COMPLETED}),
}

PENDING = frozenset({S.QUEUED, S.HELD, S.STAGED})
"""The statuses of a message that was not submitted yet: what a queue shows."""

ENDS = frozenset({S.COMPLETED, S.EXPIRED, S.CANCELLED, S.UNCERTAIN, S.DEAD})
"""The statuses after which nothing more happens to a message by itself."""

_SETTLED = frozenset({S.EXPIRED, S.CANCELLED, S.DEAD})


def is_on_its_way(message: Message) -> bool:
    """True if hark has put the message on its way to the agent, so that a prompt of the agent's may carry its id."""
    if message.is_inbox or message.is_raw or message.status in _SETTLED:
        return False
    return message.attempted_at is not None or message.status not in (S.QUEUED, S.HELD)


_PROGRESS = (S.SUBMITTED, S.ACKNOWLEDGED, S.COMPLETED)
_STAMP = {
    S.STAGED: "staged_at",
    S.SUBMITTED: "delivered_at",
    S.ACKNOWLEDGED: "acknowledged_at",
    S.COMPLETED: "completed_at",
}


AUTHORITIES = {
    Channel.TERMINAL: Authority.USER,
    Channel.NATIVE: Authority.USER,
    Channel.HOOK: Authority.NOTICE,
    Channel.INBOX: Authority.NOTICE,
}
"""What a channel carries is prompted as the user's own words, unless a step says otherwise."""


class Step(Struct, frozen=True, kw_only=True):
    """A wished change of status, with what is known about it."""

    status: Status
    at: datetime
    reason: HoldReason | None = None
    detail: str = ""
    channel: Channel | None = None
    carrier: Carrier | None = None
    authority: Authority | None = None
    """The authority of the step; None means the channel's."""
    had_draft: bool | None = None
    """Whether a human's draft was carried out of the box for it; None where nobody looked."""
    is_in_box: bool = False
    """Our text may still be in the input box."""
    batch_id: str | None = None
    """The payload that it goes in, where it goes with others."""
    is_interrupt: bool | None = None
    """The running turn is being told to end for this message; False: it was not told after all."""
    counts_attempt: bool = True
    """False if the session was the reason why an attempt that has begun came to nothing: then it does not count."""


class Advance(Struct, frozen=True):
    message: Message
    receipt: Receipt
    event: Event


def first(message: Message) -> Advance:
    """A new message and its first receipt."""
    if message.status is not S.QUEUED:
        raise _illegal(None, message.status)
    detail = "waits in the inbox" if message.is_inbox else ""
    return _advance(message, None, Step(status=S.QUEUED, at=message.queued_at, detail=detail))


def advance(message: Message, step: Step) -> Advance:
    if step.status not in legal(message):
        raise _illegal(message.status, step.status)
    if (step.reason is not None) is not (step.status is S.HELD):
        raise HarkError("transition-illegal", "held has a reason, and nothing else has one")
    changes: dict[str, object] = {"status": step.status, "hold_reason": step.reason, "held_since": None}
    if step.status is S.HELD:
        changes["held_since"] = message.held_since if message.hold_reason is step.reason else step.at
    if not (step.is_in_box or step.status is S.STAGED):
        changes["attempted_at"] = None
        if message.attempted_at is not None and not step.counts_attempt:
            changes["attempts"] = max(0, message.attempts - 1)
        if step.status in (S.QUEUED, S.HELD):
            changes["batch_id"] = None
    elif step.is_in_box and message.attempted_at is None:
        changes["attempted_at"] = step.at
    if step.status is S.QUEUED and message.status in (S.DEAD, S.UNCERTAIN):
        changes |= {"attempts": 0, "timeout_at": None}
    if step.batch_id is not None:
        changes["batch_id"] = step.batch_id
    if step.is_interrupt is not None:
        changes["interrupted_at"] = step.at if step.is_interrupt else None
    if stamp := _STAMP.get(step.status):
        changes[stamp] = step.at
    if step.status in (S.ACKNOWLEDGED, S.COMPLETED) and message.delivered_at is None:
        changes["delivered_at"] = step.at
    changes["ended_at"] = step.at if step.status in ENDS else None
    way = (("channel", step.channel), ("carrier", step.carrier), ("authority", _authority(step)))
    changes |= {name: value for name, value in way if value is not None}
    return _advance(structs.replace(message, **changes), message.status, step)


def legal(message: Message) -> frozenset[Status]:
    """Returns the statuses that the message may have next."""
    return (LEGAL_IN_INBOX if message.is_inbox else LEGAL)[message.status]


def begin_attempt(message: Message, at: datetime, batch_id: str | None = None) -> Message:
    """Marks that from now on its text may be in the box, and in which payload. No receipt: nothing has been proven yet."""
    if message.status is not S.QUEUED or message.is_inbox:
        raise _illegal(message.status, S.STAGED)
    return structs.replace(message, attempts=message.attempts + 1, attempted_at=at, batch_id=batch_id)


def has_reached(status: Status, goal: Status) -> bool:
    """Whether a message that shall become `goal` (submitted, acknowledged, completed) is there or past it."""
    return status in _PROGRESS and goal in _PROGRESS and _PROGRESS.index(status) >= _PROGRESS.index(goal)


def hand_out(message: Message, at: datetime) -> Advance:
    """An inbox message goes to the agent that asked for it."""
    step = Step(status=S.SUBMITTED, at=at, detail="handed to the agent", channel=Channel.INBOX)
    return advance(message, step)


def is_expired(message: Message, now: datetime) -> bool:
    return message.status in PENDING and message.timeout_at is not None and message.timeout_at <= now


def _advance(message: Message, previous: Status | None, step: Step) -> Advance:
    receipt = Receipt(
        message_id=message.id,
        previous=previous,
        status=step.status,
        at=step.at,
        reason=step.reason,
        detail=step.detail,
        channel=step.channel,
        carrier=step.carrier,
        authority=_authority(step),
        had_draft=step.had_draft,
    )
    data: dict[str, Any] = {
        "status": str(step.status),
        "reason": step.reason and str(step.reason),
        "detail": step.detail,
    }
    known = {"channel": step.channel, "carrier": step.carrier}
    data |= {name: str(value) for name, value in known.items() if value is not None}
    if step.had_draft is not None:
        data["had_draft"] = step.had_draft
    if step.is_interrupt:
        data["is_interrupt"] = True
    if message.is_inbox:
        data["is_inbox"] = True
    event = Event(at=step.at, kind=EventKind.MESSAGE, session_id=message.session_id, message_id=message.id, data=data)
    return Advance(message, receipt, event)


def _authority(step: Step) -> Authority | None:
    return step.authority or (AUTHORITIES[step.channel] if step.channel else None)


def _illegal(previous: Status | None, status: Status) -> HarkError:
    was = previous or "new"
    return HarkError(
        "transition-illegal",
        f"a message that is {was} cannot become {status}",
        "see `hark show` for what happened to it",
    )
