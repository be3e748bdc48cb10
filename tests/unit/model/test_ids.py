import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.ids import SessionId, check_name, find_group, find_session

NAMED = [
    (SessionId("1a2b3c4d"), "api"),
    (SessionId("1a99ffff"), "api-tests"),
    (SessionId("77aa0000"), "docs"),
    (SessionId("d0000000"), "77aa"),
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("docs", "77aa0000"),  # a whole name
        ("1a99ffff", "1a99ffff"),  # a whole id
        ("api", "1a2b3c4d"),  # a whole name wins, although it begins another
        ("77aa", "d0000000"),  # a whole name wins, although it begins an id
        ("api-", "1a99ffff"),  # enough of a name
        ("1a2b", "1a2b3c4d"),  # enough of an id
        ("d", "77aa0000"),  # one letter is enough of a name, and never of an id
        ("77aa0", "77aa0000"),
    ],
)
def test_a_session_is_found_by_name_id_or_enough_of_either(wanted: str, found: str) -> None:
    assert find_session(wanted, NAMED) == found


@pytest.mark.parametrize(
    ("wanted", "code", "said"),
    [
        ("ap", "session-ambiguous", "api (1a2b3c4d), api-tests (1a99ffff)"),
        ("1a2", "session-not-found", "'1a2'"),  # three digits of an id are too few
        ("nothing", "session-not-found", "'nothing'"),
        ("", "session-not-found", "''"),  # begins everything, and means nothing
        ("API", "session-not-found", "'API'"),  # case matters
    ],
)
def test_what_fits_none_or_several_is_refused(wanted: str, code: str, said: str) -> None:
    with pytest.raises(HarkError) as caught:
        find_session(wanted, NAMED)

    assert caught.value.code == code
    assert said in caught.value.detail
    assert caught.value.hint


def test_four_digits_that_fit_a_name_and_an_id_are_ambiguous() -> None:
    named = [(SessionId("beef0000"), "api"), (SessionId("12345678"), "beefsteak")]

    with pytest.raises(HarkError, match=r"api \(beef0000\), beefsteak \(12345678\)"):
        find_session("beef", named)


@given(name=st.text("0123456789abcdef", min_size=1, max_size=7), rest=st.text("0123456789abcdef", min_size=8))
def test_a_name_that_was_used_is_never_taken_for_the_beginning_of_an_id(name: str, rest: str) -> None:
    named = [(SessionId((name + rest)[:8]), "other")]

    for find in (lambda: find_session(name, named, {name}), lambda: find_group(name, named, None, {name})):
        with pytest.raises(HarkError, match="no session"):
            find()


def test_a_name_with_a_slip_is_answered_with_near_ones() -> None:
    with pytest.raises(HarkError) as caught:
        find_session("dcos", NAMED)

    assert "docs" in caught.value.hint


@pytest.mark.parametrize("name", ["a", "_", "7", "Feature/login.v2@host+x-y", "n" * 64])
def test_a_name_may_hold_letters_digits_and_some_marks(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "n" * 65,
        "-option",  # would read as a flag
        ".hidden",
        "two words",
        "line\n",
        "semi;colon",
        "käse",
        "gone~1a2b3c4d",  # the store's own mark for a name that was yielded
    ],
)
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(HarkError) as caught:
        check_name(name)

    assert caught.value.code == "name-invalid"


CREW = [(SessionId("1"), "crew/a"), (SessionId("2"), "crew/b"), (SessionId("3"), "boss")]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("boss", ["3"]),
        ("crew/b,crew/a", ["2", "1"]),
        ("crew/*", ["1", "2"]),
        ("*", ["1", "2"]),  # not the sender
        ("boss,*", ["3", "1", "2"]),  # unless it is named
        ("crew/a,crew/*,crew/[ab]", ["1", "2"]),  # each once
        (" boss , crew/? ", ["3", "1", "2"]),
    ],
)
def test_a_group_is_all_that_are_meant_each_once(wanted: str, found: list[str]) -> None:
    assert find_group(wanted, CREW, SessionId("3")) == found


@pytest.mark.parametrize("wanted", ["nobody", "team/*", "boss,team/*", ",", ""])
def test_a_group_of_nobody_is_refused(wanted: str) -> None:
    with pytest.raises(HarkError, match="no session"):
        find_group(wanted, CREW)
