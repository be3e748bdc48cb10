"""What reached the agent's model, and when it first did: an agent repeats what is not answered yet."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from tests.support.stand_in.record import Received


class Arrival(Struct, frozen=True):
    text: str
    at: datetime


def arrivals(log: Iterable[Received]) -> list[Arrival]:
    seen: dict[tuple[str, int, str], datetime] = {}
    for received in log:
        for index, text in enumerate(() if received.is_side else received.texts):
            seen.setdefault((received.session, received.position + index, text), received.at)
    return [Arrival(text, at) for (_, _, text), at in seen.items()]
