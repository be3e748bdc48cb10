"""How Gemini CLI gets hark's hooks for one run, whoever runs it.

Gemini CLI reads settings below the user's from the file that GEMINI_CLI_SYSTEM_DEFAULTS_PATH names, but only if that file and all
the directories above it are root's: this keeps out the settings of a repository that brings an `.env` of its own. hark's file is
the user's. `preload.mjs` answers for hark's file, and for nothing else, inside the one process that the user has asked hark to
start. Node loads `preload.mjs` from NODE_OPTIONS, as a data URL, so that no file has to be there for as long as Gemini CLI runs.
"""

import json
import os
import stat
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from urllib.parse import quote

DEFAULTS = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
OPTIONS = "NODE_OPTIONS"
SYSTEM = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
SHOWN = "/hark-gemini-hooks.json"
"""The path that Gemini CLI is given. The path does not exist, and the only directory above it is the root directory, which is root's."""
_OURS = "--import=data:text/javascript," + quote("/* hark */")


def environment(hooks: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that make Gemini CLI read the file with the hooks, beside the options for Node that are there already."""
    code = f"/* hark */ const SHOWN = {json.dumps(SHOWN)}, REAL = {json.dumps(str(hooks))};\n"
    code += resources.files(__package__).joinpath("preload.mjs").read_text()
    others = [word for word in given.get(OPTIONS, "").split(" ") if word and not word.startswith(_OURS)]
    url = f"--import=data:text/javascript,{quote(code)}"
    return {DEFAULTS: SHOWN, OPTIONS: " ".join([*others, url])}


def is_read() -> bool:
    """Return whether Gemini CLI reads our file: the path that it is given must be free, and root's."""
    return _is_roots_own(Path("/")) and not os.path.lexists(SHOWN)


def hides_settings(environment: Mapping[str, str]) -> bool:
    """Return whether our file would hide machine-wide settings that rank below the user's."""
    system = environment.get(SYSTEM) or "/etc/gemini-cli/settings.json"
    return (Path(system).parent / "system-defaults.json").exists()


def _is_roots_own(path: Path) -> bool:
    """Return True if nobody but root can put something else in the place of this file or directory."""
    try:
        facts = [os.lstat(one) for one in (path, *path.parents)]
    except OSError:
        return False
    return all(one.st_uid == 0 and not stat.S_ISLNK(one.st_mode) and not one.st_mode & 0o022 for one in facts)
