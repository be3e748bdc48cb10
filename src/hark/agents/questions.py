"""What agents' hooks say about questions, in the same form for all agents."""

import json
from typing import Any

from hark.agents.records.words import Json
from hark.model.question import ALLOW, Asked, QuestionKind, QuestionPart, Reply

ANSWERS = "answers"
"""The field that Claude Code adds to the input of a question when the question is answered."""
DENIED = "Denied through hark."
"""What an agent is told about a denial that nobody has given a reason for."""


def name_work(payload: Json) -> str:
    """Return the name of what a tool was called with, by which hark recognises it when the tool has run; empty if there is no tool. The
    command of a shell counts alone, because agents add remarks to it."""
    wanted = payload.get("tool_input")
    if not isinstance(wanted, dict):
        return ""
    if isinstance(command := wanted.get("command"), str):
        return name_command(command)
    rest = {name: value for name, value in wanted.items() if name != ANSWERS}
    return f"{payload.get('tool_name')} {json.dumps(rest, sort_keys=True)}"


def name_command(command: str) -> str:
    return f"$ {command}"


def read_permission(payload: Json) -> Asked | None:
    """Return the permission that a hook with `tool_name` and `tool_input` tells of; None if it names no tool."""
    wanted, tool = payload.get("tool_input"), payload.get("tool_name")
    if not isinstance(tool, str) or not isinstance(wanted, dict):
        return None
    command, reason = wanted.get("command"), wanted.get("description")
    is_command = isinstance(command, str)
    return Asked(
        kind=QuestionKind.PERMISSION,
        text=command if isinstance(command, str) else describe(tool, wanted),
        agents_id=name_work(payload),
        tool=tool,
        is_command=is_command,
        detail=reason if isinstance(reason, str) else "",
        directory=text_of(payload, "cwd"),
    )


def describe(tool: str, wanted: Json) -> str:
    """Return what a tool is called with, in full: each field on a line of its own."""
    fields = [f"{name}: {value if isinstance(value, str) else json.dumps(value)}" for name, value in wanted.items()]
    return "\n".join([tool, *fields])


def read_parts(questions: Any) -> tuple[QuestionPart, ...]:
    """Return the parts of a choice, in the form that Claude Code and OpenCode share; none if it has another form."""
    if not isinstance(questions, list) or not all(isinstance(one, dict) for one in questions):
        return ()
    return tuple(
        QuestionPart(
            text=text_of(one, "question"),
            options=_labels(one.get("options")),
            is_multiple=bool(one.get("multiSelect") or one.get("multiple")),
        )
        for one in questions
    )


def as_choice(parts: tuple[QuestionPart, ...], agents_id: str, tool: str, directory: str = "") -> Asked | None:
    if not parts:
        return None
    text = "\n".join(part.text for part in parts)
    return Asked(kind=QuestionKind.CHOICE, text=text, agents_id=agents_id, tool=tool, directory=directory, parts=parts)


def decide(event: str, reply: Reply, changed_input: Json | None = None) -> bytes:
    """Return the words by which a hook decides a permission, in the form that Claude Code and the demo agent understand."""
    decision: dict[str, Any] = {"behavior": "allow"}
    if reply.answer != ALLOW:
        decision = {"behavior": "deny", "message": reply.message or DENIED}
    elif changed_input is not None:
        decision["updatedInput"] = changed_input
    words = {"hookSpecificOutput": {"hookEventName": event, "decision": decision}}
    return json.dumps(words, ensure_ascii=False).encode("utf-8", "replace")


def _labels(options: Any) -> tuple[str, ...]:
    found = [text_of(one, "label") for one in options if isinstance(one, dict)] if isinstance(options, list) else []
    return tuple(label for label in found if label)


def text_of(values: Json, name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""
