import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.text.duration import LONGEST_S, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("2d", 172800),
        ("250ms", 0.25),
        ("1.5h", 5400),
        ("90", 90),  # plain seconds
        ("0.5", 0.5),
        (" 5M ", 300),  # as people type
        ("366d", LONGEST_S),
    ],
)
def test_a_duration_is_read_as_people_write_it(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", " ", "0", "0s", "-5s", "5 minutes", "m5", "5x", "1h 30m", "nan", "inf", "1e3", "367d", "s"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(HarkError) as caught:
        parse_duration(text)

    assert caught.value.code == "duration-invalid"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "250ms"),
        (1, "1s"),
        (59.6, "1m"),  # rounded before it is cut into units
        (300, "5m"),
        (5400, "1h30m"),
        (187200, "2d4h"),
        (90061, "1d1h"),  # the two largest are enough
    ],
)
def test_a_duration_is_shown_in_its_two_largest_units(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@given(st.integers(1, int(LONGEST_S)))
def test_what_is_shown_can_be_read_again_and_is_less_than_a_small_unit_off(seconds: int) -> None:
    read = parse_duration(format_duration(seconds))

    assert 0 <= seconds - read < max(60, seconds / 24)
