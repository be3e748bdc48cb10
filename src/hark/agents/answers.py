"""What an agent's hooks can carry: at which of its events a message may go in, with what authority, and in which words the hook must
answer. All this was measured on the real programs (docs/hooks.md).

A text that is added after a tool has run is something that the agent is told. If a hook refuses a stop, the agent goes on with
the reason: Gemini CLI takes the reason as its user's next prompt, the others as what a hook has said.
"""

import json
from typing import Any

from msgspec import Struct

from hark.model.message import Authority
from hark.queue.handover import Boundary


class Way(Struct, frozen=True):
    authority: Authority
    refusal: str = ""
    """The word by which the hook refuses a stop; empty if the hook adds a text instead. Claude Code goes on with a text that is added at
    its stop, and calls a refusal an error of the hook."""
    is_also_of_cancelled: bool = False
    """True if the agent calls the hook also when a human has cancelled the turn, and then drops what the hook says."""


_CODEX = {
    Boundary.TOOL: Way(Authority.NOTICE),
    Boundary.STOP: Way(Authority.NOTICE, "block"),
}
WAYS: dict[str, dict[Boundary, Way]] = {
    "claude": {Boundary.TOOL: Way(Authority.NOTICE), Boundary.STOP: Way(Authority.NOTICE)},
    "codex": _CODEX,
    "gemini": {
        Boundary.TOOL: Way(Authority.NOTICE, is_also_of_cancelled=True),
        Boundary.STOP: Way(Authority.USER, "deny", is_also_of_cancelled=True),
    },
    "demo": _CODEX,
}


def answer(agent: str, event: str, boundary: Boundary, text: str) -> bytes:
    """Return the text that the hook prints, which is how the agent receives the answer."""
    refusal = WAYS[agent][boundary].refusal
    words: dict[str, Any] = {"decision": refusal, "reason": text}
    if not refusal:
        words = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(words, ensure_ascii=False).encode("utf-8", "replace")
