"""While a client holds the keys, nothing that a human presses reaches the agent; afterwards everything does, in order."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.integration.airlock.running import DEADLINE_S, Client, Recorded
from tests.support.terminals import wait_until

KEEP_A_HOLD = """
import json, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b'{"op":"hold","seconds":2}\\n')
print(connection.recv(1000).decode(), end="", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    with Recorded() as running:
        yield running


@pytest.fixture
def client(recorded: Recorded) -> Iterator[Client]:
    with recorded.client() as connected:
        yield connected


def type_and_wait_held(recorded: Recorded, client: Client, data: bytes) -> None:
    before = client.facts()["held_bytes"]
    recorded.type(data)
    client.wait_facts(held_bytes=before + len(data))


def test_keys_of_a_hold_arrive_after_it_in_order_and_one_by_one(recorded: Recorded, client: Client) -> None:
    recorded.type(b"before")
    recorded.wait_input(b"before")

    hold = client.hold()
    client.write(hold, b"<1>")
    type_and_wait_held(recorded, client, "aé\x1b[A\r".encode())
    client.write(hold, b"<2>")
    recorded.wait_input(b"before<1><2>")
    reply = client.release(hold)

    assert reply == {"ok": True, "replayed": 7}
    recorded.wait_input("before<1><2>aé\x1b[A\r".encode())
    assert recorded.reads[-4:] == [b"a", "é".encode(), b"\x1b[A", b"\r"]


def test_facts_tell_of_the_hold_and_of_what_is_kept(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    type_and_wait_held(recorded, client, b"abc")

    assert client.facts()["hold"] == hold
    assert client.release(hold)["ok"]

    assert client.facts()["hold"] is None
    client.wait_facts(held_bytes=0)
    recorded.wait_input(b"abc")


def test_keys_typed_during_the_replay_queue_behind_it(recorded: Recorded, client: Client) -> None:
    hold = client.hold(gap_ms=30)
    type_and_wait_held(recorded, client, b"0123456789")
    client.release(hold)

    wait_until(lambda: recorded.input, DEADLINE_S, "the replay to begin")
    assert client.facts()["held_bytes"] > 0
    recorded.type(b"later")

    recorded.wait_input(b"0123456789later")


def test_a_hold_is_refused_until_the_replay_of_the_last_is_done(recorded: Recorded, client: Client) -> None:
    hold = client.hold(gap_ms=50)
    type_and_wait_held(recorded, client, b"0123456789")
    assert client.call(op="hold", seconds=1)["error"] == "held"
    client.release(hold)
    assert client.call(op="hold", seconds=1)["error"] == "held"

    recorded.wait_input(b"0123456789")

    client.wait_facts(held_bytes=0)
    assert client.hold()


def test_what_was_typed_behind_an_enter_keeps_away_from_it(recorded: Recorded, client: Client) -> None:
    """An agent that reads its box a moment after the Enter would submit it too."""
    hold = client.hold(gap_ms=0, enter_gap_ms=0, after_enter_ms=300)
    type_and_wait_held(recorded, client, b"ab\rcd")
    client.release(hold)

    recorded.wait_input(b"ab\r")
    assert client.facts()["held_bytes"] == 2
    recorded.wait_input(b"ab\rcd")


def test_a_paste_of_the_human_is_replayed_in_one_piece(recorded: Recorded, client: Client) -> None:
    paste = b"\x1b[200~" + b"pasted " * 100 + b"\x1b[201~"
    hold = client.hold()
    type_and_wait_held(recorded, client, b"a" + paste + b"b")
    client.release(hold)

    recorded.wait_input(b"a" + paste + b"b")
    assert recorded.reads == [b"a", paste, b"b"]


def test_a_burst_without_brackets_stays_a_burst(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    type_and_wait_held(recorded, client, b"burst " * 100)
    client.release(hold)

    recorded.wait_input(b"burst " * 100)
    assert len(recorded.reads) < 10


def test_a_hold_ends_at_its_deadline(recorded: Recorded, client: Client) -> None:
    hold = client.hold(seconds=0.2)
    recorded.type(b"abc")

    recorded.wait_input(b"abc")
    assert client.write(hold, b"late") == {"ok": False, "error": "hold-over"}
    assert client.release(hold) == {"ok": False, "error": "hold-over"}
    recorded.type(b"d")
    recorded.wait_input(b"abcd")


def test_a_hold_ends_when_its_client_leaves(recorded: Recorded, client: Client) -> None:
    with recorded.client() as leaving:
        leaving.hold()
        type_and_wait_held(recorded, client, b"abc")
        assert recorded.input == b""

    recorded.wait_input(b"abc")
    assert client.facts()["hold"] is None


def test_a_hold_ends_when_its_client_is_killed(recorded: Recorded, client: Client) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", KEEP_A_HOLD, str(recorded.socket)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        try:
            assert holder.stdout
            assert '"ok": true' in holder.stdout.readline()
            type_and_wait_held(recorded, client, b"abc")
        finally:
            holder.kill()

    recorded.wait_input(b"abc")
    assert client.facts()["hold"] is None


def test_another_clients_leaving_ends_no_hold(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    with recorded.client() as other:
        assert other.call(op="hold", seconds=1)["error"] == "held"
        assert other.facts()["hold"] == hold

    assert client.facts()["hold"] == hold


def test_a_write_is_refused_when_the_agent_has_printed_meanwhile(recorded: Recorded, client: Client) -> None:
    printed = client.facts()["output_bytes"]
    hold = client.hold()

    refused = client.write(hold, b"no", if_output=printed - 1)
    accepted = client.write(hold, b"yes", if_output=printed)

    assert refused == {"ok": False, "error": "output-moved", "output_bytes": printed}
    assert accepted == {"ok": True, "output_bytes": printed}
    recorded.wait_input(b"yes")


REPLIES = [
    b"\x1b[?62;22c",
    b"\x1b[>41;330;0c",
    b"\x1b[?2026;2$y",
    b"\x1b[?0u",
    b"\x1b[I",
    b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1bP>|tmux 3.3a\x1b\\",
]


def test_what_the_terminal_answers_passes_through_a_hold(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    recorded.type(b"a" + b"b".join(REPLIES) + b"c")

    recorded.wait_input(b"".join(REPLIES))
    assert client.facts()["held_bytes"] == len(REPLIES) + 1

    client.release(hold)
    recorded.wait_input(b"".join(REPLIES) + b"a" + b"b" * (len(REPLIES) - 1) + b"c")


def test_answers_and_the_mouse_are_no_keys_of_the_human(recorded: Recorded, client: Client) -> None:
    recorded.type(b"".join(REPLIES) + b"\x1b[<0;1;1M")
    recorded.wait_input(b"".join(REPLIES) + b"\x1b[<0;1;1M")
    assert client.facts()["last_key_age_s"] is None

    recorded.type(b"k")
    wait_until(lambda: client.facts()["last_key_age_s"] is not None, DEADLINE_S, "the key to be noticed")


def test_the_mouse_keeps_its_place_among_held_keys(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    type_and_wait_held(recorded, client, b"a\x1b[<0;1;1Mb")
    assert recorded.input == b""

    client.release(hold)
    recorded.wait_input(b"a\x1b[<0;1;1Mb")


ASK_POSITION = """
import os, sys, tty
tty.setraw(0)
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(1, b"\\x1b[6")
os.write(1, b"nREADY")
while data := os.read(0, 65536):
    os.write(record, data.hex().encode() + b"\\n")
"""


def test_a_cursor_report_passes_only_if_the_agent_has_asked() -> None:
    with Recorded(agent=ASK_POSITION) as recorded, recorded.client() as client:
        hold = client.hold()
        recorded.type(b"\x1b[1;2R")
        recorded.wait_input(b"\x1b[1;2R")

        type_and_wait_held(recorded, client, b"\x1b[1;2R")  # this one is Shift-F3
        client.write(hold, b"<>")
        client.release(hold)

        recorded.wait_input(b"\x1b[1;2R<>\x1b[1;2R")


@pytest.mark.parametrize(
    ("begin", "rest"),
    [(b"\x1b[1;", b"5D"), (b"\xe4\xb8", b"\x96"), (b"\x1b[200~some", b" text\x1b[201~"), (b"\x1b[", b"A")],
)
def test_a_hold_waits_for_the_humans_key_to_be_whole(
    begin: bytes, rest: bytes, recorded: Recorded, client: Client
) -> None:
    recorded.type(begin)
    recorded.wait_input(begin)

    client.ask(op="hold", seconds=2)
    client.ask(op="facts")
    recorded.type(rest)
    reply = client.hear()
    # On a busy machine the rest can come too late; then the refusal must say so.
    if reply.get("error") == "typing":
        pytest.skip("the machine was too slow to press the rest of the key in time")
    client.hear()
    client.write(reply["hold"], b"<>")

    recorded.wait_input(begin + rest + b"<>")


@pytest.mark.parametrize("begin", [b"\x1b[1;", b"\xe4\xb8", b"\x1b[200~some"])
def test_a_hold_is_refused_when_the_key_stays_incomplete(begin: bytes, recorded: Recorded, client: Client) -> None:
    recorded.type(begin)
    recorded.wait_input(begin)

    assert client.call(op="hold", seconds=2) == {"ok": False, "error": "typing"}


def test_the_escape_key_alone_does_not_keep_a_hold_away(recorded: Recorded, client: Client) -> None:
    recorded.type(b"\x1b")
    recorded.wait_input(b"\x1b")

    hold = client.hold()
    client.write(hold, b"<>")

    recorded.wait_input(b"\x1b<>")


def test_a_key_that_a_hold_cuts_off_is_completed_after_it(recorded: Recorded, client: Client) -> None:
    hold = client.hold()
    type_and_wait_held(recorded, client, b"a\x1b[200~half")
    client.write(hold, b"<>")
    client.release(hold)
    recorded.type(b" and half\x1b[201~b")

    recorded.wait_input(b"<>a\x1b[200~half and half\x1b[201~b")


def test_a_write_larger_than_the_terminal_takes_at_once_is_complete(recorded: Recorded, client: Client) -> None:
    data = bytes(range(256)) * 2000
    hold = client.hold()
    client.write(hold, data)
    type_and_wait_held(recorded, client, b"after")
    client.release(hold)

    recorded.wait_input(data + b"after")


def test_an_enter_for_a_dialog_that_somebody_else_has_answered_is_dropped(recorded: Recorded, client: Client) -> None:
    hold = client.hold(drops_answers=True)
    type_and_wait_held(recorded, client, b"\r")
    type_and_wait_held(recorded, client, b"hello")

    reply = client.release(hold)

    assert reply == {"ok": True, "replayed": 6, "dropped": 1}
    recorded.wait_input(b"hello")
    recorded.type(b"\r")
    recorded.wait_input(b"hello\r")


def test_an_answer_is_dropped_also_when_the_client_dies_or_the_time_is_over(recorded: Recorded) -> None:
    with recorded.client() as dying:
        dying.hold(drops_answers=True)
        type_and_wait_held(recorded, dying, b"1\r")
    with recorded.client() as late:
        late.wait_facts(hold=None)
        late.hold(0.2, drops_answers=True)
        type_and_wait_held(recorded, late, b"\x1b[B\r")
        late.wait_facts(hold=None, held_bytes=0)

    recorded.type(b"x")
    recorded.wait_input(b"x")
