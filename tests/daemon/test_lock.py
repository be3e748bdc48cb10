from __future__ import annotations

import os
from pathlib import Path

import pytest

from hark.daemon.lock import InstanceLock
from hark.model.errors import HarkError


def test_a_second_holder_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    first, second = InstanceLock(tmp_path / "lock"), InstanceLock(tmp_path / "lock")
    first.take()
    try:
        with pytest.raises(HarkError) as refused:
            second.take()
    finally:
        first.release()

    assert refused.value.code == "already-running"
    assert str(os.getpid()) in refused.value.detail
    assert refused.value.hint


def test_a_lock_that_was_let_go_can_be_taken_again(tmp_path: Path) -> None:
    first, second = InstanceLock(tmp_path / "lock"), InstanceLock(tmp_path / "lock")
    first.take()
    first.release()
    first.release()

    second.take()

    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    second.release()


def test_what_a_dead_holder_wrote_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("1234567890 was here\n")
    lock = InstanceLock(tmp_path / "lock")

    lock.take()

    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()
