"""How Codex remembers that its user has looked at a hook and trusts it.

Codex knows a hook by where it is written (`FILE:EVENT:GROUP:HANDLER`), and trusts it while the hook written there has the
checksum that the user has looked at: the checksum of the event, the command and its time, as JSON with sorted names. A hook on
the command line counts as written in a file that does not exist, and the command line may say that the hook is trusted, for that
one run.
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
    """Convert the name of an event: UserPromptSubmit -> user_prompt_submit."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
