"""Opens the database at a path: the result is a connection that can be trusted, or an error that leaves the file as it was.

The order matters: hark writes nothing, and folds no old log into the file, before the file has proven to be a sound store
of a version that we know.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import apsw
from msgspec import Struct

from hark.model.errors import HarkError
from hark.store.sqlite import faults
from hark.store.sqlite.rows import to_micros

Version = tuple[int, ...]

# SQLite before these versions can lose committed pages of a write-ahead log that is reset at the wrong moment.
_SAFE_SINCE: Version = (3, 51, 3)
_SAFE_BACKPORTS: tuple[Version, ...] = ((3, 50, 7), (3, 44, 6))

_MIGRATION = re.compile(r"(?P<version>\d{4})_(?P<name>\w+)\.sql")


class Migration(Struct, frozen=True):
    version: int
    name: str
    sql: str


def is_safe(version: Version) -> bool:
    """Return True if this SQLite is free of the WAL-reset bug."""
    return version >= _SAFE_SINCE or any(version[:2] == b[:2] and version >= b for b in _SAFE_BACKPORTS)


def open_database(path: Path, busy_timeout_s: float, sqlite_version: str = "") -> apsw.Connection:
    _check_library(sqlite_version or apsw.sqlite_lib_version())
    _make_file(path)
    with _translated(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with _translated(path, connection):
            _prepare(connection, path, busy_timeout_s)
    except BaseException:
        connection.close()
        raise
    return connection


def load_migrations() -> list[Migration]:
    files = sorted(resources.files(__package__).joinpath("migrations").iterdir(), key=lambda file: file.name)
    found = ((_MIGRATION.fullmatch(file.name), file) for file in files)
    return [Migration(int(m["version"]), m["name"], file.read_text(encoding="utf-8")) for m, file in found if m]


def migrate(connection: apsw.Connection, migrations: list[Migration]) -> None:
    """Apply all migrations that are missing, or none: if one fails, closing the connection undoes the others."""
    connection.execute("BEGIN IMMEDIATE")
    present = _applied(connection)
    for migration in migrations:
        if migration.version not in present:
            connection.execute(migration.sql)
            connection.execute(
                "INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)",
                (migration.version, migration.name, to_micros(datetime.now(UTC))),
            )
    connection.execute("COMMIT")


def _check_library(version: str) -> None:
    if not is_safe(tuple(int(part) for part in version.split("."))):
        raise HarkError(
            "sqlite-unsafe",
            f"SQLite {version} can corrupt its write-ahead log",
            "install a newer apsw: pip install --upgrade apsw",
        )


def _make_file(path: Path) -> None:
    """Make the database file, readable and writable for us alone from the first moment; SQLite gives its side files the same mode.

    A file that exists is not opened here: closing it again would drop the locks that SQLite may hold on it.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise faults.translate_os(error, path) from error
    for needed in (path, path.parent):
        if not os.access(needed, os.R_OK | os.W_OK):
            raise faults.not_writable(path, f"{needed} is read-only")


def _prepare(connection: apsw.Connection, path: Path, busy_timeout_s: float) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.set_busy_timeout(round(busy_timeout_s * 1000))
    migrations = load_migrations()
    _check_soundness(connection, path)
    _check_version(connection, path, newest=migrations[-1].version)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    if connection.pragma("journal_mode", "wal") != "wal":
        raise faults.not_writable(path, "its file system cannot hold a write-ahead log")
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    migrate(connection, migrations)


def _check_soundness(connection: apsw.Connection, path: Path) -> None:
    verdict = connection.execute("PRAGMA quick_check(1)").get
    if verdict != "ok":
        raise faults.corrupt(path, verdict)


def _check_version(connection: apsw.Connection, path: Path, newest: int) -> None:
    present = _schema_version(connection)
    if present > newest:
        raise HarkError(
            "store-newer",
            f"{path} was written by a newer hark: its version is {present}, this hark knows {newest}",
            "update hark, or move the file away to start afresh; hark has not changed it",
        )
    if not present and connection.execute("SELECT count(*) FROM sqlite_schema").get:
        raise faults.corrupt(path, "it is the database of another program")


def _applied(connection: apsw.Connection) -> set[int]:
    if not _schema_version(connection):
        return set()
    return {version for (version,) in connection.execute("SELECT version FROM schema_version")}


def _schema_version(connection: apsw.Connection) -> int:
    """Return the version of the database's schema; 0 if the database has no schema of ours."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'").get:
        return 0
    return int(connection.execute("SELECT coalesce(max(version), 0) FROM schema_version").get)


@contextmanager
def _translated(path: Path, connection: apsw.Connection | None = None) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise faults.translate(error, path, connection.system_errno if connection else 0) from error
