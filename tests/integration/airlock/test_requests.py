"""The socket: who may use it, what it answers, and that the agent never depends on it."""

import contextlib
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.airlock.running import AIRLOCK, DEADLINE_S, Client, Recorded, Running
from tests.support.terminals import wait_until

MALFORMED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 100_000,
    b"1" * 10_000,
    b"{}",
    b'{"op":"no-such"}',
    b'{"op":["facts"]}',
    b'{"op":"hold"}',
    b'{"op":"hold","seconds":0}',
    b'{"op":"hold","seconds":2.1}',
    b'{"op":"hold","seconds":-1}',
    b'{"op":"hold","seconds":NaN}',
    b'{"op":"hold","seconds":true}',
    b'{"op":"hold","seconds":"1"}',
    b'{"op":"hold","seconds":1,"gap_ms":-1}',
    b'{"op":"hold","seconds":1,"gap_ms":1e9}',
    b'{"op":"hold","seconds":1,"enter_gap_ms":null}',
    b'{"op":"hold","seconds":1,"after_enter_ms":"x"}',
]


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    with Recorded() as running:
        yield running


@pytest.fixture
def client(recorded: Recorded) -> Iterator[Client]:
    with recorded.client() as connected:
        yield connected


def test_only_its_owner_may_use_the_socket(recorded: Recorded) -> None:
    mode = recorded.socket.stat().st_mode

    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


def test_facts_are_complete(recorded: Recorded, client: Client) -> None:
    facts = client.facts()

    ages = facts.pop("last_key_age_s"), facts.pop("last_output_age_s")
    assert ages[0] is None
    assert ages[1] >= 0
    assert facts.pop("agent_pid") > 0
    assert facts == {
        "ok": True,
        "version": 2,
        "airlock_pid": recorded.process.pid,
        "is_running": True,
        "is_stopped": False,
        "last_passed_age_s": None,
        "held_bytes": 0,
        "hold": None,
        "is_undoing": False,
        "undone": None,
        "unread_bytes": 0,
        "output_bytes": 5,
        "bracketed_paste": False,
        "is_line_mode": False,
        "has_focus": True,
        "columns": 80,
        "rows": 24,
    }


SWITCH_PASTE = """
import os
os.write(1, b"READY")
pieces = {b"1": [b"\\x1b[?20", b"04h"], b"2": [b"\\x1b[?2004h\\x1b[?2004l"], b"3": [b"x" * 70000, b"\\x1b[?2004h"]}
while line := os.read(0, 100):
    for piece in pieces[line[:1]]:
        os.write(1, piece)
"""


def test_bracketed_paste_and_line_mode_are_told() -> None:
    with Recorded(SWITCH_PASTE) as recorded, recorded.client() as client:
        assert client.facts()["is_line_mode"]

        for number, is_on in ((b"1", True), (b"2", False), (b"3", True), (b"2", False)):
            recorded.type(number + b"\n")
            client.wait_facts(bracketed_paste=is_on)


def test_the_focus_that_the_terminal_reports_is_told() -> None:
    with Recorded() as recorded, recorded.client() as client:
        for report, has_focus in ((b"\x1b[O", False), (b"\x1b[I", True)):
            recorded.type(report)
            client.wait_facts(has_focus=has_focus)

        recorded.wait_input(b"\x1b[O\x1b[I")


@pytest.mark.parametrize("line", MALFORMED, ids=lambda line: repr(line[:40]))
def test_a_malformed_request_is_answered_as_such_and_the_next_one_is_served(line: bytes, client: Client) -> None:
    client.send(line + b'\n{"op":"facts"}\n')

    assert client.hear() == {"ok": False, "error": "malformed"}
    assert client.hear()["ok"]


@pytest.mark.parametrize(
    "fields",
    [{}, {"data": 1}, {"data": "no base64!"}, {"data": "eA==", "if_output": "5"}, {"data": "eA==", "if_output": True}],
)
def test_a_malformed_write_writes_nothing(fields: dict[str, object], recorded: Recorded, client: Client) -> None:
    hold = client.hold()

    assert client.call(op="write", hold=hold, **fields) == {"ok": False, "error": "malformed"}

    client.write(hold, b"good")
    recorded.wait_input(b"good")


@pytest.mark.parametrize("hold", [None, "", "0123456789abcdef", 1, ["x"]])
def test_a_write_without_the_hold_is_refused(hold: object, client: Client) -> None:
    assert client.call(op="write", hold=hold, data="eA==") == {"ok": False, "error": "hold-over"}

    client.hold()
    assert client.call(op="write", hold=hold, data="eA==") == {"ok": False, "error": "hold-over"}
    assert client.call(op="release", hold=hold) == {"ok": False, "error": "hold-over"}


def test_replies_come_in_the_order_of_the_requests(client: Client) -> None:
    client.send(b'{"op":"facts"}\n{"op":"hold","seconds":1}\nx\n{"op":"facts"}\n')

    replies = [client.hear() for _ in range(4)]

    assert "columns" in replies[0]
    assert replies[1]["hold"]
    assert replies[2]["error"] == "malformed"
    assert replies[3]["hold"] == replies[1]["hold"]


def test_a_request_in_pieces_is_one_request(client: Client) -> None:
    for byte in b'{"op":"facts"}\n':
        client.send(bytes([byte]))

    assert client.hear()["ok"]


def test_a_request_without_end_closes_the_connection_and_harms_nobody(recorded: Recorded, client: Client) -> None:
    with recorded.client() as endless:
        with contextlib.suppress(ConnectionError):
            endless.send(b"x" * 5_000_000)
        assert endless.is_closed()

    assert client.facts()["ok"]


def test_a_client_that_reads_no_replies_stops_nobody(recorded: Recorded, client: Client) -> None:
    with recorded.client() as deaf:
        deaf.connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(10_000):
                deaf.connection.send(b'{"op":"facts"}\n' * 1000)

        recorded.type(b"typed")
        recorded.wait_input(b"typed")
        assert client.facts()["ok"]


def test_clients_come_and_go(recorded: Recorded) -> None:
    for _ in range(200):
        with recorded.client() as client:
            assert client.facts()["ok"]


def test_more_clients_than_there_is_room_for_are_turned_away(recorded: Recorded, client: Client) -> None:
    crowd = [recorded.client() for _ in range(63)]
    try:
        assert all(one.facts()["ok"] for one in crowd)
        with recorded.client() as late:
            assert late.is_closed()
        assert client.facts()["ok"]
    finally:
        for one in crowd:
            one.close()


def test_a_hold_dies_with_the_agent(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    client.write(hold, b"<quit>")

    assert recorded.wait_end() == 0
    assert client.is_closed()


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))

    with Running([*AIRLOCK, "--socket", str(path), "--", "cat"]):
        wait_until(lambda: is_answering(path), DEADLINE_S, "the new airlock to answer")


def is_answering(path: Path) -> bool:
    try:
        with Client(path) as client:
            return bool(client.facts()["ok"])
    except OSError:
        return False


@pytest.mark.parametrize("path", ["missing/s", "x" * 200, "file", ""])
def test_without_a_usable_socket_the_agent_runs_and_one_line_says_so(path: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    where = str(tmp_path / path) if path else ""

    with Running([*AIRLOCK, "--socket", where, "--", "sh", "-c", "read line; echo got $line; exit 3"]) as running:
        running.wait_seen(b"going on without it\r\n")
        running.type(b"key\r")
        assert running.wait_end() == 3

        assert running.seen.count(b"hark-airlock:") == 1
        assert b"got key" in running.seen
        assert running.is_restored
    assert (tmp_path / "file").read_text() == "precious"
