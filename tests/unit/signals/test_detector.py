"""The stream reader finds what the reference finds, whatever pieces the stream comes in."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hark.model.signal import SignalState
from hark.signals.detector import LONGEST_FENCE, SignalDetector
from hark.signals.escapes import strip
from hark.signals.marker import Found, Marker, NearMiss
from tests.unit.signals.fuzz import compare
from tests.unit.signals.reference import Reference
from tests.unit.signals.streams import MARKERS, PIECES, STILL, cut, random_stream

DONE = Marker(SignalState.COMPLETED, "All tests pass")
FUZZED_BYTES, COMPARED_BYTES = 10_000_000, 2_000_000
streams = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=20)), max_size=30).map(b"".join)


def signals_of(*chunks: bytes) -> list[Found]:
    detector = SignalDetector()
    return [found for chunk in chunks for found in detector.feed(chunk)] + detector.flush()


@pytest.mark.parametrize("has_mentions", [True, False])
@given(stream=streams, dice=st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_every_chunking_finds_what_the_reference_finds_at_every_chunk(
    has_mentions: bool, stream: bytes, dice: random.Random
) -> None:
    detector, reference = SignalDetector(has_mentions=has_mentions), Reference(has_mentions=has_mentions)

    for chunk in cut(dice, stream):
        assert detector.feed(chunk) == reference.feed(chunk)


@given(streams)
@settings(max_examples=100, deadline=None)
def test_byte_by_byte_finds_the_same_as_all_at_once(stream: bytes) -> None:
    assert signals_of(*(bytes([byte]) for byte in stream)) == signals_of(stream)


def test_fuzzed_streams_find_what_the_reference_finds_at_every_chunk() -> None:
    fuzz = compare(random.Random(20261115), COMPARED_BYTES)

    assert fuzz.markers > 500
    assert fuzz.skipped > COMPARED_BYTES // 5
    assert fuzz.read > COMPARED_BYTES // 5


def test_ten_million_fuzzed_bytes_crash_nothing_and_fill_no_memory() -> None:
    dice, detector, fuzzed = random.Random(7), SignalDetector(), 0

    while fuzzed < FUZZED_BYTES:
        stream = random_stream(dice, 400)
        detector.feed(stream)
        fuzzed += len(stream)
        assert len(detector._tail) + len(detector._line) < 40_000


@pytest.mark.parametrize("still", STILL, ids=repr)
def test_a_marker_with_a_sequence_in_any_place_is_found(still: bytes) -> None:
    marker = MARKERS[0]

    for place in range(len(marker) + 1):
        stream = marker[:place] + still + marker[place:] + b"\n"

        assert signals_of(stream) == [DONE], stream


@pytest.mark.parametrize("place", range(1, len(MARKERS[0])))
def test_a_marker_that_comes_in_two_pieces_is_found(place: int) -> None:
    assert signals_of(b"prose\n" + MARKERS[0][:place], MARKERS[0][place:] + b"\n") == [DONE]


def test_a_marker_that_is_the_last_thing_printed_is_found_by_a_flush_and_only_once() -> None:
    detector = SignalDetector()

    assert detector.feed(b"--<[schmux:completed:All tests") == []
    assert detector.flush() == []
    assert detector.feed(b" pass]>--") == []
    assert detector.flush() == [DONE]
    assert detector.flush() == []
    assert detector.feed(b"\r\nmore\r\n") == []


@pytest.mark.parametrize(
    "stream",
    [
        b"the marker --<[hark:completed:x]>-- in a sentence",
        b"> --<[hark:completed:x]>--",  # a quote
        "❯ --<[hark:completed:x]>--".encode(),  # a human's draft
        b"- --<[hark:completed:x]>--",  # an item of a list
        b"--<[hark:completed:x]>-- and more",
        b"--<[hark:finished:x]>--",  # no such state
        b"--<[hark:completed:x",
        b"```\n--<[hark:completed:x]>--\n```",  # a code block
        b"--<[hark:completed:x]>-- --<[hark:completed:y]>--",
        b"x" * 5000 + b"--<[hark:completed:x]>--",  # its front is cut off, and there is more before the marker
    ],
)
def test_what_does_not_stand_alone_is_a_near_miss_or_nothing(stream: bytes) -> None:
    found = signals_of(stream + b"\n")

    assert not [one for one in found if isinstance(one, Marker)]


def test_a_near_miss_shows_the_cleaned_line_and_says_why() -> None:
    [found] = signals_of(b"\x1b[1mDone\x1b[0m: \x1b[32m--<[schmux:completed:Taskdone]>--\x1b[0m\n")

    assert found == NearMiss(
        "Done: --<[schmux:completed:Taskdone]>--", "it does not stand alone on its line, or is not whole"
    )


@pytest.mark.parametrize("size", [4000, 4096, 5000, 20_000, 100_000])
def test_the_front_of_a_long_line_is_cut_off_and_its_end_counts(size: int) -> None:
    stream = b"words" + b" " * size + MARKERS[0] + b"\n"

    assert signals_of(stream) == ([DONE] if size >= 4096 else signals_of(stream))
    assert signals_of(*(stream[at : at + 999] for at in range(0, len(stream), 999))) == signals_of(stream)


def test_a_marker_that_is_cut_off_itself_is_no_signal() -> None:
    [found] = signals_of(b"--<[hark:completed:" + b"x" * 5000 + b" hark]>--\n")

    assert isinstance(found, NearMiss)


def test_a_line_with_a_namespace_is_a_near_miss_however_it_is_chunked() -> None:
    stream = b"some words\n\x1b[1mschmux\x1b[0m completed it\nmore words\n"
    expected = [NearMiss("schmux completed it", "a namespace is mentioned", is_mention=True)]

    for place in range(len(stream)):
        assert signals_of(stream[:place], stream[place:]) == expected


def test_lines_that_a_row_move_has_separated_are_not_joined() -> None:
    assert signals_of(b"a spinner\x1b[3;1H--<[schmux:completed:All tests pass]>--\x1b[4;1Hmore\n") == [DONE]


def test_a_move_forward_is_a_blank() -> None:
    assert signals_of(b"--<[schmux:completed:All\x1b[Ctests\x1b[1Cpass]>--\n") == [DONE]


def test_text_behind_a_sequence_that_nobody_ended_is_found_again() -> None:
    unended = b"\x1b]0;a title without an end" + b"." * 5000

    assert signals_of(unended + b"\n--<[schmux:completed:All tests pass]>--\n") == [DONE]
    assert signals_of(b"\x1b]0;no end\x1b[m\n--<[schmux:completed:All tests pass]>--\n") == [DONE]


def test_a_code_block_that_nobody_closes_hides_signals_only_for_a_while() -> None:
    begun, lines = b"```\n", b"some words\n" * (LONGEST_FENCE // 11 + 2)

    assert signals_of(begun + MARKERS[0] + b"\n" + lines + MARKERS[0] + b"\n")[-1] == DONE


def test_after_a_gap_nothing_of_before_is_joined_with_what_comes() -> None:
    detector = SignalDetector()
    detector.feed(b"half a line --<[hark")

    detector.reset()

    assert detector.feed(b"--<[schmux:completed:All tests pass]>--\n") == [DONE]


def test_other_namespaces_are_no_signals_unless_they_are_wanted() -> None:
    stream = b"--<[other:completed:All tests pass]>--\n"

    assert signals_of(stream) == []
    assert SignalDetector(("other",)).feed(stream) == [DONE]


def test_stripping_keeps_the_text_and_the_lines() -> None:
    stream = b"\x1b[1mbold\x1b[0m\x1b[2Cword\x1b[2Bdown\x1b]0;title\x07\x1bP1q\x1b\\\x1b_x\x1b\\.\x9b"

    assert strip(stream) == b"bold  word\n\ndown.\x9b"
