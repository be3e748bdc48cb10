from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from hark import paths
from hark.cli.daemon.logs import followed, log_line
from hark.cli.main import run
from hark.model.errors import Exit


@pytest.fixture
def log(home: Path) -> Path:
    paths.make_private(paths.state_dir())
    return paths.log_path()


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('{"at": "T", "level": "info", "message": "up", "pid": 3}', "T info up pid=3"),
        ('{"at": "T", "level": "info", "message": "up"}', "T info up"),
        ('{"event": "x"}', "- - - event=x"),  # fields that are missing keep their place
        ('{"at": "T", "level": "error", "message": "a\\u001b[2J"}', "T error a\\x1b[2J"),
        ("Traceback (most recent call last):", "Traceback (most recent call last):"),  # not ours, but worth seeing
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_a_line_of_the_log_for_people(line: str, shown: str) -> None:
    assert log_line(line) == shown


def test_the_last_lines_are_shown(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.write_text("".join(f'{{"at": "T", "level": "info", "message": "{number}"}}\n' for number in range(9)))

    assert run(["logs", "-n", "2"]) == Exit.OK
    assert capsys.readouterr().out == "T info 7\nT info 8\n"

    assert run(["logs", "-n", "1", "--json"]) == Exit.OK
    assert capsys.readouterr().out == '{"at": "T", "level": "info", "message": "8"}\n'


def test_no_log_is_said_with_where_it_would_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["logs"]) == Exit.FAILURE

    assert str(paths.log_path()) in capsys.readouterr().err


def test_following_goes_on_over_rotation_and_loses_nothing(log: Path) -> None:
    def append(text: str) -> None:
        with log.open("a") as file:
            file.write(text)

    def rotate() -> None:
        append("last of the old\n")
        log.rename(log.with_suffix(".log.1"))

    def empty() -> None:
        log.write_text("")

    # What the daemon does while the reader pauses.
    steps: Iterator[Callable[[], None]] = iter(
        [
            partial(append, "zero\none\n"),  # the file appears
            partial(append, "tw"),  # half a line is no line
            partial(append, "o\n"),
            rotate,  # the new file is not there yet
            partial(append, "three\n"),
            empty,  # cut to nothing
            partial(append, "4\n"),
        ]
    )

    lines = list(islice(followed(log, 1, lambda: next(steps)()), 5))

    assert lines == ["one", "two", "last of the old", "three", "4"]
