"""File systems that are full, or read-only also for root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def mounted(directory: Path, options: str) -> Iterator[Path]:
    """A file system in memory. It goes at once when the block ends, whoever still has it open."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"mode=0700,{options}", "tmpfs", str(directory)],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("this needs the right to mount")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextmanager
def unwritable(directory: Path) -> Iterator[Path]:
    """For anybody but root a mode is enough."""
    if os.geteuid() == 0:
        with mounted(directory, "size=64k,ro"):
            yield directory
        return
    directory.mkdir(mode=0o500, parents=True)
    try:
        yield directory
    finally:
        directory.chmod(0o700)


def fill(directory: Path) -> Path:
    """To the last byte; the answered file can be removed to make room again."""
    filler = directory / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    with filler.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x")
    return filler
