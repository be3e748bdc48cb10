"""Which held keys were meant for a dialog that somebody else has answered meanwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.inside.airlock import CHOOSING_KEYS, MOVING_KEYS, count_answers

ENTER, ESCAPE, DOWN = b"\r", b"\x1b", b"\x1b[B"

# The held keys, and how many of them are dropped.
TABLE: list[tuple[list[bytes], int]] = [
    ([], 0),
    ([ENTER], 1),
    ([ESCAPE], 1),
    ([b"1"], 1),
    ([b"y"], 1),
    # The human moves to another answer and takes it.
    ([DOWN, DOWN, ENTER], 3),
    # An impatient human presses Enter again.
    ([ENTER, ENTER, ENTER], 3),
    # The Enter was meant for the dialog, and what follows for the box that appeared.
    ([ENTER, *(b"%c" % byte for byte in b"hello")], 1),
    # A text that begins like an answer is a text.
    ([b"%c" % byte for byte in b"yes please"], 0),
    ([b"%c" % byte for byte in b"12 angry men"], 0),
    # A text and its own Enter.
    ([*(b"%c" % byte for byte in b"go on"), ENTER], 0),
    # A paste is never an answer.
    ([b"\x1b[200~1\x1b[201~"], 0),
    # Ctrl-C means what it says.
    ([b"\x03"], 0),
    ([ENTER, b"\x03"], 1),
    (["é".encode()], 0),
    ([b"\x1b[13;5u"], 1),
]


@pytest.mark.parametrize(("keys", "dropped"), TABLE)
def test_keys_for_a_dialog_are_dropped_and_a_text_is_kept(keys: list[bytes], dropped: int) -> None:
    assert count_answers(keys) == dropped


ANSWERS = st.sampled_from([ENTER, *MOVING_KEYS, *(bytes([byte]) for byte in sorted(CHOOSING_KEYS))])
OTHERS = st.sampled_from([b"x", b"0", b"-", b"\x03", "é".encode(), b"\x1b[200~1\x1b[201~", b"\x1b[C"])


@given(st.lists(ANSWERS))
def test_what_is_nothing_but_answers_is_dropped(keys: list[bytes]) -> None:
    assert count_answers(keys) == len(keys)


@given(st.lists(ANSWERS), OTHERS, st.lists(ANSWERS | OTHERS))
def test_no_other_key_is_dropped_nor_what_follows_it(before: list[bytes], other: bytes, after: list[bytes]) -> None:
    dropped = count_answers([*before, other, *after])

    assert dropped <= len(before)
    assert all(key in (ENTER, *MOVING_KEYS) for key in before[:dropped])
