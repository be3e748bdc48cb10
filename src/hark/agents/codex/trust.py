"""How Codex remembers that its user has looked at a hook and trusts it.

Codex knows a hook by where it is written (`FILE:EVENT:GROUP:HANDLER`), and trusts it while the hook written there has the
checksum that the user has looked at: the checksum of the event, the command and its time, as JSON with sorted names. A hook on
the command line counts as written in a file that does not exist, and the command line may say that the hook is trusted, for that
one run.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hark.agents.installation import HookGroups, InstalledHook

COMMAND_LINE = "/<session-flags>/config.toml"


def key(source: str, event: str, group: int = 0, handler: int = 0) -> str:
    return f"{source}:{_label(event)}:{group}:{handler}"


def checksum(event: str, handler: Mapping[str, Any]) -> str:
    hook = {"async": False} | {name: handler[name] for name in ("type", "command", "timeout")}
    known = {"event_name": _label(event), "hooks": [hook]}
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def trusted_hooks(groups: HookGroups) -> str:
    """Return a TOML inline table with the hooks of the command line, each marked as trusted."""
    table: dict[str, Any] = dict(groups)
    table["state"] = {
        key(COMMAND_LINE, event): {"trusted_hash": checksum(event, found[0]["hooks"][0])}
        for event, found in groups.items()
    }
    return _toml(table)


def not_trusted(hooks_file: Path, installed: Sequence[InstalledHook]) -> list[str]:
    """Return the events of those installed hooks that Codex does not trust."""
    try:
        config = tomllib.loads(hooks_file.with_name("config.toml").read_text())
    except (OSError, ValueError):
        config = {}
    trusted = config.get("hooks", {}).get("state", {})
    return [one.event for one in installed if not _is_trusted(trusted, hooks_file, one)]


def _is_trusted(trusted: Mapping[str, Any], hooks_file: Path, hook: InstalledHook) -> bool:
    wanted = checksum(hook.event, hook.handler)
    keys = {key(str(path), hook.event, hook.group, hook.place) for path in (hooks_file, hooks_file.resolve())}
    return any(trusted.get(key, {}).get("trusted_hash") == wanted for key in keys)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_toml(name)}={_toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_toml(inner) for inner in value) + "]"
    # JSON's form of strings, whole numbers and booleans is TOML too, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _label(event: str) -> str:
    """Convert the name of an event: UserPromptSubmit -> user_prompt_submit."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
