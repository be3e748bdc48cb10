"""Tells whether a command is a call that opens no session, which `hark run` must leave alone.

`hark run` stands in for the agent's program on every call, so this file reads the agents' data files as plain tables: reading them
fully takes longer than the rest of the command."""

import os.path
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hark.kind_files import kind_tables
from hark.model.plain import PlainCalls


def is_plain_call(command: Sequence[str], user_directory: Path | None = None) -> bool:
    """Return True if the command is a call of a known agent that opens no session."""
    kinds = list(_kinds(user_directory))
    words = [place for place, word in enumerate(command) if not word.startswith("-") and "=" not in word]
    for place in words[:3]:
        for kind in kinds:
            if _is_program(command[place], kind):
                return _plain_calls(kind).include(command[place + 1 :])
    return False


def _is_program(word: str, kind: Mapping[str, Any]) -> bool:
    return os.path.basename(word) in kind.get("commands", ()) or any(part in word for part in kind.get("packages", ()))


def _plain_calls(kind: Mapping[str, Any]) -> PlainCalls:
    section = kind.get("plain", {})
    return PlainCalls(tuple(section.get("commands", ())), tuple(section.get("options", ())))


def _kinds(user_directory: Path | None) -> list[dict[str, Any]]:
    """Return the agents' data files. A user's file with the name of a built-in kind replaces that kind; a file that is not valid TOML
    is skipped, because the daemon reports it."""
    kinds = dict(kind_tables())
    for path in sorted(user_directory.glob("*.toml")) if user_directory and user_directory.is_dir() else ():
        try:
            kind = tomllib.loads(path.read_bytes().decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            continue
        kinds[str(kind.get("name"))] = kind
    return list(kinds.values())
