"""What an agent's hook says, in our own words: one small set of events, whatever the agent calls them.

EVENTS is the whole translation: by agent, the events that `hark install` subscribes to and what each of them means. Unknown
events and fields are no error: agents learn new ones.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from hark.model.heard import Said


class Report(Struct, frozen=True, kw_only=True):
    said: Said
    prompt: str = ""
    agent_session_id: str = ""
    """The agent's own name for this conversation."""
    turn_id: str = ""
    """The agent's own name for the turn, where it has one."""
    detail: str = ""
    """What the agent asks permission for, or which tool it runs, for people to read."""
    is_continued: bool = False
    """True for a stop after a stop hook of ours has already made the agent go on once."""
    is_beside: bool = False
    """True if the event comes from an agent that this one has started for a part of its work."""
    takes_answers: bool = True
    """True if the agent reads what the hook prints."""
    transcript: str = ""
    """The file in which the agent keeps the conversation."""


Meaning = Said | Callable[[dict[str, Any]], Said]


def _claude_notification(payload: dict[str, Any]) -> Said:
    kind = payload.get("notification_type")
    return Said.PERMISSION_ASKED if kind == "permission_prompt" else Said.NOTIFIED


def _gemini_notification(payload: dict[str, Any]) -> Said:
    return Said.PERMISSION_ASKED if payload.get("notification_type") == "ToolPermission" else Said.NOTIFIED


def _opencode_error(payload: dict[str, Any]) -> Said:
    """Translate an error: only an aborted turn is interrupted. A turn that fails in another way says so and stops."""
    return Said.INTERRUPTED if payload.get("error") == "MessageAbortedError" else Said.NOTIFIED


EVENTS: dict[str, dict[str, Meaning]] = {
    "claude": {
        "SessionStart": Said.SESSION_STARTED,
        "SessionEnd": Said.SESSION_ENDED,
        "UserPromptSubmit": Said.PROMPT_SUBMITTED,
        "PreToolUse": Said.TOOL_STARTING,
        "PermissionRequest": Said.PERMISSION_ASKED,
        "PostToolUse": Said.TOOL_DONE,
        "Notification": _claude_notification,
        "Stop": Said.STOPPED,
    },
    "codex": {
        "SessionStart": Said.SESSION_STARTED,
        "UserPromptSubmit": Said.PROMPT_SUBMITTED,
        "PreToolUse": Said.TOOL_STARTING,
        "PermissionRequest": Said.PERMISSION_ASKED,
        "PostToolUse": Said.TOOL_DONE,
        "Stop": Said.STOPPED,
        "Interrupt": Said.INTERRUPTED,
    },
    "gemini": {
        "SessionStart": Said.SESSION_STARTED,
        "SessionEnd": Said.SESSION_ENDED,
        "BeforeAgent": Said.PROMPT_SUBMITTED,
        "BeforeTool": Said.TOOL_STARTING,
        "AfterTool": Said.TOOL_DONE,
        "Notification": _gemini_notification,
        "AfterAgent": Said.STOPPED,
    },
    "opencode": {
        "chat.message": Said.PROMPT_SUBMITTED,
        "tool.execute.before": Said.TOOL_STARTING,
        "tool.execute.after": Said.TOOL_DONE,
        "permission.asked": Said.PERMISSION_ASKED,
        "permission.replied": Said.PERMISSION_ANSWERED,
        "question.asked": Said.PERMISSION_ASKED,
        "question.replied": Said.PERMISSION_ANSWERED,
        "question.rejected": Said.PERMISSION_ANSWERED,
        "session.error": _opencode_error,
        "session.idle": Said.STOPPED,
    },
    "demo": {said: said for said in Said if said not in (Said.UNKNOWN, Said.CONTINUED)},
}
"""What each event of an agent's hooks means, by agent kind. The demo agent uses hark's own names."""


_OF_WORK = (Said.TOOL_STARTING, Said.TOOL_DONE, Said.STOPPED)


def decode(agent: str, event: str, payload: dict[str, Any]) -> Report:
    meaning = EVENTS.get(agent, {}).get(event, Said.UNKNOWN)
    said = meaning if isinstance(meaning, Said) else meaning(payload)
    is_beside = bool(payload.get("agent_id"))
    if is_beside and said in _OF_WORK:
        # The other agent may still work when the agent that has started it is idle.
        said = Said.NOTIFIED
    return Report(
        said=said,
        prompt=_text(payload, "prompt"),
        agent_session_id=_text(payload, "session_id"),
        turn_id=_text(payload, "turn_id") or _text(payload, "prompt_id"),
        detail=_detail(payload),
        is_continued=payload.get("stop_hook_active") is True,
        is_beside=is_beside,
        takes_answers=agent != "demo" or payload.get("takes_answers") is True,
        transcript=_text(payload, "transcript_path"),
    )


def _detail(payload: dict[str, Any]) -> str:
    wanted = payload.get("tool_input")
    command = _text(wanted, "command") if isinstance(wanted, dict) else ""
    return command or _text(payload, "command") or _text(payload, "tool_name") or _text(payload, "message")


def _text(payload: dict[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
