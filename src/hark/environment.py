"""The part of a caller's environment that an agent is started with. Stdlib only: `hark-mcp` runs inside agents.

An agent that is started for somebody gets that somebody's PATH, keys and proxies, and never the daemon's. Left out is what
describes the caller's own place: its terminal, its session, and the agent that it runs in.
"""

import os
from collections.abc import Mapping

# What says where the caller is, not what the agent shall run with.
_OF_THE_TERMINAL = frozenset({"TMUX", "TMUX_PANE", "TERM", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_"})
# What agents tell their children about themselves: an agent that is started for them is no child of theirs.
_OF_AN_AGENT = frozenset(
    {
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "GEMINI_CLI",
        "OPENCODE",
    }
)
_PREFIXES = ("HARK_", "TERM_PROGRAM")
_EDITORS = ("VISUAL", "EDITOR")
OUR_EDITOR = "hark-editor"


def session_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment for an agent that it starts, without what JSON cannot carry."""
    left_out = _OF_THE_TERMINAL | _OF_AN_AGENT
    kept = {
        name: value
        for name, value in environment.items()
        if name not in left_out and not name.startswith(_PREFIXES) and _is_utf8(name + value)
    }
    for name in _EDITORS:
        if os.path.basename(kept.get(name, "")) == OUR_EDITOR:
            del kept[name]
            if before := environment.get(f"HARK_{name}"):
                kept[name] = before
    return kept


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
