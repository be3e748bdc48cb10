"""The generator of texts: the whole space is in it, and nothing that cannot be sent."""

from __future__ import annotations

import unicodedata
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.wording import check_text, sanitise
from hark.model.text.quoting import quote_headers
from tests.agents.arriving import as_it_arrives
from tests.campaigns.storm import texts


@given(st.integers(0, 2**32))
def test_every_text_can_be_sent_and_fits_into_a_box(seed: int) -> None:
    text = texts.draw(Random(seed))

    assert check_text(text, longest=texts.LONGEST) == text
    assert quote_headers(sanitise(text)) == sanitise(text)


@given(st.integers(0, 2**32))
def test_the_same_dice_give_the_same_text(seed: int) -> None:
    assert texts.draw(Random(seed)) == texts.draw(Random(seed))


@given(st.integers(0, 2**32))
def test_what_arrives_is_what_hark_writes_but_for_the_blank_that_guards_enter(seed: int) -> None:
    text = texts.draw(Random(seed))

    assert as_it_arrives("codex", text).rstrip() == sanitise(text).rstrip()


def test_all_sizes_and_all_kinds_of_characters_are_drawn() -> None:
    drawn = [texts.draw(Random(seed)) for seed in range(400)]
    sizes = [len(text.encode()) for text in drawn]
    categories = {unicodedata.category(character) for text in drawn for character in text[:2000]}

    assert min(sizes) == 1
    assert max(sizes) > 32 * 1024
    assert {"Lu", "Ll", "Lo", "Mn", "Mc", "Nd", "So", "Sk", "Cf", "Po", "Cc"} <= categories


def test_a_person_types_letters_that_stand_alone() -> None:
    for seed in range(300):
        word = texts.draw_word(Random(seed))

        assert unicodedata.normalize("NFC", word) == word
        assert not any(unicodedata.category(letter).startswith("M") for letter in word)
