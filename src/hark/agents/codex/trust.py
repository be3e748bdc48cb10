"""How Codex remembers that its user has looked at a hook and trusts it.

A hook is known by where it is written (`FILE:EVENT:GROUP:HANDLER`), and trusted while what stands there has the checksum that was
looked at: the checksum of the event, the command and its time, as JSON with sorted names. A hook on the command line is
written in a file that does not exist, and the command line may say that it is trusted, for that one run.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

COMMAND_LINE = "/<session-flags>/config.toml"


def key(source: str, event: str, group: int = 0, handler: int = 0) -> str:
    return f"{source}:{_label(event)}:{group}:{handler}"


def checksum(event: str, handler: Mapping[str, Any]) -> str:
    hook = {"async": False} | {name: handler[name] for name in ("type", "command", "timeout")}
    known = {"event_name": _label(event), "hooks": [hook]}
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _label(event: str) -> str:
    """Converts the name of an event: UserPromptSubmit -> user_prompt_submit"""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
