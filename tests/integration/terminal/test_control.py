"""The control-mode parser: bytes in, events out, however they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.terminal.tmux.control import ControlEvent, ControlParser, Exited, Notice, Output, Reply, unescape

TRANSCRIPT = rb"""%begin 1700000000 10 0
%end 1700000000 10 0
%session-changed $1 _hark
%begin 1700000000 11 1
a reply
%end 1700000000 10 1
%begin 1700000000 12 1
%output %1 not an output
%error 1699999999 11 1
%exit

%end
%end 1700000000 11 1
%output %3 a\033[1mb\134\015\012
%extended-output %4 120 : c : \011d
%begin 1700000001 12 1
no such pane
%error 1700000001 12 1
%sessions-changed
junk

%window-renamed @2 a name with blanks
%begin 1700000001 13 0
what a hook did
%end 1700000001 13 0
%begin 1700000001 14 1
%end 1700000001 14 1
%exit server exited
"""

EVENTS: list[ControlEvent] = [
    Reply([], False, False),
    Notice("session-changed", "$1 _hark"),
    Reply(
        [
            b"a reply",
            b"%end 1700000000 10 1",
            b"%begin 1700000000 12 1",
            b"%output %1 not an output",
            b"%error 1699999999 11 1",
            b"%exit",
            b"",
            b"%end",
        ],
        False,
        True,
    ),
    Output("%3", b"a\x1b[1mb\\\r\n"),
    Output("%4", b"c : \td"),
    Reply([b"no such pane"], True, True),
    Notice("sessions-changed", ""),
    Notice("window-renamed", "@2 a name with blanks"),
    Reply([b"what a hook did"], False, False),
    Reply([], False, True),
    Exited("server exited"),
]


def parse(*chunks: bytes) -> list[ControlEvent]:
    parser = ControlParser()
    return [event for chunk in chunks for event in parser.receive(chunk)]


def test_a_transcript_becomes_events() -> None:
    assert parse(TRANSCRIPT) == EVENTS


def test_a_transcript_may_come_byte_by_byte() -> None:
    assert parse(*(bytes([byte]) for byte in TRANSCRIPT)) == EVENTS


@given(st.lists(st.integers(0, len(TRANSCRIPT))))
def test_every_way_of_cutting_a_transcript_gives_the_same_events(cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(TRANSCRIPT)]

    assert parse(*(TRANSCRIPT[start:end] for start, end in pairwise(bounds))) == EVENTS


LINES = st.binary().filter(lambda line: b"\n" not in line) | st.sampled_from(
    [b"%begin 1 2 1", b"%end 1 3 1", b"%error 2 2 1", b"%end 1 2", b"%end 1 2 3 ", b" %end 1 2 1", b"%output %1 x", b""]
)


@given(st.lists(LINES), st.sampled_from([b"%end", b"%error"]), st.sampled_from([0, 1]))
def test_a_block_holds_any_lines_but_its_own_end(lines: list[bytes], end: bytes, flags: int) -> None:
    key = b" 1 2 %d" % flags
    block = b"\n".join([b"%begin" + key, *lines, end + key, b""])

    [reply, notice] = parse(block + b"%after\n")

    assert reply == Reply(lines, end == b"%error", flags == 1)
    assert notice == Notice("after", "")


def escape(data: bytes) -> bytes:
    """As control.c writes %output."""
    return b"".join(b"\\%03o" % byte if byte < 0x20 or byte == 0x5C else bytes([byte]) for byte in data)


BYTES = st.binary() | st.lists(
    st.sampled_from([b"\\", b"\\033", b"0", b"7", b"\xff\xfe", b"\xe6\xbc", b"\n", b"x"])
).map(b"".join)


@given(BYTES)
def test_output_arrives_as_the_pane_printed_it(data: bytes) -> None:
    assert unescape(escape(data)) == data
    assert parse(b"%output %7 " + escape(data) + b"\n") == [Output("%7", data)]
    assert parse(b"%extended-output %7 999 : " + escape(data) + b"\n") == [Output("%7", data)]


ODD = {
    "no arguments": (b"%begin\n", []),
    "output without a pane": (b"%output\n", [Output("", b"")]),
    "output that tmux would not write": (b"%output %1 a\\\n", [Output("%1", b"a\\")]),
    "a name that is not ASCII": (b"%\xff x\xff\n", [Notice("\ufffd", "x\ufffd")]),
    "lines of nothing": (b"\n\n\n", []),
    "what a shell printed": (b"sh: tmux: not found\n", []),
    "an end without a begin": (b"%end 1 2 1\n", [Notice("end", "1 2 1")]),
    "half a line": (b"%sessions-chan", []),
}


@pytest.mark.parametrize(("data", "events"), ODD.values(), ids=ODD.keys())
def test_odd_lines_do_no_harm(data: bytes, events: list[ControlEvent]) -> None:
    assert parse(data) == events


@given(st.lists(st.binary()))
def test_no_bytes_break_the_parser(chunks: list[bytes]) -> None:
    parse(*chunks)


@given(st.lists(st.sampled_from([b"%output", b"%begin", b"%end", b" ", b"1", b"\n", b"%", b"\xff", b" : "])))
def test_no_pieces_of_the_protocol_break_the_parser(pieces: list[bytes]) -> None:
    parse(b"".join(pieces))
