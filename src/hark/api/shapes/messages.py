"""The structs of the calls about messages."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from hark.api.shapes.foundation import PositiveSeconds, Request, Response
from hark.model.answer import Answer, AnswerSource
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Mode, Receipt, Status


class Send(Request, frozen=True, kw_only=True):
    text: str
    sender_session_id: str | None = None
    sender_name: str | None = None
    delivery_mode: Mode = Mode.SEQUENTIAL
    timeout_seconds: PositiveSeconds | None = None
    inbox: bool = False
    """True to never type the message: it waits until the session's agent checks its inbox."""
    queue: bool = False
    """True to keep the message if the session is gone, instead of refusing it."""
    waits: bool = False
    """True if the sender will wait until the message is completed: hark refuses a message that would make sessions wait for each other."""
    alone: bool = False
    """True for a question: hark delivers the message apart from others, as a turn of its own, so that its answer is its own."""
    raw: bool = False
    """True to type the text without a header and apart from other messages: for the agent's own commands, such as /compact."""
    notify_on_delivery: bool = False
    notify_after_seconds: PositiveSeconds | None = None
    notify_on_failure: bool | None = None
    """True to tell the sender when the message cannot be delivered; null means: if the sender is a session."""
    as_user: bool = False
    """True to deliver the message only in ways that give it the authority of a user's prompt."""
    notify_on_stop: bool = False
    """True to send the sender's session a message when the turn of this message has stopped."""


class SendGroup(Send, frozen=True, kw_only=True):
    to: Annotated[list[str], Meta(min_length=1)]
    """The names and ids of the receiving sessions, and patterns: `crew/*`, or `*` for everyone but the sender."""


class Sent(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    session_name: str
    status: Status
    queue_position: int
    delivery_mode: Mode
    estimated_delivery: str
    """When the message will be delivered: `now`, `next_turn`, `after_earlier_messages`, `waiting_for_idle`,
    `when_the_inbox_is_checked`, or `waiting_for_` and the reason of the hold. For a message that does not wait any more it is
    the message's status."""
    interrupted: bool = False
    """True if hark interrupted a running turn for this message."""


class SentList(Response, frozen=True, kw_only=True):
    messages: list[Sent]


class PendingMessage(Response, frozen=True, kw_only=True):
    id: str
    sender: str | None
    queued_at: datetime
    timeout_at: datetime | None
    status: Status
    reason: HoldReason | None
    held_since: datetime | None
    delivery_mode: Mode
    text: str
    is_inbox: bool
    """True if the message waits until the agent checks its inbox."""


class SendQueue(Response, frozen=True, kw_only=True):
    session_id: str
    is_idle: bool | None
    """True if the agent is idle, false if it is not; null if hark does not know."""
    pending_count: int
    pending_messages: list[PendingMessage]
    saved_user_input: str | None
    """The draft that hark took out of the input box and has not put back yet."""
    pending_user_input: str | None = None
    """The text that the screen shows in the input box now; null if the box is empty or out of sight."""
    pending_input_first_seen: datetime | None = None
    """Since when hark has seen exactly `pending_user_input` in the box."""


class ReceiptInfo(Response, frozen=True, kw_only=True):
    status: Status
    at: datetime
    reason: HoldReason | None
    detail: str
    channel: Channel | None
    carrier: Carrier | None = None
    """The carrier that was chosen on the terminal channel, or `none` for an empty box; `had_draft` says whether it carried a draft."""
    authority: Authority | None = None
    had_draft: bool | None = None
    """True if a human's draft was carried out of the box, false if the box was empty, null if that is not known or no box was used."""


class AnswerInfo(Response, frozen=True, kw_only=True):
    text: str
    """The agent's final words of the turn in which it has worked on the message; empty if there are none."""
    source: AnswerSource
    """Where the words come from; `screen` may have more or less than the answer, `none` means that there is no answer."""
    is_cut: bool
    """True if the agent has said more than hark keeps, which is 256 KiB."""
    reason: str
    """Why there is no text, or why the text may not be the whole answer."""
    at: datetime


class MessageInfo(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    session_name: str
    sender_session_id: str | None
    sender: str | None
    text: str
    delivery_mode: Mode
    status: Status
    reason: HoldReason | None
    held_since: datetime | None
    attempts: int
    channel: Channel | None
    authority: Authority | None
    """The authority with which the agent has received the message."""
    as_user: bool
    """True if the sender wants the message to reach the agent as a user's prompt, and nothing less."""
    queued_at: datetime
    timeout_at: datetime | None
    delivered_at: datetime | None
    acknowledged_at: datetime | None
    completed_at: datetime | None
    ended_at: datetime | None
    in_reply_to: str | None
    """The message that this message replies to."""
    thread_id: str
    """The first message of the thread; the message's own id if it replies to no message."""
    hops: int
    """How many replies lead from the first message of the thread to this one."""
    answer: AnswerInfo | None
    """The agent's answer; null in lists of messages, and for a message that has not completed by a turn."""
    receipts: list[ReceiptInfo]


class MessageList(Response, frozen=True, kw_only=True):
    messages: list[MessageInfo]


def answer_info(answer: Answer) -> AnswerInfo:
    return AnswerInfo(text=answer.text, source=answer.source, is_cut=answer.is_cut, reason=answer.reason, at=answer.at)


def message_info(
    message: Message, session_name: str, receipts: list[Receipt], answer: Answer | None = None
) -> MessageInfo:
    return MessageInfo(
        id=message.id,
        session_id=message.session_id,
        session_name=session_name,
        sender_session_id=message.sender_session_id,
        sender=message.sender_name,
        text=message.text,
        delivery_mode=message.mode,
        status=message.status,
        reason=message.hold_reason,
        held_since=message.held_since,
        attempts=message.attempts,
        channel=message.channel,
        authority=message.authority,
        as_user=message.is_as_user,
        queued_at=message.queued_at,
        timeout_at=message.timeout_at,
        delivered_at=message.delivered_at,
        acknowledged_at=message.acknowledged_at,
        completed_at=message.completed_at,
        ended_at=message.ended_at,
        in_reply_to=message.in_reply_to,
        thread_id=message.thread,
        hops=message.hops,
        answer=answer_info(answer) if answer else None,
        receipts=[receipt_info(receipt) for receipt in receipts],
    )


def receipt_info(receipt: Receipt) -> ReceiptInfo:
    return ReceiptInfo(
        status=receipt.status,
        at=receipt.at,
        reason=receipt.reason,
        detail=receipt.detail,
        channel=receipt.channel,
        carrier=receipt.carrier,
        authority=receipt.authority,
        had_draft=receipt.had_draft,
    )


def pending_message(message: Message) -> PendingMessage:
    return PendingMessage(
        id=message.id,
        sender=message.sender_name,
        queued_at=message.queued_at,
        timeout_at=message.timeout_at,
        status=message.status,
        reason=message.hold_reason,
        held_since=message.held_since,
        delivery_mode=message.mode,
        text=message.text,
        is_inbox=message.is_inbox,
    )
