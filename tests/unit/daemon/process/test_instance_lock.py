from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark import instance, paths
from hark.daemon.process.instance_lock import FileLock, InstanceLock
from hark.model.errors import HarkError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARK_HOME", str(tmp_path))
    paths.make_private(paths.state_dir())
    paths.make_private(paths.runtime_dir())
    return tmp_path


@pytest.fixture
def held() -> Iterator[InstanceLock]:
    lock = InstanceLock()
    lock.take()
    yield lock
    lock.release()


def test_a_second_holder_is_refused_and_told_who_the_first_is(held: InstanceLock) -> None:
    with pytest.raises(HarkError) as refused:
        InstanceLock().take()

    assert refused.value.code == "already-running"
    assert f"pid {os.getpid()} on " in refused.value.detail
    assert str(paths.socket_path()) in refused.value.detail
    assert refused.value.hint


def test_a_second_holder_with_another_runtime_directory_is_refused_too(
    held: InstanceLock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = paths.socket_path()
    monkeypatch.setattr(paths, "runtime_dir", lambda: tmp_path / "elsewhere")

    with pytest.raises(HarkError) as refused:
        InstanceLock().take()

    assert refused.value.code == "already-running"
    assert str(own) in refused.value.detail
    assert instance.socket_path() == own


def test_a_daemon_of_another_database_is_refused_the_runtime_directory(
    held: InstanceLock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "state_dir", lambda: paths.make_private(tmp_path / "other"))
    other = InstanceLock()

    with pytest.raises(HarkError) as refused:
        other.take()

    assert refused.value.code == "runtime-in-use"
    assert str(paths.runtime_dir()) in refused.value.detail
    assert not instance.is_running()  # the lock of the other database was let go again


def test_a_lock_that_was_let_go_can_be_taken_again() -> None:
    first, second = InstanceLock(), InstanceLock()
    first.take()
    first.release()
    first.release()

    second.take()

    assert instance.is_running()
    second.release()
    assert not instance.is_running()


def test_what_a_dead_holder_wrote_is_replaced(home: Path) -> None:
    for path in (paths.lock_path(), paths.runtime_lock_path()):
        path.write_text("1234567890 was here, and wrote much more than anybody needs\n" * 20)
    lock = InstanceLock()

    lock.take()

    found = instance.find()
    assert found is not None
    assert (found.pid, found.runtime, found.build) == (os.getpid(), paths.runtime_dir(), instance.own_build())
    assert paths.lock_path().read_bytes() == instance.describe(found)
    assert paths.runtime_lock_path().read_text() == f"{os.getpid()}\n"
    lock.release()


def test_who_only_asks_whether_a_daemon_lives_is_in_nobodys_way(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    asking = os.open(paths.lock_path(), os.O_CREAT | os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    monkeypatch.setattr("hark.daemon.process.instance_lock.time.sleep", lambda _: fcntl.flock(asking, fcntl.LOCK_UN))
    lock = InstanceLock()

    lock.take()

    assert lock.database.is_in_place()
    lock.release()
    os.close(asking)


def test_a_lock_whose_file_was_removed_or_replaced_is_not_in_place(held: InstanceLock) -> None:
    assert held.database.is_in_place()

    paths.lock_path().unlink()
    assert not held.database.is_in_place()

    paths.lock_path().write_text("")
    assert not held.database.is_in_place()


def test_a_runtime_lock_that_was_removed_is_taken_again(held: InstanceLock) -> None:
    paths.runtime_lock_path().unlink()

    assert held.take_runtime_again()

    assert held.runtime.is_in_place()
    assert not instance.is_free(paths.runtime_lock_path())


def test_a_descriptor_that_holds_the_lock_is_taken_over_without_a_gap(tmp_path: Path) -> None:
    before, after = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert before.take(b"1\n")
    assert before.descriptor is not None

    assert after.take(b"2\n", os.dup(before.descriptor))

    before.release()
    assert not instance.is_free(tmp_path / "lock")
    assert (tmp_path / "lock").read_bytes() == b"2\n"
    after.release()


def test_a_descriptor_that_is_none_is_no_obstacle(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")

    assert lock.take(b"1\n", 987)

    assert not instance.is_free(tmp_path / "lock")
    lock.release()


def test_a_descriptor_of_some_other_file_is_not_taken_for_the_lock(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    lock = FileLock(tmp_path / "lock")

    assert lock.take(b"1\n", os.open(tmp_path / "other", os.O_RDWR))

    assert not instance.is_free(tmp_path / "lock")
    assert (tmp_path / "other").read_bytes() == b""
    lock.release()
