"""The report that a hook sends over its connection: whole, in pieces, and everything that is no report."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from hark.daemon.doors.hook_connection import LONGEST_HEAD, NO_REPORT, HookConnection

WORDS = ["claude", "Stop", "1700000000.5", "s1", "/tmp/tmux", "%1"]


def report(payload: bytes = b'{"a": 1}', words: list[str] | None = None) -> bytes:
    head = "\0".join(WORDS if words is None else words).encode()
    return b"hark-hook 1 %d %d\n" % (len(head), len(payload)) + head + payload


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, HookConnection]]:
    hook, ours = socket.socketpair()
    ours.setblocking(False)
    connection = HookConnection(ours)
    yield hook, connection
    hook.close()
    connection.close()


Ends = tuple[socket.socket, HookConnection]


def test_a_whole_report_is_read_at_once(ends: Ends) -> None:
    hook, connection = ends
    hook.sendall(report())

    assert connection.read()
    assert connection.words() == WORDS
    assert connection.payload() == {"a": 1}


def test_a_report_in_pieces_is_whole_with_its_last_byte(ends: Ends) -> None:
    hook, connection = ends
    whole = report()

    for byte in whole[:-1]:
        hook.sendall(bytes([byte]))
        assert not connection.read()
    hook.sendall(whole[-1:])

    assert connection.read()
    assert connection.payload() == {"a": 1}


def test_a_report_without_a_payload_has_an_empty_one(ends: Ends) -> None:
    hook, connection = ends
    hook.sendall(report(b""))

    assert connection.read()
    assert connection.payload() == {}


NO_REPORTS = {
    "nothing": b"",
    "half of a report": report()[:-1],
    "another protocol": b"GET / HTTP/1.1\r\nHost: hark\r\n\r\n",
    "another version": report().replace(b"hark-hook 1", b"hark-hook 2"),
    "a first line without an end": b"x" * 1000,
    "a length that is no number": b"hark-hook 1 many 2\n",
    "a negative length": b"hark-hook 1 -1 2\n",
    "a head that is too long": b"hark-hook 1 %d 2\n" % (LONGEST_HEAD + 1),
    "too few words": report(words=WORDS[:-1]),
    "a payload that is no object": report(b"[1]"),
    "a payload that is no JSON": report(b"{{{"),
    "a payload that is nested too deeply": report(b"[" * 100_000),
}


@pytest.mark.parametrize("sent", NO_REPORTS.values(), ids=NO_REPORTS.keys())
def test_what_is_no_report_is_refused(ends: Ends, sent: bytes) -> None:
    hook, connection = ends
    hook.sendall(sent)
    hook.shutdown(socket.SHUT_WR)

    def take() -> None:
        connection.read()
        connection.words()
        connection.payload()

    with pytest.raises(NO_REPORT):
        take()


def test_the_caller_and_its_ancestors_are_known_while_it_is_connected(ends: Ends) -> None:
    hook, connection = ends

    assert connection.ancestors()[0].pid == os.getpid()
    hook.close()
    assert connection.ancestors() == []


def test_an_answer_to_a_hook_that_has_gone_is_no_error(ends: Ends) -> None:
    hook, connection = ends
    hook.close()

    connection.answer(b"0\n")


async def test_a_text_to_print_comes_with_its_length_and_the_hooks_end_is_told(ends: Ends) -> None:
    hook, connection = ends

    await connection.give(b"hello")
    received = hook.recv(100)
    hook.close()

    assert received == b"5\nhello"
    assert await connection.next_byte() == b""
