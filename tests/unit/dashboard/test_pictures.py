"""The pure parts of live terminals: the pen, the ring, and where rows go on."""

import pytest

from hark.terminal.viewing.pen import Pen, pen_after, unfinished_character
from hark.terminal.viewing.picture import find_wraps, read_state
from hark.terminal.viewing.ring import Ring


@pytest.mark.parametrize(
    ("printed", "pen"),
    [
        (b"plain", b""),
        (b"\x1b[31mred", b"\x1b[31m"),
        (b"\x1b[31mred\x1b[1m", b"\x1b[31m\x1b[1m"),
        (b"\x1b[31mred\x1b[0m", b""),
        (b"\x1b[31mred\x1b[m", b""),
        (b"\x1b[31mred\x1b[0;4m", b"\x1b[0;4m"),
        (b"\x1b[31m\x1bc", b""),
        # What a program left on the main screen comes back with it.
        (b"\x1b[31m\x1b[?1049h\x1b[32mgreen\x1b[?1049l", b"\x1b[31m"),
        (b"\x1b[31m\x1b[?1049h\x1b[32mgreen", b"\x1b[31m\x1b[32m"),
        # A second switch to the same screen leaves nothing behind.
        (b"\x1b[?1049h\x1b[32m\x1b[?1049h\x1b[?1049l", b""),
    ],
)
def test_the_pen_is_read_from_what_was_printed(printed: bytes, pen: bytes) -> None:
    assert pen_after(Pen(), printed).now == pen


def test_a_pen_that_nobody_resets_does_not_grow_for_ever() -> None:
    assert len(pen_after(Pen(), b"\x1b[31m" * 1000).now) <= 512


@pytest.mark.parametrize(
    ("printed", "left"),
    [
        (b"caf\xc3\xa9", b""),
        (b"caf\xc3", b"\xc3"),
        (b"\xe6\xbc", b"\xe6\xbc"),
        (b"\xf0\x9f\x99", b"\xf0\x9f\x99"),
        (b"\xf0\x9f\x99\x82", b""),
        (b"", b""),
        (b"\x80\x80\x80", b""),
    ],
)
def test_the_beginning_of_a_character_is_found(printed: bytes, left: bytes) -> None:
    assert unfinished_character(printed) == left


def test_a_ring_keeps_the_newest_bytes_by_their_positions() -> None:
    ring = Ring(10)
    for data in (b"abcd", b"efgh", b"ijkl"):
        ring.add(data)

    assert (ring.start, ring.end) == (4, 12)
    assert not ring.has(3)
    assert ring.read(4, 100) == b"efghijkl"
    assert ring.read(6, 3) == b"ghi"
    assert (ring.read(12, 5), ring.has(12), ring.has(13)) == (b"", True, False)


def test_a_row_goes_on_only_if_it_is_full() -> None:
    rows = [b"abcd", b"ef", b"", b"gh", b"ij"]

    assert find_wraps(rows, [b"abcdef", b"", b"ghij"], 4) == [True, False, False, False, False]
    assert find_wraps(["\u6f22\u5b57".encode(), b"x"], ["\u6f22\u5b57x".encode()], 4) == [True, False]


def test_a_paste_is_bracketed_where_tmux_does_not_tell_and_a_title_is_plain() -> None:
    text = "|".join(["1", "0", "80", "24", *["0"] * 19, "", "@1", "a|b\x1b[31m"])

    state = read_state(text)

    assert state["bracket_paste_flag"] == 1
    assert (state.columns, state.rows, state.window_id, state.title) == (80, 24, "@1", "a|b[31m")
