"""The ways in use today to put a message into an agent's box, re-created with plain tmux commands.

Each is a table of steps. None of them looks at the screen, asks who is typing, or learns what became of the message.
"""

from __future__ import annotations

import time
from enum import Enum

from msgspec import Struct

from tests.support.terminals import PrivateTmux


class Put(Enum):
    """How the text gets into the pane."""

    TYPE = "typed as keys"
    TYPE_WITH_ENTER = "typed as keys, with Enter in the same call"
    PASTE = "pasted in brackets"


class Wait(Struct, frozen=True):
    seconds: float


class Key(Struct, frozen=True):
    name: str


Step = Put | Wait | Key


class Peer(Struct, frozen=True):
    title: str
    steps: tuple[Step, ...]


PEERS = {
    "send-keys": Peer("text+Enter", (Put.TYPE_WITH_ENTER,)),
    "escape": Peer(
        "text, 500 ms, Escape, 600 ms, Enter", (Put.TYPE, Wait(0.5), Key("Escape"), Wait(0.6), Key("Enter"))
    ),
    "pause": Peer("text, 300 ms, Enter", (Put.TYPE, Wait(0.3), Key("Enter"))),
    "clear": Peer("Ctrl-U, text+Enter", (Key("C-u"), Put.TYPE_WITH_ENTER)),
    "paste": Peer("paste, 150 ms, Enter", (Put.PASTE, Wait(0.15), Key("Enter"))),
    "twice": Peer("text, 1 s, Enter, 0.5 s, Enter", (Put.TYPE, Wait(1.0), Key("Enter"), Wait(0.5), Key("Enter"))),
}


def send(tmux: PrivateTmux, pane: str, name: str, text: str) -> None:
    for step in PEERS[name].steps:
        match step:
            case Wait(seconds=seconds):
                time.sleep(seconds)
            case Key(name=key):
                tmux.press(pane, key)
            case Put.TYPE:
                tmux.type(pane, text)
            case Put.TYPE_WITH_ENTER:
                tmux.press(pane, text, "Enter")
            case Put.PASTE:
                tmux.paste(pane, text)
