"""What Claude Code asks, by its PermissionRequest hook, and how that hook answers.

The hook runs beside the dialog: whoever answers first wins, and the dialog stays if the hook ends without a decision. Claude Code takes
the answers to its own questions (AskUserQuestion) as a change of the tool's input.
"""

from hark.agents.questions import ANSWERS, as_choice, decide, name_work, read_parts, read_permission, text_of
from hark.agents.records.words import Json
from hark.model.question import Asked, Reply

EVENT = "PermissionRequest"
CHOICE_TOOL = "AskUserQuestion"


def read_question(event: str, payload: Json) -> Asked | None:
    """Return the question that a report tells of. A notification that comes later tells of the same question, and adds nothing."""
    if event != EVENT:
        return None
    if payload.get("tool_name") == CHOICE_TOOL:
        parts = read_parts(_input(payload).get("questions"))
        return as_choice(parts, name_work(payload), CHOICE_TOOL, text_of(payload, "cwd"))
    return read_permission(payload)


def answer_question(payload: Json, reply: Reply) -> bytes:
    if not reply.texts:
        return decide(EVENT, reply)
    asked = _input(payload)
    parts = read_parts(asked.get("questions"))
    answers = {part.text: text for part, text in zip(parts, reply.texts, strict=True)}
    return decide(EVENT, reply, {**asked, ANSWERS: answers})


def _input(payload: Json) -> Json:
    wanted = payload.get("tool_input")
    return wanted if isinstance(wanted, dict) else {}
