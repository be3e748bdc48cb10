"""Which message goes next: urgent before important before sequential, and first come first served within a mode."""

from collections.abc import Iterable

from hark.model.message import Message, Mode, Status

RANK = {Mode.URGENT: 0, Mode.IMPORTANT: 1, Mode.SEQUENTIAL: 2}


def delivery_order(pending: Iterable[Message]) -> list[Message]:
    """What is in the box already (staged) goes first: it must be finished before anything else may start. What waits in
    the inbox is not delivered."""
    typed = (message for message in pending if not message.is_inbox)
    return sorted(typed, key=lambda m: (m.status is not Status.STAGED, RANK[m.mode], m.sequence))


def inbox_order(pending: Iterable[Message]) -> list[Message]:
    """What waits for the agent to ask for it, in the order in which it gets it."""
    return sorted((m for m in pending if m.is_inbox), key=lambda m: (RANK[m.mode], m.sequence))
