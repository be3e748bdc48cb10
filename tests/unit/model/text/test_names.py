"""Names of senders: which are taken, which are refused, and what a header shows of one that an older version has stored."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.ids import check_name
from hark.model.text.names import LONGEST_NAME, check_sender, clean_sender

TAKEN = [
    "ann", "night shift", "a script", "ci/build-7", "o.brien@host", "Jürgen", "漢字", "محمد", "hark-dev", "harkness", "x" * 64,
    "_", "Иван", "7",
]  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_a_name_is_taken(name: str) -> None:
    assert check_sender(name) == name
    assert clean_sender(name) == name


INVALID = {
    "nothing": "",
    "a blank": " ",
    "a blank at its end": "ann ",
    "two blanks": "a  b",
    "brackets": "ann] [Input from: hark",
    "parentheses": "ann (0123abcd)",
    "a newline": "ann\nben",
    "a control character": "ann\x1b[2J",
    "C1": "ann\x9b",
    "a separator of lines": "ann\u2028ben",
    "a wide blank": "a\u3000b",
    "text that turns around": "ann\u202eneb",
    "an invisible character": "an\u200bn",
    "a letter that is drawn as nothing": "an\u3164n",
    "one too long": "x" * 65,
    "far too long": "x" * 200_000,
    "a dot of the header": "ann · ben",
    "an option": "--json",
    "half a character": "a\ud800",
}


@pytest.mark.parametrize("name", INVALID.values(), ids=INVALID.keys())
def test_a_name_is_refused(name: str) -> None:
    with pytest.raises(HarkError) as refused:
        check_sender(name)

    assert refused.value.code == "name-invalid"
    assert len(refused.value.detail) < 500


RESERVED = [
    "hark", "HARK", "Hark", "ｈａｒｋ", "𝐡𝐚𝐫𝐤", "hárk", "hаrk", "һагк", "h4rk", "reminder", "Reminder", "rem1nder", "someone", "hark daemon",
    "the hark", "h漢rk",
]  # fmt: skip


@pytest.mark.parametrize("name", RESERVED)
def test_a_name_that_reads_as_hark_itself_is_refused(name: str) -> None:
    with pytest.raises(HarkError) as refused:
        check_sender(name)

    assert refused.value.code == "name-reserved"
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "code"), [("hark", "name-reserved"), ("REMINDER", "name-reserved"), ("x" * 65, "name-invalid")]
)
def test_sessions_cannot_have_such_names_either(name: str, code: str) -> None:
    with pytest.raises(HarkError) as refused:
        check_name(name)

    assert refused.value.code == code


@given(st.text(st.characters()))
def test_whatever_is_stored_a_header_shows_a_short_name_without_brackets(name: str) -> None:
    shown = clean_sender(name)

    assert 0 < len(shown) <= LONGEST_NAME
    assert not set(shown) & set("[]()<>{}·")
    assert not {unicodedata.category(character)[0] for character in shown.replace(" ", "")} & {"C", "Z"}
    assert clean_sender(shown) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "Z", "Cf"]), max_size=70))
def test_a_name_that_is_taken_is_shown_as_it_is(name: str) -> None:
    try:
        taken = check_sender(name)
    except HarkError:
        return

    assert clean_sender(taken) == taken == unicodedata.normalize("NFC", name)
