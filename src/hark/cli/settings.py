"""Reads the settings that a command needs itself, as the daemon reads them (the environment overrides the file), but without the
daemon's libraries."""

import os
import tomllib

from hark import paths
from hark.model.errors import HarkError

NAMESPACES = "schmux,hark"


def signal_namespaces() -> tuple[str, ...]:
    """Return the namespaces of the markers that the settings name."""
    wanted = os.environ.get("HARK_SIGNAL_NAMESPACES")
    if wanted is None:
        wanted = _from_file("signal_namespaces", NAMESPACES)
    return tuple(name.strip() for name in wanted.split(",") if name.strip())


def _from_file(name: str, default: str) -> str:
    path = paths.config_path()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get(name, default)
    except FileNotFoundError:
        return default
    except (OSError, ValueError) as wrong:
        raise HarkError("config-invalid", f"{path}: {wrong}", "see docs/configuration.md") from wrong
    if not isinstance(found, str):
        raise HarkError("config-invalid", f"{path}: {name} must be a text", "see docs/configuration.md")
    return found
