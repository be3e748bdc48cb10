"""The life of a message, as one table and one function.

    queued -> held(reason) <-> queued -> staged -> submitted -> acknowledged -> completed
    and the ends: interrupted, failed, expired, cancelled, uncertain, dead

Only `advance` changes the status of a message. It looks the change up in LEGAL, and returns the new message together with the
receipt that proves the change; a store writes both in one transaction or neither. So no message can have a status that its
receipts do not explain. The database holds the table too, and receipts refer to it: a writer that went around this file would
break a foreign key.

What may become of a message depends on its status and on where its text may be (`text_place`), so both are the key of a row. Before
hark puts the text into the box, `begin_attempt` marks the message, so that after a crash hark knows where to look. While the text may
be in the box, or with the agent's API or hook, the message cannot expire, be cancelled or be given up as dead: if it is neither there
nor on record, it becomes `uncertain`. `staged -> queued|held|expired|cancelled` is only legal for a delivery that proved the text to be
out of the box again. `held -> held` changes the reason. `uncertain` is not a real end: later evidence may resolve it, and a human may
decide to send the message again; hark itself never does. `submitted|acknowledged|completed|interrupted -> queued` happens when an agent is
interrupted before it has answered: the agent puts the prompt back into its box, where the message waits, marked, to be submitted once
more. `queued -> queued` happens when another session takes the message over (`take_over`).

An inbox message is never typed, so it can be neither held nor staged nor uncertain. It becomes `submitted` when it is handed to the
agent that asked for it, and its later statuses are what that agent reports.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, structs

from hark.model.answer import Answer
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Receipt, Status

S = Status


class TextPlace(StrEnum):
    """A place says where the text of a message may be."""

    NOWHERE = "nowhere"
    """The text is with hark alone."""
    BOX = "box"
    """The text may be in the input box."""
    API = "api"
    """The text may be with the agent's own API."""
    HOOK = "hook"
    """The text may be with one of the agent's hooks."""
    AGENT = "agent"
    """The agent was given the text as a prompt."""
    UNKNOWN = "unknown"
    """Nobody knows whether the agent has the text."""
    INBOX = "inbox"
    """The text waits in the session's inbox, or the agent has fetched it from there."""


P = TextPlace

LEGAL: dict[tuple[Status, TextPlace], frozenset[Status]] = {
    (S.QUEUED, P.NOWHERE): frozenset({S.HELD, S.STAGED, S.EXPIRED, S.CANCELLED, S.DEAD}),
    (S.QUEUED, P.BOX): frozenset({S.HELD, S.STAGED, S.UNCERTAIN}),
    (S.HELD, P.NOWHERE): frozenset({S.QUEUED, S.HELD, S.EXPIRED, S.CANCELLED, S.DEAD}),
    (S.HELD, P.BOX): frozenset({S.QUEUED, S.HELD, S.UNCERTAIN}),
    (S.STAGED, P.BOX): frozenset({S.SUBMITTED, S.ACKNOWLEDGED, S.QUEUED, S.HELD, S.EXPIRED, S.CANCELLED, S.UNCERTAIN}),
    (S.STAGED, P.API): frozenset({S.SUBMITTED, S.ACKNOWLEDGED, S.QUEUED, S.HELD, S.UNCERTAIN}),
    (S.STAGED, P.HOOK): frozenset({S.SUBMITTED, S.ACKNOWLEDGED, S.QUEUED, S.HELD, S.UNCERTAIN}),
    (S.SUBMITTED, P.AGENT): frozenset({S.ACKNOWLEDGED, S.COMPLETED, S.INTERRUPTED, S.FAILED, S.QUEUED}),
    (S.ACKNOWLEDGED, P.AGENT): frozenset({S.COMPLETED, S.INTERRUPTED, S.FAILED, S.QUEUED}),
    (S.COMPLETED, P.AGENT): frozenset({S.QUEUED}),
    (S.INTERRUPTED, P.AGENT): frozenset({S.QUEUED}),
    (S.FAILED, P.AGENT): frozenset(),
    (S.UNCERTAIN, P.UNKNOWN): frozenset(
        {S.SUBMITTED, S.ACKNOWLEDGED, S.COMPLETED, S.INTERRUPTED, S.QUEUED, S.CANCELLED, S.DEAD}
    ),
    (S.DEAD, P.NOWHERE): frozenset({S.QUEUED}),
    (S.EXPIRED, P.NOWHERE): frozenset(),
    (S.CANCELLED, P.NOWHERE): frozenset(),
    # An inbox message has these rows and no others.
    (S.QUEUED, P.INBOX): frozenset({S.SUBMITTED, S.EXPIRED, S.CANCELLED}),
    (S.SUBMITTED, P.INBOX): frozenset({S.ACKNOWLEDGED, S.COMPLETED, S.FAILED}),
    (S.ACKNOWLEDGED, P.INBOX): frozenset({S.COMPLETED, S.FAILED}),
    (S.COMPLETED, P.INBOX): frozenset(),
    (S.FAILED, P.INBOX): frozenset(),
    (S.EXPIRED, P.INBOX): frozenset(),
    (S.CANCELLED, P.INBOX): frozenset(),
}

TAKEN_OVER = (S.QUEUED, S.QUEUED)
"""The one change that is not in LEGAL: a message that is queued goes to another session (`take_over`), and is still queued."""

PENDING = frozenset({S.QUEUED, S.HELD, S.STAGED})
"""The statuses of a message that has not been submitted yet; a queue shows the messages with these statuses."""

ENDS = frozenset({S.COMPLETED, S.INTERRUPTED, S.FAILED, S.EXPIRED, S.CANCELLED, S.UNCERTAIN, S.DEAD})
"""The statuses after which hark does nothing more with a message by itself."""

_STAGED_BY = {Channel.NATIVE: P.API, Channel.HOOK: P.HOOK}
_PLACES = {
    **dict.fromkeys((S.SUBMITTED, S.ACKNOWLEDGED, S.COMPLETED, S.INTERRUPTED, S.FAILED), P.AGENT),
    **dict.fromkeys((S.EXPIRED, S.CANCELLED, S.DEAD), P.NOWHERE),
    S.UNCERTAIN: P.UNKNOWN,
}
_ATTEMPTED = frozenset({P.BOX, P.API, P.HOOK})


def text_place(message: Message) -> TextPlace:
    """Return where the text of the message may be."""
    if message.is_inbox:
        return P.INBOX
    if message.status is S.STAGED:
        return _STAGED_BY.get(message.channel, P.BOX) if message.channel else P.BOX
    if message.status in (S.QUEUED, S.HELD):
        return P.NOWHERE if message.attempted_at is None else P.BOX
    return _PLACES[message.status]


def is_attempted(message: Message) -> bool:
    """Return True if a delivery of the message has begun and is not decided: its text may be in the box, or with the agent's API or
    hook."""
    return text_place(message) in _ATTEMPTED


def is_on_its_way(message: Message) -> bool:
    """Return True if hark has put the message on its way to the agent, so that a prompt of the agent may contain the message's id."""
    return not message.is_raw and text_place(message) not in (P.NOWHERE, P.INBOX)


def given_up_status(message: Message) -> Status:
    """Return the status with which hark gives up a pending message: dead if only hark has its text, else uncertain. An inbox message
    expires, because no attempt to deliver it has failed."""
    if message.is_inbox:
        return S.EXPIRED
    return S.UNCERTAIN if is_attempted(message) else S.DEAD


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
    session_id: SessionId | None = None
    """The session that shall receive the message from now on; None if that does not change."""
    counts_attempt: bool = True
    """False if an attempt that had begun failed for a reason of the session: such an attempt does not count."""
    answer: Answer | None = None
    """The answer to the message, which is stored together with the step that completes the message."""


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
    if step.status not in legal(message) and not _is_taken_over(message, step):
        raise _illegal(message.status, step.status)
    if (step.reason is not None) is not (step.status is S.HELD):
        raise HarkError("transition-illegal", "a held message must have a reason, and no other message may have one")
    changes: dict[str, object] = {"status": step.status, "hold_reason": step.reason, "held_since": None}
    changes["is_kept_back"] = step.reason is HoldReason.LOOP
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
    if step.session_id is not None:
        changes["session_id"] = step.session_id
    changes["ended_at"] = step.at if step.status in ENDS else None
    way = (("channel", step.channel), ("carrier", step.carrier), ("authority", _authority(step)))
    changes |= {name: value for name, value in way if value is not None}
    return _advance(structs.replace(message, **changes), message.status, step)


def _is_taken_over(message: Message, step: Step) -> bool:
    return step.session_id is not None and (message.status, step.status) == TAKEN_OVER and not is_attempted(message)


LEFT_IN_BOX = "the session ended, and its text may have been in the input box"


def take_over(message: Message, heir_id: SessionId, at: datetime) -> Advance:
    """Give a pending message of a session that is gone to the session that takes its queue over. A message whose text may have been with
    the agent that ended stays where it is, and becomes uncertain: it must not arrive twice."""
    if is_attempted(message):
        return advance(message, Step(status=S.UNCERTAIN, at=at, detail=LEFT_IN_BOX))
    detail = f"a new session of the same name takes over what waited for {message.session_id}"
    status = S.HELD if message.is_kept_back else S.QUEUED
    reason = message.hold_reason if message.is_kept_back else None
    return advance(message, Step(status=status, at=at, reason=reason, detail=detail, session_id=heir_id))


def legal(message: Message) -> frozenset[Status]:
    """Return the statuses that the message may have next."""
    return LEGAL.get((message.status, text_place(message)), frozenset())


def begin_attempt(message: Message, at: datetime, batch_id: str | None = None) -> Message:
    """Mark that from now on the message's text may be in the box, and in which payload. There is no receipt, because nothing has
    been proven yet."""
    if message.status is not S.QUEUED or message.is_inbox:
        raise _illegal(message.status, S.STAGED)
    return structs.replace(message, attempts=message.attempts + 1, attempted_at=at, batch_id=batch_id)


def has_reached(status: Status, goal: Status) -> bool:
    """Return True if the status is `goal` (submitted, acknowledged or completed) or comes after it. A message that the agent did not
    finish was submitted."""
    if status in (S.INTERRUPTED, S.FAILED):
        return goal is S.SUBMITTED
    return status in _PROGRESS and goal in _PROGRESS and _PROGRESS.index(status) >= _PROGRESS.index(goal)


def is_stranded(message: Message) -> bool:
    """Return True if waiting for the message is of no use: it waits for a session that is gone, or for a human who has to release it."""
    return message.status is S.HELD and message.hold_reason in (HoldReason.SESSION_GONE, HoldReason.LOOP)


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
    if step.is_interrupt is not None:
        data["is_interrupt"] = step.is_interrupt
    if message.is_inbox:
        data["is_inbox"] = True
    if step.answer:
        data["answer"] = _excerpt(step.answer)
    event = Event(at=step.at, kind=EventKind.MESSAGE, session_id=message.session_id, message_id=message.id, data=data)
    return Advance(message, receipt, event)


LONGEST_IN_EVENT = 4096
"""How many characters of an answer an event carries; the message has the whole answer."""


def _excerpt(answer: Answer) -> dict[str, Any]:
    is_whole = len(answer.text) <= LONGEST_IN_EVENT and not answer.is_cut
    text = answer.text[:LONGEST_IN_EVENT]
    return {"source": str(answer.source), "text": text, "is_whole": is_whole, "reason": answer.reason}


def _authority(step: Step) -> Authority | None:
    return step.authority or (AUTHORITIES[step.channel] if step.channel else None)


def _illegal(previous: Status | None, status: Status) -> HarkError:
    was = previous or "new"
    return HarkError(
        "transition-illegal",
        f"a message that is {was} cannot become {status}",
        "see `hark show` for what happened to it",
    )
