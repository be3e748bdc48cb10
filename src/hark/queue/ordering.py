"""Decides which message goes next: urgent before important before sequential, and first come first served within a mode."""

from collections.abc import Iterable

from hark.model.message import Message, Mode, Status

RANK = {Mode.URGENT: 0, Mode.IMPORTANT: 1, Mode.SEQUENTIAL: 2}


def delivery_order(pending: Iterable[Message]) -> list[Message]:
    """Sort pending messages in the order of delivery. A message that is in the box already (staged) goes first, because it must be
    finished before another delivery may start. Messages that wait in the inbox, or for a human to release them, are left out, because
    hark does not deliver them."""
    typed = (message for message in pending if not message.is_inbox and not message.is_kept_back)
    return sorted(typed, key=lambda m: (m.status is not Status.STAGED, RANK[m.mode], m.sequence))


def inbox_order(pending: Iterable[Message]) -> list[Message]:
    """Return the messages that wait in the inbox, in the order in which the agent gets them when it asks."""
    return sorted((m for m in pending if m.is_inbox), key=lambda m: (RANK[m.mode], m.sequence))


def kept_back(pending: Iterable[Message]) -> list[Message]:
    """Return the messages that wait for a human to release them, in the order of arrival."""
    return sorted((m for m in pending if m.is_kept_back), key=lambda m: m.sequence)
