"""SQLite's errors, translated into HarkErrors. Every error of SQLite that leaves this package passes through here."""

import errno
from pathlib import Path

import apsw

from hark.model.errors import HarkError

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


def disk_full(path: Path) -> HarkError:
    return HarkError(
        "disk-full", f"no space left for {path}", "free some space and try again; nothing that was accepted is lost"
    )


def not_writable(path: Path, why: object) -> HarkError:
    hint = f"make {path.parent} and the files in it writable for this user, or set HARK_HOME to another directory"
    return HarkError("state-not-writable", f"cannot write {path}: {why}", hint)


def corrupt(path: Path, why: object) -> HarkError:
    hint = f"the file was kept as it is; to start afresh, move it and its -wal file away: mv {path}* ELSEWHERE/"
    return HarkError("store-corrupt", f"{path} cannot be read as a store of hark: {why}", hint)


def locked(path: Path) -> HarkError:
    return HarkError("store-locked", f"{path} is locked by another process", "end the other process that uses it")


def translate(error: apsw.Error, path: Path, system_errno: int = 0) -> HarkError:
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and system_errno in _NO_SPACE):
        return disk_full(path)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return locked(path)
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return corrupt(path, error)
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
        return not_writable(path, error)
    return HarkError("internal", f"{path}: {type(error).__name__}: {error}", "please report this")


def translate_os(error: OSError, path: Path) -> HarkError:
    return disk_full(path) if error.errno in _NO_SPACE else not_writable(path, error.strerror)
