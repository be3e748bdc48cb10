"""Paths that agents name may be anything: only regular files are read, and only so much of them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.agents.records.files import read_part


def test_a_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"0123456789")

    assert read_part(str(path), 2, 3, back=4).data == b"234"
    assert read_part(str(path), None, 100, back=4).data == b"6789"
    assert read_part(str(path), 10, 100, back=4).data == b""
    # It has become shorter: another file.
    assert read_part(str(path), 11, 100, back=4).data == b"6789"


def test_a_file_of_ten_gigabytes_costs_no_more_than_its_end(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(10 * 2**30)

    part = read_part(str(path), None, 1000, back=500)

    assert (len(part.data), part.start) == (500, 10 * 2**30 - 500)


def test_whatever_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "to pipe").symlink_to(tmp_path / "pipe")
    names = ("pipe", "loop", "to pipe", "", "nowhere", "x" * 300)
    special = ("/dev/zero", "/dev/tty", "/dev/stdin", "relative", "", "/a\0b", "/\ud800", "/" + "x" * 5000)

    for path in (*(str(tmp_path / name) for name in names), *special):
        with pytest.raises(OSError):  # noqa: PT011 any of them will do
            read_part(path, None, 10, back=10)


@pytest.mark.parametrize("path", ["/proc/self/status", "/proc/kmsg", "/proc/self/mem", "/sys/kernel/profiling"])
def test_files_of_the_kernel_that_have_no_end_give_nothing(path: str) -> None:
    with contextlib.suppress(OSError):
        assert len(read_part(path, None, 100_000, back=100_000).data) <= 4096


@given(st.text())
def test_no_text_is_a_path_that_breaks_it(text: str) -> None:
    with contextlib.suppress(OSError):
        read_part(text, None, 10, back=10)
