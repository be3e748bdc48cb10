"""Reads what has been added to an agent's record since we looked last. Whole lines only: the last one may be half written."""

import asyncio
import os
from datetime import datetime, timedelta

from hark.agents.records import Words, read_line

MOST_READ = 1_000_000
"""Bytes at a time; of a record that we see for the first time, only so much of its end."""
CLOCKS_DIFFER = timedelta(seconds=2)


async def read_record(kind: str, path: str, start: int, since: datetime) -> tuple[list[Words], int]:
    """The new words, without those from before `since`, and where to go on."""
    words, end = await asyncio.to_thread(_read, kind, path, start)
    return [one for one in words if one.at is None or one.at >= since - CLOCKS_DIFFER], end


def _read(kind: str, path: str, start: int) -> tuple[list[Words], int]:
    try:
        with open(path, "rb") as record:
            size = os.fstat(record.fileno()).st_size
            if start > size or start < 0:
                start = 0
            if start == 0 and size > MOST_READ:
                start = size - MOST_READ
            record.seek(start)
            data = record.read(MOST_READ)
    except OSError:
        return [], start
    whole = data[: data.rfind(b"\n") + 1]
    if not whole and len(data) == MOST_READ:
        return [], start + len(data)
    words, place = [], start
    for line in whole.splitlines(keepends=True):
        name = f"{os.path.basename(path)}:{place}"
        words.append(read_line(kind, line, name))
        place += len(line)
    return [one for one in words if one], start + len(whole)
