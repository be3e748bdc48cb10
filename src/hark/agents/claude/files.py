"""The files that Claude Code writes about itself, as witnesses beside its hooks: the status of each process (`sessions/PID.json`),
and the transcript of each conversation (one JSON object per line).

The status says that a turn has ended when no hook does: after Escape, after a denied permission. The transcript names the
messages that Claude Code has taken from its own queue in the middle of a turn, for which it calls no hook either.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hark.agents.native.processes import environment_of, tree
from hark.agents.protocol import Status
from hark.delivery.headers import find_message_ids
from hark.model.heard import Heard, Said
from hark.queue.turns import Phase

_STATUSES = {"idle": Phase.IDLE, "busy": Phase.BUSY, "waiting": Phase.WAITING}
_INTERRUPTED = "[Request interrupted by user"


def status_file(pane_pid: int) -> Path | None:
    """Return the path of the status file of the Claude Code that runs in a pane."""
    for pid in tree(pane_pid):
        environment = environment_of(pid)
        home = environment.get("CLAUDE_CONFIG_DIR") or f"{environment.get('HOME', '')}/.claude"
        path = Path(home) / "sessions" / f"{pid}.json"
        if home.startswith("/") and path.is_file():
            return path
    return None


def read_status(text: bytes) -> Status | None:
    said = _parsed(text)
    phase, since_ms = _STATUSES.get(str(said.get("status"))), said.get("statusUpdatedAt")
    if phase is None or not isinstance(since_ms, int) or not 0 < since_ms < 10**14:
        return None
    return Status(phase, datetime.fromtimestamp(since_ms / 1000, UTC), _transcript(said))


def _transcript(said: dict[str, Any]) -> str:
    name, directory = said.get("sessionId"), said.get("cwd")
    if not isinstance(directory, str) or not isinstance(name, str) or not re.fullmatch(r"[\w-]{1,80}", name):
        return ""
    return f"projects/{re.sub('[^a-zA-Z0-9]', '-', directory)}/{name}.jsonl"


def read_entry(line: bytes) -> Heard | None:
    """Return what a line of the transcript says about turns, or None, because most lines say nothing."""
    entry = _parsed(line)
    at = _instant(entry.get("timestamp"))
    if at is None or entry.get("isSidechain") or entry.get("isMeta"):
        return None
    texts = _texts(entry)
    if any(text.startswith(_INTERRUPTED) for text in texts):
        return Heard(said=Said.INTERRUPTED, at=at)
    ids = tuple(dict.fromkeys(found for text in texts for found in find_message_ids(text)))
    return Heard(said=Said.PROMPT_SUBMITTED, at=at, message_ids=ids) if ids else None


def _texts(entry: dict[str, Any]) -> list[str]:
    """Return the texts of prompts: those that the user has submitted, and those that the agent took from its queue in mid-turn."""
    message, attachment = entry.get("message"), entry.get("attachment")
    if entry.get("type") == "user" and isinstance(message, dict):
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        found = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    elif isinstance(attachment, dict) and attachment.get("type") == "queued_command":
        found = [attachment.get("prompt")]
    else:
        found = []
    return [text for text in found if isinstance(text, str)]


def _instant(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return at.astimezone(UTC) if at and at.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
