"""The text of a terminal's output, whatever pieces it comes in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.cli.signals.plain_output import Words

STREAMS = {
    "colours go": (b"\x1b[1;31mred\x1b[0m plain", "red plain"),
    "line ends": (b"one\r\ntwo\r\n", "one\ntwo\n"),
    "a clipboard": (b"a\x1b]52;c;AAAA\x07b", "ab"),
    "a title": (b"a\x1b]0;title\x1b\\b", "ab"),
    "one byte forms": ("a\x9b2Jb\x9d0;x\x9cc".encode(), "abc"),
    "a question to the terminal": (b"a\x1b[6n\x1bPx\x1b\\b", "ab"),
    "another row": (b"one\x1b[5;1Htwo", "one\ntwo"),
    "characters": ("漢字 é 🎉".encode(), "漢字 é 🎉"),
    "no characters": (b"a\xffb", "a\ufffdb"),
}


@pytest.mark.parametrize(("stream", "text"), STREAMS.values(), ids=STREAMS.keys())
def test_text_is_left_and_nothing_else(stream: bytes, text: str) -> None:
    assert Words().of(stream) == text


@pytest.mark.parametrize(("stream", "text"), STREAMS.values(), ids=STREAMS.keys())
def test_it_is_the_same_byte_by_byte(stream: bytes, text: str) -> None:
    words = Words()

    assert "".join(words.of(stream[at : at + 1]) for at in range(len(stream))) == text


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"\x1b", b"\x1b]", b"\xc2", b"\x9b", b"\r", b"\x07"])))
def test_no_control_is_ever_left(pieces: list[bytes]) -> None:
    words = Words()

    text = "".join(words.of(piece) for piece in pieces)

    assert not any(ord(character) < 0x20 and character not in "\n\t" for character in text)
    assert not any(0x7F <= ord(character) <= 0x9F for character in text)
