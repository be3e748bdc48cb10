import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from hark.model.errors import HarkError
from hark.store.sqlite.opening import is_safe, open_database
from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.samples import ANA, add, make_session, refused


@contextmanager
def kept_unchanged(path: Path) -> Iterator[None]:
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


def refusal_of(path: Path) -> HarkError:
    with pytest.raises(HarkError) as caught:
        open_database(path, busy_timeout_s=0.05)
    return caught.value


def make_database(path: Path) -> None:
    open_database(path, busy_timeout_s=0).close()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((3, 51, 3), True),
        ((3, 51, 2), False),  # the last one before the fix
        ((3, 52, 0), True),
        ((4, 0, 0), True),
        ((3, 50, 7), True),  # backported
        ((3, 50, 6), False),
        ((3, 50, 9), True),
        ((3, 44, 6), True),  # backported
        ((3, 44, 5), False),
        ((3, 46, 1), False),  # between the backports
        ((3, 45, 9), False),
        ((3, 40, 1), False),
    ],
)
def test_only_versions_without_the_wal_reset_bug_are_safe(version: tuple[int, ...], expected: bool) -> None:
    assert is_safe(version) is expected


def test_an_unsafe_sqlite_is_refused_before_it_touches_anything(path: Path) -> None:
    with refused("sqlite-unsafe"):
        open_database(path, busy_timeout_s=0, sqlite_version="3.46.1")

    assert not path.exists()


def test_the_connection_is_durable_and_checks_references(path: Path) -> None:
    with closing(open_database(path, busy_timeout_s=0)) as connection:
        assert connection.pragma("journal_mode") == "wal"
        assert connection.pragma("synchronous") == 2
        assert connection.pragma("foreign_keys") == 1


async def test_the_file_and_its_companions_are_private(path: Path, store: SqliteStore) -> None:
    await add(store, make_session(ANA))

    files = list(path.parent.iterdir())
    assert {file.name for file in files} >= {"hark.db", "hark.db-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


async def test_an_open_store_can_be_asked_to_open_again(store: SqliteStore) -> None:
    await add(store, make_session(ANA))

    await store.open()

    assert len(await store.sessions()) == 1


def test_a_file_that_is_no_database_is_refused_and_kept(path: Path) -> None:
    path.write_bytes(b"my notes, not a database\n" * 200)

    with kept_unchanged(path):
        refusal = refusal_of(path)

    assert refusal.code == "store-corrupt"
    assert str(path) in refusal.detail
    assert "kept" in refusal.hint
    assert "mv " in refusal.hint


@pytest.mark.parametrize("start", [0.3, 0.6], ids=["early", "late"])
def test_a_damaged_file_is_refused_and_kept(path: Path, start: float) -> None:
    with closing(open_database(path, busy_timeout_s=0)) as connection, connection:
        connection.executemany(
            "INSERT INTO events (at, kind, data) VALUES (0, 'hook', ?)", [("x" * 300,) for _ in range(400)]
        )
    damaged = bytearray(path.read_bytes())
    middle = int(len(damaged) * start)
    damaged[middle : middle + 16384] = b"\xa5" * 16384
    path.write_bytes(damaged)

    with kept_unchanged(path):
        refusal = refusal_of(path)

    assert refusal.code == "store-corrupt"


def test_a_truncated_file_is_refused_and_kept(path: Path) -> None:
    make_database(path)
    path.write_bytes(path.read_bytes()[: -3 * 4096])

    with kept_unchanged(path):
        assert refusal_of(path).code == "store-corrupt"


def test_another_programs_database_is_refused_and_kept(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")

    with kept_unchanged(path):
        assert refusal_of(path).code == "store-corrupt"


def test_a_newer_store_is_refused_and_kept_with_its_log(path: Path) -> None:
    make_database(path)
    with closing(apsw.Connection(str(path))) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("INSERT INTO schema_version VALUES (9999, 'from the future', 0)")
    log = path.with_name("hark.db-wal")

    with kept_unchanged(path), kept_unchanged(log):
        refusal = refusal_of(path)

    assert refusal.code == "store-newer"
    assert "9999" in refusal.detail
    assert "update" in refusal.hint


def test_a_lock_of_another_process_is_reported_and_goes_away_with_it(path: Path) -> None:
    make_database(path)
    code = (
        "import apsw, sys; c = apsw.Connection(sys.argv[1]); c.execute('BEGIN IMMEDIATE');"
        "print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        assert refusal_of(path).code == "store-locked"
        other.communicate("")

    make_database(path)


@pytest.mark.parametrize("read_only", ["file", "directory"])
def test_a_read_only_place_is_refused(read_only: str) -> None:
    """In a process that is not root, who may write anywhere; and in a directory that such a process can reach."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = directory / "hark.db"
        make_database(path)
        os.chmod(path, 0o444 if read_only == "file" else 0o666)
        os.chmod(directory, 0o555 if read_only == "directory" else 0o777)
        code = (
            "import os, sys; from pathlib import Path\n"
            "from hark.model.errors import HarkError\n"
            "from hark.store.sqlite.opening import open_database\n"
            "if os.getuid() == 0: os.setuid(65534)\n"
            "try: open_database(Path(sys.argv[1]), busy_timeout_s=0)\n"
            "except HarkError as error: print(error.code)\n"
        )

        ended = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)

        os.chmod(directory, 0o700)
        assert (ended.stdout, ended.stderr) == ("state-not-writable\n", "")


def test_a_path_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    assert refusal_of(tmp_path).code == "state-not-writable"  # a directory
    assert refusal_of(tmp_path / "missing" / "hark.db").code == "state-not-writable"


async def test_a_refused_store_is_closed_and_opens_once_the_reason_is_gone(tmp_path: Path) -> None:
    directory = tmp_path / "state"
    store = SqliteStore(directory / "hark.db")
    with refused("state-not-writable"):
        await store.open()
    with refused("store-closed"):
        await store.sessions()

    os.mkdir(directory)
    await store.open()

    assert not await store.sessions()
    await store.close()
