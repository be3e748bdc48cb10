"""The person's own edits, by a table, by a second model, and by what the composer must never do."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.campaigns.storm.person import (
    LETTERS,
    Act,
    Composer,
    Draft,
    Key,
    Paste,
    Pause,
    Prompt,
    Recall,
    Recalled,
    Type,
    draft_of,
    prompt_of,
    tag,
)


def typed(text: str) -> list[Act]:
    return [Type(character) for character in text]


# what is done, and the draft it makes, with a bar for the cursor
DRAFTS: tuple[tuple[list[Act], str], ...] = (
    (typed("one"), "one|"),
    ([*typed("one"), Key("Left"), *typed("x")], "onx|e"),
    ([*typed("one"), Key("Left"), Key("Left"), Key("Right"), Key("Backspace")], "o|e"),
    # a newline where the cursor is
    ([*typed("ab"), Key("Left"), Key("C-j")], "a\n|b"),
    # back over a newline, and the lines are joined
    ([*typed("a"), Key("C-j"), *typed("b"), Key("Left"), Key("Backspace")], "a|b"),
    # the word before the cursor, and not the blank before it
    ([*typed("one two"), Key("C-w")], "one |"),
    ([*typed("one two"), Key("Left"), Key("C-w")], "one |o"),
    ([*typed("one"), Key("C-j"), *typed("two"), Key("C-w")], "one\n|"),
    # a paste is text, where the cursor is
    ([*typed("ad"), Key("Left"), Paste("b\nc")], "ab\nc|d"),
    ([*typed("a"), Pause(1.0), *typed("b")], "ab|"),
    # beside a recalled text: the person's own words
    ([Recall(), *typed(" again")], " again|"),
)


@pytest.mark.parametrize(("acts", "expected"), DRAFTS, ids=[expected for _, expected in DRAFTS])
def test_what_the_edits_make(acts: list[Act], expected: str) -> None:
    draft = draft_of(acts)

    assert draft.text[: draft.cursor] + "|" + draft.text[draft.cursor :] == expected


# what is in the box, and the key that this person would not press there
REFUSED: tuple[tuple[list[Act], str], ...] = (
    # in an empty box these are commands of some agents
    ([], "Left"),
    ([], "Backspace"),
    ([], "Right"),
    ([], "C-w"),
    # beyond the own text
    ([*typed("a"), Key("Left")], "Left"),
    (typed("a"), "Right"),
    ([Recall()], "Left"),
    ([Recall()], "Backspace"),
    # into a paste of which the agent may show a stand-in
    ([Paste("a\nb\nc")], "Left"),
    ([Paste("a\nb\nc")], "C-w"),
    # where agents do not agree on what a word is
    (typed("one "), "C-w"),
    (typed("世a"), "C-w"),
)


@pytest.mark.parametrize(("acts", "key"), REFUSED)
def test_the_person_stays_inside_their_own_text(acts: list[Act], key: str) -> None:
    draft = draft_of(acts)

    assert not draft.may(key)
    with pytest.raises(ValueError, match="would not press"):
        draft.after(Key(key))


@given(before=st.text(LETTERS, max_size=10), after=st.text(LETTERS, max_size=10), inserted=st.text(LETTERS, min_size=1))
def test_an_edit_in_the_middle_changes_nothing_around_it(before: str, after: str, inserted: str) -> None:
    moves: list[Act] = [*typed(before + after), *[Key("Left")] * len(after)]
    erased: list[Act] = [*moves, *typed(inserted), *[Key("Backspace")] * len(inserted)]

    assert draft_of([*moves, *typed(inserted)]).text == before + inserted + after
    assert draft_of(erased) == draft_of(moves)
    assert draft_of([*erased, *[Key("Right")] * len(after)]) == Draft(before + after, len(before + after))


@given(seed=st.integers(), number=st.integers(0, 9999), is_recalled=st.booleans())
def test_what_is_composed_can_be_done_and_is_known_again(seed: int, number: int, is_recalled: bool) -> None:
    acts = Composer(Random(seed)).compose(number, is_recalled)

    prompt = prompt_of(acts)

    assert prompt.text.split()[int(is_recalled)] == tag(number, "q")
    assert (prompt.recalled is not Recalled.NOT) is is_recalled
    assert isinstance(acts[0], Recall if is_recalled else Type)
    assert not any(isinstance(act, Recall) for act in acts[1:])


def test_the_same_dice_make_the_same_prompts() -> None:
    assert Composer(Random(7)).compose(1) == Composer(Random(7)).compose(1)
    assert Composer(Random(7)).compose(1) != Composer(Random(8)).compose(1)


@pytest.mark.parametrize(
    ("acts", "cursor", "expected"),
    [
        (typed(" a "), Recalled.CURSOR_AT_END, Prompt("a")),
        # the blank towards the recalled text is inside of what is submitted
        ([Recall(), *typed(" a ")], Recalled.CURSOR_AT_END, Prompt(" a", Recalled.CURSOR_AT_END)),
        ([Recall(), *typed(" a ")], Recalled.CURSOR_AT_START, Prompt("a ", Recalled.CURSOR_AT_START)),
    ],
)
def test_only_the_blanks_around_a_submitted_text_do_not_count(
    acts: list[Act], cursor: Recalled, expected: Prompt
) -> None:
    assert prompt_of(acts, cursor) == expected
