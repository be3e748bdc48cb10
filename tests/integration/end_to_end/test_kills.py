"""The daemon is killed at a step of a delivery, and another one is started: every message arrives once or says that it cannot
tell, every draft is back, every key that a human pressed is there, and nothing is left behind. `scripts/kills` takes every
step in three ways; here it is a part of them."""

from __future__ import annotations

import pytest

from tests.integration.end_to_end.killing import LONG_DRAFT, MARK, NO_DRAFT, Draft, Point, demo_patient, kill_once

# carrier, adopted, draft, when, each how many steps
CASES = (
    ("none", False, NO_DRAFT, "during", 1),
    ("stash", False, LONG_DRAFT, "during", 1),
    ("editor", False, LONG_DRAFT, "during", 3),
    ("sentinel", False, LONG_DRAFT, "during", 4),
    ("stash", True, LONG_DRAFT, "after", 6),  # tmux tells the time of a key in whole seconds: each takes three
)
FEWEST_STEPS = 6
"""Of any delivery."""
KEYS = "αβγδεζηθικλμνξοπρστυφχψω"
# Before our text is in the box, and with it in the box.
TYPED = (
    ("stash", False, (3, 10)),
    ("editor", False, (6,)),
    ("stash", True, (7,)),
)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("carrier", "is_adopted", "draft", "when", "stride"), CASES)
def test_a_daemon_killed_at_any_step_leaves_draft_message_and_terminal_as_they_should_be(
    carrier: str, is_adopted: bool, draft: Draft, when: str, stride: int
) -> None:
    kills = 0
    with demo_patient(carrier, is_adopted=is_adopted) as patient:
        for verdict in (kill_once(patient, draft, Point(when, number)) for number in range(1, 200, stride)):
            assert verdict.faults == [], verdict
            if verdict.step is None:
                break
            kills += 1
    assert kills >= FEWEST_STEPS // stride


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("carrier", "is_adopted", "numbers"), TYPED)
def test_what_a_human_types_while_the_daemon_dies_and_comes_back_is_not_lost(
    carrier: str, is_adopted: bool, numbers: tuple[int, ...]
) -> None:
    with demo_patient(carrier, is_adopted=is_adopted) as patient:
        for number in numbers:
            before = len(patient.submitted())

            verdict = kill_once(patient, LONG_DRAFT, Point("during", number), typing=KEYS)

            got = patient.submitted()[before:]
            typed = ["".join(key for key in text if key in KEYS) for text in got]
            assert verdict.step is not None
            assert sorted("".join(typed)) == sorted(KEYS), got
            assert typed == ["".join(sorted(keys, key=KEYS.index)) for keys in typed]
            assert sorted(filter(None, map(without_keys, got))) == sorted(
                [LONG_DRAFT.text, *[verdict.message] * verdict.arrivals]
            )
            assert verdict.arrivals == 1 or (verdict.arrivals, verdict.status) == (0, "uncertain")
            assert verdict.leftovers == ()


def without_keys(text: str) -> str:
    return "".join(character for character in text if character not in KEYS + MARK)
