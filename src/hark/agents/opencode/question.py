"""What OpenCode asks, by its HTTP API, and how it is answered. Pure.

A permission has a name that begins with `per_`, a choice one that begins with `que_`. OpenCode answers 404 to a reply that comes too late.
A rejection with a message lets the turn go on, and the model reads the message; without one the turn stops.
"""

import re
from collections.abc import Sequence
from typing import Any

from hark.agents.opencode.protocol import Json
from hark.agents.questions import DENIED, as_choice, describe, read_parts, text_of
from hark.model.question import ALLOW, Asked, QuestionKind, Reply

SHELL = "bash"
_NAME = re.compile(r"(per|que)_[A-Za-z0-9]{1,100}")


def read_asked(session: str, permissions: Sequence[Json], choices: Sequence[Json]) -> tuple[Asked, ...]:
    """Return what OpenCode asks in a conversation. What has a name of another form is left out: it could not be answered."""
    asked = [_permission(one) for one in permissions if one["sessionID"] == session and _NAME.fullmatch(one["id"])]
    chosen = [_choice(one) for one in choices if one["sessionID"] == session and _NAME.fullmatch(one["id"])]
    return tuple(one for one in (*asked, *chosen) if one)


def _permission(one: Json) -> Asked:
    metadata = one.get("metadata") or {}
    command, tool = text_of(metadata, "command"), text_of(one, "permission")
    is_command = tool == SHELL and bool(command)
    return Asked(
        kind=QuestionKind.PERMISSION,
        text=command if is_command else describe(tool, metadata or {"patterns": one.get("patterns")}),
        agents_id=one["id"],
        tool=tool,
        is_command=is_command,
    )


def _choice(one: Json) -> Asked | None:
    return as_choice(read_parts(one["questions"]), one["id"], "question")


def answer_to(agents_id: str, reply: Reply) -> tuple[str, Any]:
    """Return the path and the body of the request that answers a question."""
    assert _NAME.fullmatch(agents_id)
    if agents_id.startswith("que_"):
        if reply.answer != ALLOW:
            return f"/question/{agents_id}/reject", {}
        return f"/question/{agents_id}/reply", {"answers": [list(part) for part in reply.chosen]}
    if reply.answer == ALLOW:
        return f"/permission/{agents_id}/reply", {"reply": "once"}
    return f"/permission/{agents_id}/reply", {"reply": "reject", "message": reply.message or DENIED}
