"""How a draft is cut into pastes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.carriers.undo import LONGEST_PASTE, pieces_of, rest_of

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


# letters, newlines and blanks that are in the box already, and what is missing of "one\n\n two  three"
RESTS = (
    ("", 0, 0, "one\n\n two  three"),
    ("on", 0, 0, "e\n\n two  three"),
    ("one", 0, 0, "\n\n two  three"),
    ("one", 1, 0, "\n two  three"),
    ("one", 2, 0, " two  three"),
    ("one", 2, 1, "two  three"),
    ("onetwo", 0, 1, " three"),
    ("onetwothree", 0, 0, ""),
    # something else
    ("ones", 0, 0, None),
    ("one", 3, 0, None),
    ("onetwothrees", 0, 0, None),
)


@pytest.mark.parametrize(("letters", "newlines", "blanks", "rest"), RESTS)
def test_what_is_missing_of_a_draft_is_told_to_the_blank(
    letters: str, newlines: int, blanks: int, rest: str | None
) -> None:
    assert rest_of("one\n\n two  three", letters, newlines, blanks) == rest


@given(st.text("a1 \n", min_size=2, max_size=300))
def test_nothing_is_lost_and_no_piece_is_a_key(draft: str) -> None:
    pieces = pieces_of(draft)

    assert "".join(pieces) == draft
    assert not any(len(piece) == 1 and piece.isalnum() for piece in pieces)
