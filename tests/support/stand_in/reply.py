"""What the stand-in answers, steered by directives in the newest text of the user, or of hark through a hook.

[[busy=SECONDS]]   stream for that long
[[think=SECONDS]]  say nothing at all for that long first
[[tool=COMMAND]]   call the agent's shell tool; when its result comes, end the turn
[[call=NAME JSON]] call the tool whose name ends like that with these arguments
[[use=NAME JSON]]  call the tool of exactly that name with these arguments
[[say=TEXT]]       say exactly that
[[read=FILE]]      say what stands in the file: what is to be said need not stand in the prompt
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from tests.support.stand_in.turn import Turn

DIRECTIVE = re.compile(r"\[\[(busy|think|tool|call|use|say|read)=(.*?)\]\]", re.DOTALL)
PIECE_EVERY_S = 0.1
USUAL_TEXT = "I have read it."
SIDE_TEXT = "A title"


class Call(msgspec.Struct, frozen=True):
    tool: str
    arguments: dict[str, Any]


class Reply(msgspec.Struct, frozen=True):
    pieces: tuple[str, ...]
    pause_s: float = 0.0
    """Before each piece."""
    silent_s: float = 0.0
    """Before anything at all."""
    command: str | None = None
    """What the shell tool is called with, after the pieces."""
    call: Call | None = None
    """Another tool, after the pieces."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def choose_reply(turn: Turn) -> Reply:
    if turn.is_side:
        return Reply((SIDE_TEXT,))
    directives = dict(DIRECTIVE.findall(newest(turn)))
    text = Path(directives["read"]).read_text() if "read" in directives else directives.get("say", USUAL_TEXT)
    command = directives.get("tool")
    call = choose_call(turn, directives)
    silent_s = float(directives.get("think", 0))
    if "busy" not in directives:
        return Reply((text,), silent_s=silent_s, command=command, call=call)
    count = max(1, round(float(directives["busy"]) / PIECE_EVERY_S))
    # No two pieces are the same: agents take repetition for a model that loops.
    parts = (f"part {number} of {count}, " for number in range(1, count + 1))
    return Reply((*parts, f"\n\n{text}"), PIECE_EVERY_S, silent_s, command, call)


def newest(turn: Turn) -> str:
    """The user's last text; else what hark has sent through a hook."""
    sent = [text for text in turn.context if "via hark send" in text]
    return [*sent, *turn.texts][-1] if sent or turn.texts else ""


def choose_call(turn: Turn, directives: dict[str, str]) -> Call | None:
    """None when no call is asked for, or the agent has no such tool."""
    is_exact = "use" in directives
    name, _, arguments = directives.get("use" if is_exact else "call", "").partition(" ")
    fitting = [tool for tool in turn.tools if (tool == name if is_exact else name and tool.endswith(f"_{name}"))]
    return Call(fitting[0], msgspec.json.decode(arguments or "{}")) if fitting else None
