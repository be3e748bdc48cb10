"""What is left of a stream without its escape sequences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.signals.escapes import LONGEST_PARAMETERS, LONGEST_STRING, strip


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        (b"\x1b[1;31mred\x1b[0m", b"red"),  # CSI
        (b"\xc2\x9b1;31mred", b"red"),  # its C1 form
        (b"\x1b]0;title\x07text", b"text"),  # OSC, ended by BEL
        (b"\x1b]0;title\x1b\\text", b"text"),  # by ST
        (b"\xc2\x9d0;title\xc2\x9ctext", b"text"),
        (b"\x1bP1$r\x07q\x1b\\text", b"text"),  # DCS: a BEL does not end it
        (b"\x1b_G\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\text", b"text"),  # APC, PM, SOS
        (b"\x1b(B\x1b#8\x1b=\x1b7text", b"text"),  # two and three bytes
        (b"a\x1b[3Cb\x1b[Cc", b"a   b c"),  # forward
        (b"a\x1b[2Bb", b"a\n\nb"),  # down
        (b"a\x1b[5;1Hb\x1b[Ac\x1bMd\x1b[?1049he", b"a\nb\nc\nd\ne"),  # elsewhere
        (b"-\x1b[3bx", b"----x"),  # repeated
        (b"a\x00\x07\x0e\x7fb\tc", b"ab\tc"),
        (b"\x1b[12\x18x", b"x"),  # cancelled
        (b"\x1b[1\x1b[2mx", b"x"),  # an ESC begins anew
        ("Grüße \u00a0漢字".encode(), "Grüße \u00a0漢字".encode()),  # C2 is also the first byte of characters
        (b"\x9b1m", b"\x9b1m"),  # a lone byte above 7F is no control
    ],
)
def test_sequences_leave_what_they_mean(stream: bytes, text: bytes) -> None:
    assert strip(stream) == text


def test_nothing_swallows_a_stream_for_good() -> None:
    assert strip(b"\x1b[" + b"1" * LONGEST_PARAMETERS + b"1text").endswith(b"text")
    assert strip(b"\x1b]" + b"x" * LONGEST_STRING + b"text") == b"text"
    assert strip(b"\x1bP" + b"x" * LONGEST_STRING + b"text") == b"text"


def test_no_number_makes_it_large() -> None:
    assert len(strip(b"x" + b"\x1b[999999999C" * 3 + b"\x1b[999999999b" + b"\x1b[999999999B")) < 20_000


@given(st.binary(max_size=200))
def test_what_is_left_holds_no_control_characters(stream: bytes) -> None:
    left = set(strip(stream)) & {*range(0x20), 0x7F}

    assert left <= {0x09, 0x0A}
