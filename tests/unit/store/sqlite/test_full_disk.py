"""A small tmpfs where it can be mounted; elsewhere a limit on the pages of the file, which fails in the same way."""

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import apsw
import pytest

from hark.store.sqlite import faults
from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.samples import ANA, add, enqueue, make_message, make_session, refused

LARGE = "x" * 100_000


class Disk(Protocol):
    path: Path

    async def fill(self, store: SqliteStore) -> None: ...
    async def free(self, store: SqliteStore) -> None: ...


class Tmpfs:
    def __init__(self, directory: Path) -> None:
        self.path = directory / "hark.db"
        self.ballast = directory / "ballast"

    async def fill(self, store: SqliteStore) -> None:
        with pytest.raises(OSError, match="No space left"):
            self._write_for_ever()

    def _write_for_ever(self) -> None:
        with open(self.ballast, "wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)

    async def free(self, store: SqliteStore) -> None:
        self.ballast.unlink()


class PageLimit:
    def __init__(self, directory: Path) -> None:
        self.path = directory / "hark.db"

    async def fill(self, store: SqliteStore) -> None:
        await store._read(
            lambda transaction: transaction.connection.pragma("max_page_count", 1)
        )  # = as many as there are

    async def free(self, store: SqliteStore) -> None:
        await store._read(lambda transaction: transaction.connection.pragma("max_page_count", 1_000_000))


@pytest.fixture(params=["tmpfs", "page limit"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "hark-test", str(tmp_path)]
    if request.param == "page limit" or os.getuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        yield PageLimit(tmp_path)
        return
    try:
        yield Tmpfs(tmp_path)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


async def test_a_full_disk_refuses_writes_loses_nothing_and_heals(disk: Disk) -> None:
    store = SqliteStore(disk.path)
    await store.open()
    try:
        await add(store, make_session(ANA))
        (before,) = await enqueue(store, make_message("before"))
        await disk.fill(store)

        for attempt in ("m1", "m2"):
            with refused("disk-full"):
                await store.enqueue(make_message(attempt, text=LARGE))
        assert await store.pending() == [before]
        assert await store.last_event_seq() == 2

        await disk.free(store)
        (after,) = await enqueue(store, make_message("m1", text=LARGE))
        assert await store.pending() == [before, after]
    finally:
        await store.close()


async def test_what_was_stored_before_the_disk_was_full_survives_a_restart(disk: Disk) -> None:
    store = SqliteStore(disk.path)
    await store.open()
    await add(store, make_session(ANA))
    await enqueue(store, make_message("before"))
    await disk.fill(store)
    with refused("disk-full"):
        await store.enqueue(make_message("m1", text=LARGE))
    await disk.free(store)
    await store.close()

    await store.open()

    assert [message.id for message in await store.pending()] == ["before"]
    await store.close()


@pytest.mark.parametrize(
    ("error", "system_errno", "code"),
    [
        (apsw.FullError(), 0, "disk-full"),
        (apsw.IOError(), errno.ENOSPC, "disk-full"),
        (apsw.IOError(), errno.EDQUOT, "disk-full"),  # the user's share of the disk
        (apsw.IOError(), errno.EIO, "internal"),
        (apsw.BusyError(), 0, "store-locked"),
        (apsw.BusyError(), errno.ENOSPC, "store-locked"),  # left over from an earlier failure
        (apsw.CorruptError(), 0, "store-corrupt"),
        (apsw.NotADBError(), 0, "store-corrupt"),
        (apsw.ReadOnlyError(), 0, "state-not-writable"),
        (apsw.CantOpenError(), 0, "state-not-writable"),
        (apsw.ConstraintError(), 0, "internal"),
    ],
)
def test_sqlites_failures_have_our_codes(error: apsw.Error, system_errno: int, code: str) -> None:
    translated = faults.translate(error, Path("/state/hark.db"), system_errno)

    assert translated.code == code
    assert "/state/hark.db" in translated.detail
    assert translated.hint
