"""Which message goes next: urgent before important before sequential, and first come first served within a mode."""

from collections.abc import Iterable

from hark.model.message import Message, Mode, Status

_RANK = {Mode.URGENT: 0, Mode.IMPORTANT: 1, Mode.SEQUENTIAL: 2}


def delivery_order(pending: Iterable[Message]) -> list[Message]:
    """What is in the box already (staged) goes first: it must be finished before anything else may start."""
    return sorted(pending, key=lambda m: (m.status is not Status.STAGED, _RANK[m.mode], m.sequence))
