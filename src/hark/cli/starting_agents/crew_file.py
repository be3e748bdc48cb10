"""Reads a crew file for `hark up` and `hark down`."""

import os
import tomllib

from hark.model.errors import HarkError
from hark.model.settings.crew import Member, read_crew

MOST_BYTES = 1_000_000


def load_crew(path: str) -> list[Member]:
    """Return the members of the crew file at `path`, each with a whole directory. Raise `crew-invalid` if the file cannot be read."""
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise HarkError("crew-invalid", f"{path} is longer than a crew file can be", "name a crew file")
        members = read_crew(tomllib.loads(text.decode()))
    except OSError as failure:
        raise HarkError("crew-invalid", f"{path}: {failure.strerror}", "name a crew file that you may read") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise HarkError(
            "crew-invalid", f"{path} is not TOML: {wrong}", "docs/sessions.md describes crew files"
        ) from None
    base = os.path.dirname(os.path.abspath(path))
    return [one._replace(directory=os.path.join(base, os.path.expanduser(one.directory or "."))) for one in members]
