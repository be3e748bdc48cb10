"""The log of the stand-in: what has really reached a model. It is the ground truth of every test with a real agent."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec


class Received(msgspec.Struct, frozen=True):
    at: datetime
    protocol: str
    session: str
    """The key that the agent has shown. Each launch has a key of its own, so this tells whose request it was."""
    texts: tuple[str, ...]
    context: tuple[str, ...]
    position: int
    is_side: bool
    tools: tuple[str, ...] = ()
    """What the model was offered."""
    instructions: tuple[str, ...] = ()

    def holds(self, text: str) -> bool:
        """Whether the text came in any way: from the user, or in what the agent added."""
        return any(text in one for one in (*self.texts, *self.context))


def append(log: Path, received: Received) -> None:
    with log.open("ab") as file:
        file.write(msgspec.json.encode(received) + b"\n")


def read(log: Path) -> list[Received]:
    """Without a last line that is still being written."""
    lines = log.read_bytes().split(b"\n")[:-1] if log.exists() else []
    return [msgspec.json.decode(line, type=Received) for line in lines]


def submitted_texts(log: list[Received]) -> list[str]:
    """Every text that a user has submitted, once for each time it was submitted.

    An agent repeats what is not answered yet (a steered or retried request): the same text at the same position.
    """
    seen: dict[tuple[str, int, str], None] = {}
    for received in log:
        if not received.is_side:
            seen |= {(received.session, received.position + i, text): None for i, text in enumerate(received.texts)}
    return [text for _, _, text in seen]
