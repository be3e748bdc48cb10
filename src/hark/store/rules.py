"""The decisions that all stores must make alike, and the errors of the contract, worded once."""

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from hark.model.errors import HarkError
from hark.model.event import Event
from hark.model.ids import MessageId, QuestionId, ReminderId, SessionId
from hark.model.message import Message
from hark.model.question import Ending, Question
from hark.model.reminder import Reminder, ReminderKind
from hark.model.session import Session, SessionState
from hark.queue.lifecycle import ENDS, PENDING

T = TypeVar("T", bound=msgspec.Struct)
NOTIFICATIONS_KEPT = 1000
"""How many reports of alerts a store keeps."""


def yielded(holder: Session) -> Session:
    """Return the session that has a wanted name, renamed to NAME~ID. Raise `name-taken` unless that session is gone."""
    if holder.state is not SessionState.GONE:
        raise HarkError(
            "name-taken",
            f"a running session is called {holder.name!r}",
            "choose another one with -n NAME, or rename that session with `hark rename`",
        )
    return msgspec.structs.replace(holder, name=f"{holder.name}~{holder.id}")


def check_repeat(stored: Message, repeated: Message) -> None:
    """Raise `idempotency-conflict` if a message repeats an idempotency key with another text."""
    if stored.text != repeated.text:
        raise HarkError(
            "idempotency-conflict",
            f"the key {repeated.idempotency_key!r} was used for another text (message {stored.id})",
            "use a new key for a new message",
        )


def check_same_request(key: str, stored_digest: str, digest: str) -> None:
    if stored_digest != digest:
        detail = f"the key {key!r} was used for another request"
        raise HarkError("idempotency-conflict", detail, "use a new key for a new request")


def wants_notices(message: Message) -> bool:
    is_wanted = message.notify_on_delivery or message.notify_on_failure or message.notify_on_stop
    return message.sender_session_id is not None and (is_wanted or message.notify_after_s is not None)


def is_forgettable(message: Message, session: Session, before: datetime) -> bool:
    """Return True if the message ended before `before`. A message that was delivered and never heard of again counts as ended when its
    session is gone: until then the agent may be at work on the message."""
    is_over = message.status in ENDS or (message.status not in PENDING and session.state is SessionState.GONE)
    over_at = message.ended_at or message.delivered_at or message.queued_at
    return is_over and message.queued_at < before and over_at < before


def is_follow_up_of(reminder: Reminder) -> MessageId | None:
    """Return the message about which this reminder will still remind its sender; None if it is not such a reminder."""
    is_waiting = reminder.fired_at is None and reminder.cancelled_at is None
    return MessageId(reminder.text) if reminder.kind is ReminderKind.FOLLOW_UP and is_waiting else None


def is_done_before(reminder: Reminder, before: datetime) -> bool:
    done_at = reminder.fired_at or reminder.cancelled_at
    return done_at is not None and done_at < before


def replaced(value: T, changes: dict[str, Any]) -> T:
    """Do what `structs.replace` does, but refuse to change an id."""
    if "id" in changes:
        raise TypeError(f"the id of a {type(value).__name__} cannot be changed")
    return msgspec.structs.replace(value, **changes)


def sealed(event: Event, seq: int, data: bytes | str) -> Event:
    """Return the event as every reader will see it: with its seq, and with its data as they are after JSON."""
    return msgspec.structs.replace(event, seq=seq, data=msgspec.json.decode(data))


def no_session(session_id: SessionId) -> HarkError:
    return HarkError("session-not-found", f"no session {session_id!r}", "`hark ls` shows the sessions there are")


def no_message(message_id: MessageId) -> HarkError:
    return HarkError("message-not-found", f"no message {message_id!r}", "`hark queue` shows the messages that wait")


def no_reminder(reminder_id: ReminderId) -> HarkError:
    return HarkError("reminder-not-found", f"no reminder {reminder_id!r}")


def no_question(question_id: QuestionId) -> HarkError:
    return HarkError("question-not-found", f"no question {question_id!r}", "`hark questions` lists the open questions")


def ended(question: Question, at: datetime, ending: Ending) -> Question:
    """Return the question as it has ended. Raise `question-ended` if it had ended before."""
    if question.end is not None:
        how = f"{question.end}: {question.answer}" if question.answer else str(question.end)
        detail = f"the question {question.id} has ended already ({how})"
        raise HarkError("question-ended", detail, "`hark questions` lists the open questions")
    return msgspec.structs.replace(corrected(question, ending), ended_at=at)


def corrected(question: Question, ending: Ending) -> Question:
    return msgspec.structs.replace(
        question,
        end=ending.end,
        answer=ending.answer,
        answered_by=ending.answered_by,
        answered_as=ending.answered_as,
    )


def lease_lost(session_id: SessionId, fence: int) -> HarkError:
    return HarkError("lease-lost", f"the lease {fence} on session {session_id!r} is not the current one any more")


def store_closed() -> HarkError:
    return HarkError("store-closed", "the store is not open", "start the daemon again")


def id_taken(what: str, taken: str) -> HarkError:
    return HarkError("internal", f"there is a {what} {taken!r} already")
