"""A prompt comes before all else in its turn, whatever its stamp says."""

from datetime import UTC, datetime, timedelta

import pytest

from hark.model.heard import Said
from hark.queue.emission import TurnTimes, correct_time

START = datetime(2026, 1, 1, tzinfo=UTC)
PROMPT, TOOL, STOP = Said.PROMPT_SUBMITTED, Said.TOOL_STARTING, Said.STOPPED

# What arrives, in this order: turn, what, stamped when. Then the order in which it was said.
ARRIVALS: dict[str, tuple[list[tuple[str, Said, float]], list[Said]]] = {
    "as it was": ([("t", PROMPT, 1), ("t", TOOL, 2), ("t", STOP, 3)], [PROMPT, TOOL, STOP]),
    "the prompt is stamped late": ([("t", PROMPT, 5), ("t", STOP, 3)], [PROMPT, STOP]),
    "the prompt is stamped late and comes late": ([("t", STOP, 3), ("t", PROMPT, 5)], [PROMPT, STOP]),
    "the prompt comes late": ([("t", TOOL, 2), ("t", STOP, 3), ("t", PROMPT, 1)], [PROMPT, TOOL, STOP]),
    "turns without a name are as they are stamped": ([("", PROMPT, 5), ("", STOP, 3)], [STOP, PROMPT]),
    "the next turn": (
        [("t", PROMPT, 1), ("t", STOP, 2), ("u", PROMPT, 4), ("u", STOP, 3)],
        [PROMPT, STOP, PROMPT, STOP],
    ),
}


@pytest.mark.parametrize(("arrivals", "order"), ARRIVALS.values(), ids=ARRIVALS.keys())
def test_what_was_said_in_which_order(arrivals: list[tuple[str, Said, float]], order: list[Said]) -> None:
    known: TurnTimes | None = None
    said: list[tuple[datetime, Said]] = []
    for turn_id, what, seconds in arrivals:
        known, at = correct_time(known, turn_id, what, START + timedelta(seconds=seconds))
        said.append((at, what))

    assert [what for _, what in sorted(said, key=lambda one: one[0])] == order
    assert len({at for at, _ in said}) == len(said)
