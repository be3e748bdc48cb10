"""How a draft is cut into pastes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.by_sentinel import LONGEST_PASTE, pieces_of

# the draft, and its pastes
PIECES = (
    ("one line", ["one line"]),
    # newlines by themselves: several in one paste may be shown collapsed
    ("two\n\nlines", ["two", "\n", "\n", "lines"]),
    # but no letter or digit alone
    ("two\n2\n1", ["two", "\n2", "\n1"]),
    ("1\n2", ["1\n2"]),
    ("a" * (LONGEST_PASTE + 1), ["a" * (LONGEST_PASTE + 1)]),
    ("a" * (LONGEST_PASTE + 2), ["a" * LONGEST_PASTE, "aa"]),
)


@pytest.mark.parametrize(("draft", "pieces"), PIECES)
def test_a_draft_is_cut_where_it_can_be_pasted_again(draft: str, pieces: list[str]) -> None:
    assert pieces_of(draft) == pieces


@given(st.text("a1 \n", min_size=2, max_size=300))
def test_nothing_is_lost_and_no_piece_is_a_key(draft: str) -> None:
    pieces = pieces_of(draft)

    assert "".join(pieces) == draft
    assert not any(len(piece) == 1 and piece.isalnum() for piece in pieces)
