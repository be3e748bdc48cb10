"""A crew file names the sessions of a team: `hark up FILE` starts them, and `hark down FILE` ends them.

    [[session]]
    name = "backend"
    command = ["claude", "--model", "opus"]
    directory = "~/src/backend"
    task = "Read TODO.md and begin."
    notify = "lead"
    restart = "on-failure"

This module imports nothing heavy, because commands use it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from hark.model.errors import HarkError
from hark.model.ids import check_name

MOST = 50
"""How many sessions a crew may have."""
_TEXTS = ("name", "agent", "directory", "task", "notify", "restart")
_RESTARTS = ("no", "on-failure")
_HINT = "docs/sessions.md describes crew files"


class Member(NamedTuple):
    """One session of a crew."""

    name: str
    agent: str = ""
    """The agent kind; empty if the command tells it."""
    command: tuple[str, ...] = ()
    """The command to start; empty to start the program of the agent kind."""
    directory: str = ""
    """The directory to start in; empty for the directory of the crew file."""
    task: str = ""
    """The first message to the agent; empty if it gets none."""
    notify: str = ""
    """The session that hears when the turn of the first task has ended; empty if none does."""
    restart: str = ""
    """When hark starts the agent again by itself: no, or on-failure; empty for what the settings say."""


def read_crew(document: Mapping[str, Any]) -> list[Member]:
    """Return the members of a crew file that was read as TOML. Raise `crew-invalid` if it is not a crew file."""
    entries = document.get("session")
    if set(document) != {"session"} or not isinstance(entries, list) or not entries:
        raise HarkError(
            "crew-invalid", "a crew file has one table [[session]] for each session, and nothing else", _HINT
        )
    if len(entries) > MOST:
        raise HarkError("crew-invalid", f"a crew has at most {MOST} sessions, and this one has {len(entries)}", _HINT)
    members = [_member(number, entry) for number, entry in enumerate(entries, 1)]
    names = [member.name for member in members]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise HarkError("crew-invalid", f"two sessions are called {repeated[0]!r}", "give every session its own name")
    return members


def _member(number: int, entry: Any) -> Member:
    where = f"session {number} of the crew"
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise HarkError("crew-invalid", f"{where} has no name", _HINT)
    where = f"session {check_name(entry['name'])!r} of the crew"
    if strange := sorted(set(entry) - {*_TEXTS, "command"}):
        raise HarkError("crew-invalid", f"{where}: hark does not know {strange[0]!r}", _HINT)
    command = entry.get("command", [])
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise HarkError(
            "crew-invalid", f"{where}: command must be a list of words", 'write command = ["PROGRAM", "OPTION"]'
        )
    texts = {field: entry[field] for field in _TEXTS if field in entry}
    if wrong := [field for field, value in texts.items() if not isinstance(value, str)]:
        raise HarkError("crew-invalid", f"{where}: {wrong[0]} must be a text", _HINT)
    if texts.get("notify") and not texts.get("task"):
        raise HarkError(
            "crew-invalid", f"{where} has `notify` without a task", "hark notifies when the turn of a task ends"
        )
    if texts.get("restart", "no") not in _RESTARTS:
        raise HarkError("crew-invalid", f"{where}: restart must be one of {', '.join(_RESTARTS)}", _HINT)
    return Member(command=tuple(command), **texts)
