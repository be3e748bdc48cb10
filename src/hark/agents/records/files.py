"""Reads files whose paths agents name, and that may therefore be anything: a pipe, a device, a directory, ten gigabytes, a file of the
kernel's that never ends. hark reads only regular files, never more than asked for, and waits for nothing."""

import os
import stat

from msgspec import Struct

LONGEST_PATH = 4096


class Part(Struct, frozen=True):
    data: bytes
    start: int
    size: int
    """The size of the whole file, in bytes."""


def is_path(path: str) -> bool:
    """Return whether this can be the path of a file at all."""
    return path.startswith("/") and len(path) <= LONGEST_PATH and "\0" not in path


def read_part(path: str, start: int | None, most: int, *, back: int) -> Part:
    """Read at most `most` bytes from `start` on; without a start, or if the file has become shorter, from its last `back` bytes. Raise
    an OSError for anything that is not a regular file."""
    if not is_path(path):
        raise OSError("not a path of a file")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except ValueError as wrong:
        # The path has a character that no file name can hold, such as half of a surrogate pair.
        raise OSError(str(wrong)) from wrong
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError("not a regular file")
        if start is None or not 0 <= start <= facts.st_size:
            start = max(0, facts.st_size - back)
        # The kernel's own files have no size, and no end.
        return Part(os.pread(descriptor, min(most, facts.st_size - start), start), start, facts.st_size)
    finally:
        os.close(descriptor)
