"""A record is read on from where it was left, whole lines only."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hark.daemon.hearing.record_reader import MOST_READ, find_open_record, read_record

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def line(name: str, at: str = "2026-01-01T00:00:00Z") -> bytes:
    message = {"content": [{"type": "text", "text": f"text of {name}"}]}
    return json.dumps({"type": "assistant", "uuid": name, "timestamp": at, "message": message}).encode() + b"\n"


def names(path: Path, start: int, since: datetime = LONG_AGO) -> tuple[list[str], int]:
    words, end = asyncio.run(read_record("claude", str(path), start, since))
    return [one.name for one in words], end


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def test_only_what_is_new_is_read_and_a_half_line_waits(record: Path) -> None:
    record.write_bytes(line("a") + line("b")[:20])
    first, place = names(record, 0)
    record.write_bytes(line("a") + line("b"))
    second, end = names(record, place)

    assert (first, second) == (["a"], ["b"])
    assert end == record.stat().st_size
    assert names(record, end) == ([], end)


def test_a_record_that_was_begun_anew_is_read_from_its_beginning(record: Path) -> None:
    record.write_bytes(line("a") + line("b"))
    _, end = names(record, 0)
    record.write_bytes(line("c"))

    assert (names(record, end))[0] == ["c"]


def test_words_from_before_the_session_are_left_out(record: Path) -> None:
    record.write_bytes(line("old", "2025-12-31T23:00:00Z") + line("new", "2026-01-01T00:00:01Z"))

    assert (names(record, 0, datetime(2026, 1, 1, tzinfo=UTC)))[0] == ["new"]


def test_of_a_long_record_only_the_end_is_read(record: Path) -> None:
    record.write_bytes(line("first") + b'{"type": "user"}\n' * (MOST_READ // 8) + line("last"))

    assert (names(record, 0))[0] == ["last"]


def test_a_line_that_is_too_long_is_stepped_over(record: Path) -> None:
    record.write_bytes(line("a") + b"x" * (3 * MOST_READ) + b"\n" + line("z"))
    place, found = len(line("a")), []
    for _ in range(5):
        new, place = names(record, place)
        found += new

    assert found == ["z"]


def test_a_record_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert names(tmp_path / "none", 7) == ([], 7)


def test_a_record_that_a_program_in_the_pane_has_open_is_found(tmp_path: Path) -> None:
    older, newer = (tmp_path / f"sessions/2026/rollout-{name}.jsonl" for name in ("older", "newer"))
    older.parent.mkdir(parents=True)
    for path, at in ((older, 1), (newer, 2)):
        path.touch()
        os.utime(path, (at, at))
    with older.open("a"), newer.open("a"), (tmp_path / "other.jsonl").open("a"):
        found = asyncio.run(find_open_record("codex", os.getpid()))
        of_others = asyncio.run(find_open_record("gemini", os.getpid()))

    assert found == str(newer)
    assert of_others is None
    assert asyncio.run(find_open_record("codex", os.getpid())) is None
