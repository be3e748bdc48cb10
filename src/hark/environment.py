"""Chooses the part of a caller's environment with which hark starts an agent. Stdlib only: `hark-mcp` runs inside agents.

An agent that hark starts for a caller gets the caller's PATH, keys and proxies, and never the daemon's. It does not get the
variables that describe where the caller itself runs: the caller's terminal, its session, and the agent that it runs in.
"""

import os
from collections.abc import Mapping

# Variables that say where the caller runs, and not what the agent shall run with.
_OF_THE_TERMINAL = frozenset({"TMUX", "TMUX_PANE", "TERM", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_"})
_PREFIXES = ("HARK_", "TERM_PROGRAM")
_EDITORS = ("VISUAL", "EDITOR")
OUR_EDITOR = "hark-editor"


def session_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the caller's environment for an agent that the caller starts, without variables that JSON cannot carry."""
    # `hark-mcp` runs beside every agent, and few of them ever start another one: it stays small without this import.
    from hark.kind_files import own_variables

    # An agent that hark starts for another agent is not its child, so it does not get what the other tells its children about itself.
    left_out = _OF_THE_TERMINAL | own_variables()
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
