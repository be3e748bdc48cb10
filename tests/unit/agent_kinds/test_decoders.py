"""What agents' hooks say, put into our words. The payloads are shortened records of the real programs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hark.agents.decoders import Report, decode
from hark.agents.registry import agents_with_hooks, find_agent
from hark.model.heard import Said
from hark.model.question import Asked, QuestionKind


def permission(command: str, tool: str) -> Asked:
    return Asked(kind=QuestionKind.PERMISSION, text=command, agents_id=f"$ {command}", tool=tool, is_command=True)


REPORTS: dict[str, tuple[str, str, dict[str, Any], Report]] = {
    "demo: a prompt": (
        "demo",
        "prompt-submitted",
        {"prompt": "hi"},
        Report(said=Said.PROMPT_SUBMITTED, prompt="hi", takes_answers=False),
    ),
    "demo: a prompt, and it heeds what hooks print": (
        "demo",
        "prompt-submitted",
        {"prompt": "hi", "takes_answers": True},
        Report(said=Said.PROMPT_SUBMITTED, prompt="hi"),
    ),
    "demo: a prompt that is no text": (
        "demo",
        "prompt-submitted",
        {"prompt": 7},
        Report(said=Said.PROMPT_SUBMITTED, takes_answers=False),
    ),
    "demo: a question": (
        "demo",
        "permission-asked",
        {"command": "make"},
        Report(said=Said.PERMISSION_ASKED, detail="make", takes_answers=False, asked=permission("make", "shell")),
    ),
    "claude: a prompt": (
        "claude",
        "UserPromptSubmit",
        {"session_id": "s1", "prompt": "hi", "prompt_id": "p", "transcript_path": "/t", "cwd": "/"},
        Report(said=Said.PROMPT_SUBMITTED, prompt="hi", agent_session_id="s1", turn_id="p", transcript="/t"),
    ),
    "claude: a tool of an agent that it has started": (
        "claude",
        "PostToolUse",
        {"session_id": "s1", "agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "make"}},
        Report(said=Said.NOTIFIED, agent_session_id="s1", detail="make", is_beside=True, work="$ make"),
    ),
    "claude: a question": (
        "claude",
        "PermissionRequest",
        {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "make"}},
        Report(said=Said.PERMISSION_ASKED, agent_session_id="s1", detail="make", asked=permission("make", "Bash")),
    ),
    "claude: a tool has run": (
        "claude",
        "PostToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "make", "description": "Build"}},
        Report(said=Said.TOOL_DONE, detail="make", work="$ make"),
    ),
    "claude: a question, six seconds later": (
        "claude",
        "Notification",
        {"notification_type": "permission_prompt", "message": "Claude needs your permission"},
        Report(said=Said.PERMISSION_ASKED, detail="Claude needs your permission"),
    ),
    "claude: another notification": (
        "claude",
        "Notification",
        {"notification_type": "idle_prompt", "message": "Claude is waiting"},
        Report(said=Said.NOTIFIED, detail="Claude is waiting"),
    ),
    "claude: a stop of ours went before this one": (
        "claude",
        "Stop",
        {"stop_hook_active": True},
        Report(said=Said.STOPPED, is_continued=True),
    ),
    "codex: a prompt": (
        "codex",
        "UserPromptSubmit",
        {"session_id": "t", "turn_id": "1", "prompt": "hi"},
        Report(said=Said.PROMPT_SUBMITTED, prompt="hi", agent_session_id="t", turn_id="1"),
    ),
    "codex: Escape": ("codex", "Interrupt", {}, Report(said=Said.INTERRUPTED)),
    "gemini: a prompt": ("gemini", "BeforeAgent", {"prompt": "hi"}, Report(said=Said.PROMPT_SUBMITTED, prompt="hi")),
    "gemini: a question": (
        "gemini",
        "Notification",
        {"notification_type": "ToolPermission", "message": "Allow?", "details": {}},
        Report(said=Said.PERMISSION_ASKED, detail="Allow?"),
    ),
    "gemini: a question about a command": (
        "gemini",
        "Notification",
        {"notification_type": "ToolPermission", "details": {"type": "exec", "command": "make", "title": "Confirm"}},
        Report(said=Said.PERMISSION_ASKED, asked=replace(permission("make", "exec"), detail="Confirm")),
    ),
    "codex: a question": (
        "codex",
        "PermissionRequest",
        {"tool_name": "Bash", "tool_input": {"command": "make", "description": "ok?"}, "cwd": "/srv"},
        Report(
            said=Said.PERMISSION_ASKED,
            detail="make",
            asked=replace(permission("make", "Bash"), detail="ok?", directory="/srv"),
        ),
    ),
    "gemini: the end of a turn": ("gemini", "AfterAgent", {}, Report(said=Said.STOPPED)),
    "opencode: a prompt": (
        "opencode",
        "chat.message",
        {"session_id": "s", "prompt": "hi"},
        Report(said=Said.PROMPT_SUBMITTED, prompt="hi", agent_session_id="s"),
    ),
    "opencode: a question": (
        "opencode",
        "permission.asked",
        {"tool_name": "bash", "command": "ls"},
        Report(said=Said.PERMISSION_ASKED, detail="ls", asked=permission("ls", "bash")),
    ),
    "opencode: Escape twice": (
        "opencode",
        "session.error",
        {"error": "MessageAbortedError"},
        Report(said=Said.INTERRUPTED),
    ),
    "opencode: another failure": ("opencode", "session.error", {"error": "APIError"}, Report(said=Said.NOTIFIED)),
    "opencode: the end of a turn": ("opencode", "session.idle", {}, Report(said=Said.STOPPED)),
    "an unknown event": ("claude", "Yawned", {}, Report(said=Said.UNKNOWN)),
    "an unknown agent": ("eliza", "Stop", {}, Report(said=Said.UNKNOWN)),
}


@pytest.mark.parametrize(("agent", "event", "payload", "report"), REPORTS.values(), ids=REPORTS.keys())
def test_what_a_hook_says_is_put_into_our_words(
    agent: str, event: str, payload: dict[str, Any], report: Report
) -> None:
    assert decode(agent, event, payload) == report


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["prompt", "session_id", "tool_input", "tool_name", "details", "cwd", "command", "message", "notification_type"]
)


@given(st.sampled_from(agents_with_hooks()), st.data(), st.dictionaries(FIELDS, JSON))
def test_no_payload_is_too_strange(agent: str, data: st.DataObject, payload: dict[str, Any]) -> None:
    event = data.draw(st.sampled_from(sorted(find_agent(agent).events)))

    assert decode(agent, event, payload).said is not Said.UNKNOWN
