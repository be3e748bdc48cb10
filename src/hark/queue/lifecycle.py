"""The life of a message, as one table and one function.

    queued -> held(reason) <-> queued -> staged -> submitted -> acknowledged -> completed
    and the ends: expired, cancelled, uncertain, dead

Only `advance` changes the status of a message. It looks the change up in LEGAL, and returns the new message together with the
receipt that proves the change; a store writes both in one transaction or neither. So no message can have a status that its
receipts do not explain. The database holds the table too, and receipts refer to it: a writer that went around this file would
break a foreign key.

Some rows need an explanation. `held -> held` changes the reason. Before hark puts the text of a message into the box,
`begin_attempt` marks the message, so that after a crash hark knows where to look; a marked message that is neither in the box
nor on record becomes `uncertain`, also out of `queued` and `held`. `staged -> queued|held|expired|cancelled` is only legal for a
delivery that proved the text to be out of the box again. `uncertain` is not a real end: later evidence may resolve it, and a
human may decide to send the message again; hark itself never does. `submitted|acknowledged|completed -> queued` happens when an
agent is interrupted before it has answered: the agent puts the prompt back into its box, where the message waits, marked, to be
submitted once more.

An inbox message is never typed, so it can be neither held nor staged nor uncertain: it has a smaller table of its own. It
becomes `submitted` when it is handed to the agent that asked for it, and its later statuses are what that agent reports.
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
"""The statuses of a message that has not been submitted yet; a queue shows the messages with these statuses."""

ENDS = frozenset({S.COMPLETED, S.EXPIRED, S.CANCELLED, S.UNCERTAIN, S.DEAD})
"""The statuses after which hark does nothing more with a message by itself."""

_SETTLED = frozenset({S.EXPIRED, S.CANCELLED, S.DEAD})


def is_on_its_way(message: Message) -> bool:
    """True if hark has put the message on its way to the agent, so that a prompt of the agent may contain the message's id."""
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
"""The authority that a message gets from the channel it goes by, unless a step has an authority of its own."""


class Step(Struct, frozen=True, kw_only=True):
    """A change of a message's status that is to be made, with what is known about it."""

    status: Status
    at: datetime
    reason: HoldReason | None = None
    detail: str = ""
    channel: Channel | None = None
    carrier: Carrier | None = None
    authority: Authority | None = None
    """The authority of the step; None means the authority of the step's channel."""
    had_draft: bool | None = None
    """True if hark carried a human's draft out of the box for the message, False if the box was empty, None if hark did not look."""
    is_in_box: bool = False
    """True if the message's text may still be in the input box."""
    batch_id: str | None = None
    """The id of the payload in which the message goes together with others; None if it does not change."""
    is_interrupt: bool | None = None
    """True if hark tells the running turn to end for this message; False if hark did not tell it after all; None changes nothing."""
    counts_attempt: bool = True
    """False if an attempt that had begun failed for a reason of the session: such an attempt does not count."""


class Advance(Struct, frozen=True):
    message: Message
    receipt: Receipt
    event: Event


def first(message: Message) -> Advance:
    """Return a new message with its first receipt."""
    if message.status is not S.QUEUED:
        raise _illegal(None, message.status)
    detail = "waits in the inbox" if message.is_inbox else ""
    return _advance(message, None, Step(status=S.QUEUED, at=message.queued_at, detail=detail))


def advance(message: Message, step: Step) -> Advance:
    if step.status not in legal(message):
        raise _illegal(message.status, step.status)
    if (step.reason is not None) is not (step.status is S.HELD):
        raise HarkError("transition-illegal", "a held message must have a reason, and no other message may have one")
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
    """Return the statuses that the message may have next."""
    return (LEGAL_IN_INBOX if message.is_inbox else LEGAL)[message.status]


def begin_attempt(message: Message, at: datetime, batch_id: str | None = None) -> Message:
    """Mark that from now on the message's text may be in the box, and in which payload. There is no receipt, because nothing has
    been proven yet."""
    if message.status is not S.QUEUED or message.is_inbox:
        raise _illegal(message.status, S.STAGED)
    return structs.replace(message, attempts=message.attempts + 1, attempted_at=at, batch_id=batch_id)


def has_reached(status: Status, goal: Status) -> bool:
    """Return True if the status is `goal` (submitted, acknowledged or completed) or comes after it."""
    return status in _PROGRESS and goal in _PROGRESS and _PROGRESS.index(status) >= _PROGRESS.index(goal)


def hand_out(message: Message, at: datetime) -> Advance:
    """Mark an inbox message as handed to the agent that asked for it."""
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
