"""What an agent's hook says, in our own words: one small set of events, whatever the agent calls them.

Each agent's folder says what its events mean. Unknown events and fields are no error: agents learn new ones.
"""

from typing import Any

from msgspec import Struct

from hark.agents.questions import name_work
from hark.agents.registry import find_agent
from hark.model.heard import Said
from hark.model.question import Asked


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
    work: str = ""
    """The name of what a tool was called with that has run; empty if the report tells of no tool that has run."""
    asked: Asked | None = None
    """The question that the report tells of; None if it tells of none."""
    last_words: str = ""
    """The agent's last words in the turn, if the report of its stop has them."""


_OF_WORK = (Said.TOOL_STARTING, Said.TOOL_DONE, Said.STOPPED)


def decode(agent: str, event: str, payload: dict[str, Any]) -> Report:
    known = find_agent(agent)
    meaning = known.events.get(event, Said.UNKNOWN)
    said = meaning if isinstance(meaning, Said) else meaning(payload)
    has_run = said is Said.TOOL_DONE
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
        takes_answers=known.takes_answer(payload),
        transcript=_text(payload, "transcript_path"),
        work=name_work(payload) if has_run else "",
        asked=known.read_question(event, payload) if said is Said.PERMISSION_ASKED else None,
        last_words=_text(payload, "last_assistant_message") if said is Said.STOPPED else "",
    )


def _detail(payload: dict[str, Any]) -> str:
    wanted = payload.get("tool_input")
    command = _text(wanted, "command") if isinstance(wanted, dict) else ""
    return command or _text(payload, "command") or _text(payload, "tool_name") or _text(payload, "message")


def _text(payload: dict[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
