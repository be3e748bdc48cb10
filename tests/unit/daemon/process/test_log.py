from __future__ import annotations

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.daemon.process.log import close_log, logger, open_log


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "hark.log"
    level, propagate = logger.level, logger.propagate
    handler = open_log(path, "info", 10_000)
    yield path
    close_log(handler)
    logger.setLevel(level)
    logger.propagate = propagate


def lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_a_line_is_one_json_object_whatever_is_in_it(log: Path) -> None:
    logger.info("two\nlines 漢字", extra={"session": "a", "detail": '"quoted"\n', "path": log})

    [line] = lines(log)
    assert line.keys() == {"at", "level", "message", "session", "detail", "path"}
    assert (line["level"], line["message"], line["detail"]) == ("info", "two\nlines 漢字", '"quoted"\n')


def test_a_traceback_stays_on_its_line(log: Path) -> None:
    try:
        raise ValueError("told apart")
    except ValueError:
        logger.exception("it failed")

    [line] = lines(log)
    assert "ValueError: told apart" in str(line["error"])


def test_what_is_below_the_level_is_left_out(log: Path) -> None:
    logger.debug("a detail")
    logger.log(logging.WARNING, "a warning")

    assert [line["message"] for line in lines(log)] == ["a warning"]


def test_every_file_of_a_log_that_was_rotated_is_private(log: Path) -> None:
    for number in range(500):
        logger.info("a line to fill the file", extra={"number": number})

    files = sorted(log.parent.iterdir())
    assert [file.name for file in files] == ["hark.log", "hark.log.1", "hark.log.2", "hark.log.3"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert lines(log)[-1]["number"] == 499
