"""Whoever holds the keys may die in the middle of a delivery: what is half done in the agent's box is for a successor to finish,
before the human's keys go on."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.airlock.running import DEADLINE_S, Recorded
from tests.terminals import wait_until

SUCCESSOR = "import os, sys; open(sys.argv[1], 'w').write(os.environ['HARK_TRIED'] + os.environ.get('TMUX_PANE', ''))"


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    with Recorded() as running:
        yield running


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """What the successor writes."""
    return tmp_path / "told"


def die(recorded: Recorded, told: Path, *, written: bytes, seconds: float = 2.0, has_successor: bool = True) -> None:
    """In a hold, with a key of the human's kept."""
    command = [sys.executable, "-c", SUCCESSOR, str(told)] if has_successor else []
    with recorded.client() as first:
        hold = first.call(
            op="hold", seconds=seconds, successor=command, environment={"HARK_TRIED": "came", "TMUX_PANE": ""}
        )["hold"]
        if written:
            first.write(hold, written)
        recorded.type(b"k")
        first.wait_facts(held_bytes=1)


def test_a_successor_is_called_and_takes_the_hold_over(recorded: Recorded, told: Path) -> None:
    die(recorded, told, written=b"<half>")

    with recorded.client() as second:
        second.wait_facts(is_orphaned=True)
        taken = second.call(op="hold", seconds=2.0)
        assert taken["is_taken_over"]
        assert not second.facts()["is_orphaned"]
        second.write(taken["hold"], b"<done>")
        second.release(taken["hold"])
    recorded.wait_input(b"<half><done>k")
    wait_until(lambda: told.exists() and told.read_text() == "came", DEADLINE_S, "the successor")


def test_without_one_the_keys_go_on_when_the_hold_is_over(recorded: Recorded, told: Path) -> None:
    die(recorded, told, written=b"<half>", seconds=1.0)

    recorded.wait_input(b"<half>k")
    with recorded.client() as later:
        assert not later.facts()["is_orphaned"]
        assert "is_taken_over" not in later.call(op="hold", seconds=0.1)


def test_one_that_is_taken_over_ends_no_later(recorded: Recorded, told: Path) -> None:
    die(recorded, told, written=b"<half>", seconds=1.0)

    with recorded.client() as second:
        second.wait_facts(is_orphaned=True)
        taken = second.call(op="hold", seconds=2.0)["hold"]
        recorded.wait_input(b"<half>k")
        assert second.write(taken, b"late") == {"ok": False, "error": "hold-over"}


@pytest.mark.parametrize(
    ("written", "has_successor"), [(b"", True), (b"<half>", False)], ids=["nothing is half done", "nobody would come"]
)
def test_the_keys_are_free_at_once(recorded: Recorded, told: Path, written: bytes, has_successor: bool) -> None:
    die(recorded, told, written=written, has_successor=has_successor)

    with recorded.client() as later:
        later.wait_facts(hold=None, held_bytes=0)
        assert not later.facts()["is_orphaned"]
    recorded.wait_input(written + b"k")
    assert not told.exists()


@pytest.mark.parametrize(
    "terms",
    [{"successor": "sh"}, {"successor": [1]}, {"successor": ["a\0b"]}, {"environment": []}, {"environment": {"A": 1}}],
)
def test_what_is_no_command_is_refused(recorded: Recorded, terms: dict[str, object]) -> None:
    with recorded.client() as client:
        assert client.call(op="hold", seconds=1.0, **terms) == {"ok": False, "error": "malformed"}
