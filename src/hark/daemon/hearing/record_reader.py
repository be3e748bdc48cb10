"""Reads what was added to an agent's record since the last look. It reads whole lines only, because the last line may be half written."""

import contextlib
import os
import re
from datetime import datetime, timedelta

from hark.agents.native import processes
from hark.agents.records.files import read_part
from hark.agents.records.record import read_line
from hark.agents.records.words import Words
from hark.agents.registry import find_agent
from hark.daemon.process.slow_calls import work_aside

MOST_READ = 1_000_000
"""How many bytes to read at a time; also how many bytes of the end to read from a record that is seen for the first time."""
CLOCKS_DIFFER = timedelta(seconds=2)


async def read_record(kind: str, path: str, start: int, since: datetime) -> tuple[list[Words], int]:
    """Return the new words, without those from before `since`, and the position to read on from."""
    try:
        words, end = await work_aside(f"record {path}", lambda: _read(kind, path, start))
    except OSError:
        return [], start
    return [one for one in words if one.at is None or one.at >= since - CLOCKS_DIFFER], end


async def find_open_record(kind: str, pane_pid: int) -> str | None:
    """Return the path of the record that a program in the pane has open, for records that nobody has named: of several, the one that was
    written to last. Return None if there is none, or no /proc."""
    pattern = find_agent(kind).open_record
    if pattern is None:
        return None
    try:
        return await work_aside(f"open files of {pane_pid}", lambda: _find_open(pattern, pane_pid))
    except OSError:
        return None


def _find_open(pattern: re.Pattern[str], pane_pid: int) -> str | None:
    written: dict[str, float] = {}
    for pid in processes.tree(pane_pid):
        with contextlib.suppress(OSError):
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    path = os.readlink(entry.path)
                    if pattern.search(path):
                        written[path] = os.stat(path).st_mtime
    return max(written, key=lambda path: written[path], default=None)


def _read(kind: str, path: str, start: int) -> tuple[list[Words], int]:
    part = read_part(path, start or None, MOST_READ, back=MOST_READ)
    data, start = part.data, part.start
    whole = data[: data.rfind(b"\n") + 1]
    if not whole and len(data) == MOST_READ:
        return [], start + len(data)
    words, place = [], start
    for line in whole.splitlines(keepends=True):
        name = f"{os.path.basename(path)}:{place}"
        words.append(read_line(kind, line, name))
        place += len(line)
    return [one for one in words if one], start + len(whole)
