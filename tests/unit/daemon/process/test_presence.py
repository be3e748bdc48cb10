"""A daemon whose files vanish binds its sockets again, says a failure once, and ends if it lost its database's lock."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from hark.daemon.process.instance_lock import InstanceLock
from hark.daemon.process.presence import Presence


class Stage:
    def __init__(self, *, has_database: bool = True, has_runtime: bool = True, takes_again: bool = True) -> None:
        self.ends: list[str] = []
        self.kept = 0
        self.failure: OSError | None = None
        database = SimpleNamespace(is_in_place=lambda: has_database, path=Path("/state/lock"))
        runtime = SimpleNamespace(is_in_place=lambda: has_runtime, path=Path("/run/lock"))
        lock = SimpleNamespace(database=database, runtime=runtime, take_runtime_again=lambda: takes_again)
        self.presence = Presence(cast(InstanceLock, lock), [self], self.ends.append)

    def keep(self) -> bool:
        self.kept += 1
        if self.failure:
            raise self.failure
        return True


def test_a_door_whose_file_has_vanished_is_kept() -> None:
    stage = Stage()

    stage.presence.look()

    assert (stage.kept, stage.ends) == (1, [])


def test_a_daemon_without_its_databases_lock_ends_and_keeps_no_door() -> None:
    stage = Stage(has_database=False)

    stage.presence.look()

    assert stage.kept == 0
    assert "another daemon may have the database" in stage.ends[0]


def test_a_daemon_of_another_database_in_the_runtime_directory_keeps_the_doors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path))
    stage = Stage(has_runtime=False, takes_again=False)

    stage.presence.look()

    assert (stage.kept, stage.ends) == (0, [])


def test_the_same_failure_is_logged_once_until_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage()
    stage.failure = OSError("no space")

    stage.presence.look()
    stage.presence.look()
    first = len(caplog.records)
    stage.failure = None
    stage.presence.look()
    stage.failure = OSError("no space")
    stage.presence.look()

    assert first == 1
    assert [record.message for record in caplog.records].count("cannot be reached") == 2
