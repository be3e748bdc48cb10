"""Chooses the messages that go to an agent as one payload: messages that wait for the same session, each under its own header, in
the order in which they would have gone one by one.

A question (`is_alone`) goes alone, so that the agent's answer is the answer to it. A text without a header (`is_raw`) goes alone,
because it may be a command of the agent's own. An urgent message goes alone,
because it has interrupted somebody and must not be buried among others. A message that the agent has refused before goes alone,
so that one text cannot keep others from arriving. A message whose text may be in the box already stays in the payload that it
was in.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from hark.model.message import Message, Mode
from hark.queue.lifecycle import is_attempted, is_expired
from hark.queue.ordering import RANK


def next_batch(in_order: Sequence[Message], most: int, now: datetime) -> tuple[Message, ...]:
    """Return the first message and those right after it that may go in the same payload, at most `most`. `in_order` holds the
    messages in the order of `queue.ordering.delivery_order`."""
    if not in_order:
        return ()
    first, *others = in_order
    batch = [first]
    for message in others if may_be_joined(first, now) else ():
        if len(batch) >= most or not may_be_joined(message, now) or message.is_as_user is not first.is_as_user:
            break
        batch.append(message)
    return tuple(batch)


def payload_order(messages: Iterable[Message]) -> list[Message]:
    """Sort messages as they stand in a payload that was made before, whatever their statuses are now."""
    return sorted(messages, key=lambda message: (RANK[message.mode], message.sequence))


def may_be_joined(message: Message, now: datetime) -> bool:
    is_special = message.is_raw or message.is_alone or message.mode is Mode.URGENT or message.attempts > 0
    return not (is_special or is_attempted(message) or is_expired(message, now))
