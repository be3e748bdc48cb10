"""How a hook hands a message to its agent: with what authority, and in which words the hook must answer. Each agent's folder says at
which boundaries it can, as measured on the real program (docs/hooks.md).

A text that is added after a tool has run is something that the agent is told. If a hook refuses a stop, the agent goes on with
the reason, as what a hook has said or as its user's next prompt.
"""

import json
from typing import Any

from msgspec import Struct

from hark.model.message import Authority


class HookAnswer(Struct, frozen=True):
    authority: Authority
    refusal: str = ""
    """The word by which the hook refuses a stop; empty if the hook adds a text instead."""
    is_also_of_cancelled: bool = False
    """True if the agent calls the hook also when a human has cancelled the turn, and then drops what the hook says."""


def answer(way: HookAnswer, event: str, text: str) -> bytes:
    """Return the text that the hook prints, which is how the agent receives the answer."""
    words: dict[str, Any] = {"decision": way.refusal, "reason": text}
    if not way.refusal:
        words = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(words, ensure_ascii=False).encode("utf-8", "replace")
