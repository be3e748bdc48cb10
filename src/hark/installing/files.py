"""Reads and writes other programs' settings: a file is written whole or not at all, links are followed, and modes are kept."""

import os
import stat
import tempfile
from pathlib import Path

from hark.model.errors import HarkError

NEW_MODE = 0o600


def read(path: Path) -> str | None:
    """Return the text of the file; None if there is no such file."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as wrong:
        raise HarkError(
            "agent-config-invalid", f"{path} is not UTF-8: {wrong.reason}", "mend it, then try again"
        ) from wrong
    except OSError as refused:
        hint = "it must be a file that you may read"
        raise HarkError("agent-config-invalid", f"cannot read {path}: {refused.strerror}", hint) from refused


def write(path: Path, text: str) -> None:
    """Replace the file's text. If the path is a link, the link stays and the file that it leads to is replaced."""
    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, text.encode(), _mode(target))
    except OSError as refused:
        raise _not_writable(path, refused) from refused


def copy(source: Path, path: Path) -> None:
    """Copy a file with its mode, because settings may hold secrets."""
    try:
        _replace(path, source.read_bytes(), _mode(source))
    except OSError as refused:
        raise _not_writable(path, refused) from refused


def delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as refused:
        raise _not_writable(path, refused) from refused


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return NEW_MODE


def _replace(path: Path, data: bytes, mode: int) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _not_writable(path: Path, refused: OSError) -> HarkError:
    return HarkError(
        "state-not-writable", f"cannot write {path}: {refused.strerror}", "see who owns it and its directory"
    )
