"""Chooses the part of a caller's environment with which hark starts an agent. Stdlib only: `hark-mcp` runs inside agents.

An agent that hark starts for a caller gets the caller's PATH, keys and proxies, and never the daemon's. It does not get the
variables that describe where the caller itself runs: the caller's terminal, its session, and the agent that it runs in.
"""

import os
from collections.abc import Mapping

# Variables that say where the caller runs, and not what the agent shall run with.
_OF_THE_TERMINAL = frozenset({"TMUX", "TMUX_PANE", "TERM", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_"})
# Variables by which agents tell their child processes about themselves: an agent that hark starts for another is not its child.
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
    """Return the caller's environment for an agent that the caller starts, without variables that JSON cannot carry."""
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
