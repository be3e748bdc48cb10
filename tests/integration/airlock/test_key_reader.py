"""Bytes of a terminal become whole keys, however they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.inside.airlock import KeyReader, Token

SEQUENCES = [
    # what a keyboard sends
    (b"a", "key"),
    (b" ", "key"),
    (b"\x00", "key"),
    (b"\x03", "key"),
    (b"\r", "key"),
    (b"\n", "key"),
    (b"\x7f", "key"),
    ("é".encode(), "key"),
    ("世".encode(), "key"),
    ("🙂".encode(), "key"),
    (b"\x1bx", "key"),  # Alt-x
    (b"\x1b\r", "key"),  # Alt-Enter
    (b"\x1b\x7f", "key"),
    ("\x1bé".encode(), "key"),
    (b"\x1b[A", "key"),
    (b"\x1b[1;5D", "key"),
    (b"\x1b[3~", "key"),
    (b"\x1b[Z", "key"),
    (b"\x1b[27;5;13~", "key"),  # xterm's modifyOtherKeys
    (b"\x1b[97;5u", "key"),  # kitty's keyboard protocol
    (b"\x1b[97;1:3u", "key"),
    (b"\x1b[[A", "key"),  # F1 on a Linux console
    (b"\x1bOP", "key"),
    (b"\x1bO5P", "key"),
    (b"\x1b[200~two\rlines \x1b[A\x1b[201~", "key"),  # one paste, with an arrow in it
    (b"\x1b[200~\x1b[201~", "key"),
    # the mouse
    (b"\x1b[M !!", "mouse"),
    (b"\x1b[M \xff\xfe", "mouse"),
    (b"\x1b[<0;10;20M", "mouse"),
    (b"\x1b[<0;10;20m", "mouse"),
    (b"\x1b[32;10;20M", "mouse"),
    # what the terminal answers by itself
    (b"\x1b[?62;22c", "reply"),
    (b"\x1b[>41;330;0c", "reply"),
    (b"\x1b[?2026;2$y", "reply"),
    (b"\x1b[4;1$y", "reply"),
    (b"\x1b[?0u", "reply"),
    (b"\x1b[?12;40R", "reply"),
    (b"\x1b[0n", "reply"),
    (b"\x1b[8;24;80t", "reply"),
    (b"\x1b[I", "reply"),
    (b"\x1b[O", "reply"),
    (b"\x1b]11;rgb:0000/0000/0000\x07", "reply"),
    (b"\x1b]11;rgb:0000/0000/0000\x1b\\", "reply"),
    (b"\x1bP>|tmux 3.3a\x1b\\", "reply"),
    (b"\x1b_Gi=31;OK\x1b\\", "reply"),
    # a reply if it was asked for, else Shift-F3
    (b"\x1b[1;2R", "position"),
    # no sequence at all, and still nothing of it may be lost
    (b"\xff", "key"),
    (b"\x80", "key"),
]

any_sequence = st.sampled_from([sequence for sequence, _ in SEQUENCES])
# Weighted towards bytes that mean something, so that beginnings without an end are common.
any_bytes = st.lists(
    st.one_of(st.sampled_from([b"\x1b", b"[", b"]", b"O", b"P", b"M", b"200~", b"201~", b"\\", b"\x07", b";", b"1"]))
    | st.binary(min_size=1, max_size=2)
    | any_sequence
).map(b"".join)


def read(*pieces: bytes, longest: int = 1000) -> list[Token]:
    reader = KeyReader(longest)
    tokens = [token for piece in pieces for token in reader.feed(piece)]
    return tokens + reader.flush()


@pytest.mark.parametrize(("sequence", "kind"), SEQUENCES)
def test_a_sequence_is_one_token_of_its_kind(sequence: bytes, kind: str) -> None:
    tokens = read(b"q" + sequence + b"q")

    assert tokens == [Token(b"q", "key"), Token(sequence, kind), Token(b"q", "key")]


@pytest.mark.parametrize(("sequence", "kind"), SEQUENCES)
def test_a_sequence_is_pending_until_its_last_byte(sequence: bytes, kind: str) -> None:
    reader = KeyReader()

    for length in range(1, len(sequence)):
        assert reader.feed(sequence[length - 1 : length]) == []
        assert reader.pending == sequence[:length]
        assert reader.patience_s

    assert reader.feed(sequence[-1:]) == [Token(sequence, kind)]
    assert reader.patience_s is None


@given(st.lists(any_sequence))
def test_sequences_come_out_one_by_one(sequences: list[bytes]) -> None:
    reader = KeyReader()

    assert [token.data for token in reader.feed(b"".join(sequences))] == sequences
    assert reader.pending == b""


@given(st.data(), any_bytes, st.integers(8, 100))
def test_every_cut_gives_the_same_tokens(data: st.DataObject, stream: bytes, longest: int) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)))))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert read(*pieces, longest=longest) == read(stream, longest=longest)


@given(any_bytes, st.integers(8, 100))
def test_no_byte_is_lost_or_moved(stream: bytes, longest: int) -> None:
    tokens = read(stream, longest=longest)

    assert b"".join(token.data for token in tokens) == stream
    assert all(token.data for token in tokens)


@given(any_bytes, st.sampled_from([b"\x1b[", b"\x1b[1;", b"\x1bO", b"\x1b]", b"\x1b[200~"]))
def test_what_is_pending_stays_short(stream: bytes, begin: bytes) -> None:
    reader = KeyReader(longest=100)
    reader.feed(stream + begin + b"1" * 1000)

    assert len(reader.pending) <= 100


@pytest.mark.parametrize(
    ("typed", "patience_s"),
    [
        (b"\x1b", 0.05),  # the Escape key
        (b"\x1b]", 0.05),  # Alt-], or the begin of a string
        (b"\x1bP", 0.05),
        (b"\x1b[", 1.0),
        (b"\x1b]11;", 1.0),
        (b"\xe4\xb8", 1.0),
        (b"\x1b[200~", 5.0),
    ],
)
def test_silence_makes_whole_what_was_begun(typed: bytes, patience_s: float) -> None:
    reader = KeyReader()

    assert reader.feed(typed) == []
    assert reader.patience_s == patience_s
    assert reader.flush() == [Token(typed, "key")]
    assert reader.feed(b"x") == [Token(b"x", "key")]


def test_two_escapes_are_two_keys() -> None:
    assert read(b"\x1b\x1b") == [Token(b"\x1b", "key"), Token(b"\x1b", "key")]


def test_a_humans_alt_bracket_does_not_swallow_the_line_after_it() -> None:
    tokens = read(b"\x1b]ls\rpwd\r")

    assert [token.data for token in tokens] == [b"\x1b]ls\r", b"p", b"w", b"d", b"\r"]
    assert tokens[0].kind == "key"


def test_a_paste_without_end_comes_out_in_pieces() -> None:
    reader = KeyReader(longest=100)

    tokens = reader.feed(b"\x1b[200~" + b"x" * 1000)

    assert tokens
    assert {token.kind for token in tokens} == {"key"}
    assert reader.feed(b"\x1b[201~a")[-1] == Token(b"a", "key")
