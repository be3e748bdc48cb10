"""Whoever holds the keys leaves an undo with the airlock. If the holder dies, or the hold's time is over, the airlock runs the undo, and
only then the human's keys go on: ours, the way back, theirs."""

import base64
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.airlock.running import DEADLINE_S, RECORD, Client, Recorded
from tests.support.terminals import wait_until

TAKES_PASTES = RECORD.replace('b"READY"', 'b"\\x1b[?2004hREADY"')
READS_LATE = RECORD.replace(
    'tail = b""', 'import time\nwhile not os.path.exists(sys.argv[1] + ".go"):\n    time.sleep(0.01)\ntail = b""'
)
TAKES_PASTES_LATER = RECORD.replace(
    'tail = b""',
    """
import threading, time
def later():
    while not os.path.exists(sys.argv[1] + ".go"):
        time.sleep(0.01)
    os.write(1, b"\\x1b[?2004h")
threading.Thread(target=later, daemon=True).start()
tail = b""
""",
)
FIRST = {"keys": base64.b64encode(b"\x7f").decode(), "times": 3}
PAUSE = {"keys": "", "times": 0, "wait_s": 0.05}
KEY = {"keys": base64.b64encode(b"\x13").decode()}
PASTE = {"paste": base64.b64encode("zurück\n".encode()).decode()}
Write = Mapping[str, object]
BACK = b"\x7f\x7f\x7f\x13"


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    with Recorded() as running:
        yield running


def leave(client: Client, hold: str, *writes: Write, **more: object) -> None:
    assert client.call(op="undo", hold=hold, undo={"writes": list(writes), **more}) == {"ok": True}


def die(recorded: Recorded, *writes: Write, written: bytes = b"<half>", label: str = "m1") -> None:
    """In a hold, with a key of the human's kept."""
    with recorded.client() as first:
        hold = first.call(op="hold", seconds=2.0, label=label)["hold"]
        leave(first, hold, *writes)
        first.write(hold, written)
        recorded.type(b"k")
        first.wait_facts(held_bytes=1)


def undone(client: Client) -> tuple[str, bool] | None:
    told = client.facts()["undone"]
    return told and (told["label"], told["is_after_enter"])


def test_the_undo_of_a_holder_that_dies_comes_before_the_humans_keys(recorded: Recorded) -> None:
    die(recorded, FIRST, PAUSE, KEY)

    recorded.wait_input(b"<half>" + BACK + b"k")
    with recorded.client() as later:
        assert undone(later) == ("m1", False)
        later.wait_facts(hold=None, held_bytes=0, is_undoing=False)


def test_the_undo_is_run_when_the_hold_is_over(recorded: Recorded) -> None:
    with recorded.client() as client:
        hold = client.call(op="hold", seconds=0.2, label="m1")["hold"]
        leave(client, hold, FIRST, PAUSE, KEY)
        recorded.type(b"k")

        recorded.wait_input(BACK + b"k")
        assert undone(client) == ("m1", False)
        assert client.write(hold, b"late") == {"ok": False, "error": "hold-over"}


def test_a_release_clears_the_undo(recorded: Recorded) -> None:
    with recorded.client() as client:
        hold = client.hold()
        leave(client, hold, FIRST)
        client.release(hold)

    with recorded.client() as later:
        assert undone(later) is None
    recorded.type(b"k")
    recorded.wait_input(b"k")


def test_each_undo_replaces_the_one_before_and_a_write_can_do_it_too(recorded: Recorded) -> None:
    with recorded.client() as client:
        hold = client.call(op="hold", seconds=2.0, label="m1")["hold"]
        leave(client, hold, FIRST)
        enter = base64.b64encode(b"\r").decode()
        after = {"writes": [KEY], "is_after_enter": True}
        assert client.call(op="write", hold=hold, data=enter, undo=after)["ok"]
        leave(client, hold, KEY, KEY)

    recorded.wait_input(b"\r\x13\x13")
    with recorded.client() as later:
        assert undone(later) == ("m1", True)


def test_an_enter_that_was_not_pressed_changes_no_undo(recorded: Recorded) -> None:
    with recorded.client() as client:
        hold = client.hold()
        leave(client, hold, FIRST)
        refused = client.call(op="write", hold=hold, data="", if_output=1, undo={"writes": [], "is_after_enter": True})
        assert refused["error"] == "output-moved"

    recorded.wait_input(b"\x7f\x7f\x7f")


def test_without_an_undo_the_keys_are_free_at_once(recorded: Recorded) -> None:
    with recorded.client() as first:
        first.write(first.hold(), b"<half>")
        recorded.type(b"k")
        first.wait_facts(held_bytes=1)

    recorded.wait_input(b"<half>k")
    with recorded.client() as later:
        assert undone(later) is None


def test_what_was_undone_is_told_until_another_undo_is_left(recorded: Recorded) -> None:
    die(recorded, FIRST)
    recorded.wait_input(b"<half>\x7f\x7f\x7fk")

    with recorded.client() as later:
        later.wait_facts(hold=None)
        hold = later.hold()
        assert undone(later) == ("m1", False)
        leave(later, hold)
        assert undone(later) is None
        later.release(hold)


def test_an_undo_that_leaves_the_draft_out_is_told_as_such(recorded: Recorded) -> None:
    for leaves_draft_out in (True, False):
        with recorded.client() as first:
            hold = first.call(op="hold", seconds=2.0, label="m1")["hold"]
            leave(first, hold, FIRST, leaves_draft_out=leaves_draft_out)

        with recorded.client() as later:
            later.wait_facts(hold=None)
            assert later.facts()["undone"]["leaves_draft_out"] is leaves_draft_out


def test_a_draft_is_pasted_in_brackets() -> None:
    with Recorded(TAKES_PASTES) as recorded:
        die(recorded, FIRST, PASTE)

        recorded.wait_input(b"<half>\x7f\x7f\x7f\x1b[200~" + "zurück\n".encode() + b"\x1b[201~k")


def test_an_agent_that_is_in_its_editor_gets_the_undo_when_it_takes_pastes_again() -> None:
    """It switches them off for the time of its editor."""
    with Recorded(TAKES_PASTES_LATER) as recorded:
        die(recorded, FIRST, PASTE)
        with recorded.client() as later:
            later.wait_facts(is_undoing=True)
            assert recorded.input in (b"", b"<half>")

        recorded.record.with_suffix(".go").touch()

        recorded.wait_input(b"<half>\x7f\x7f\x7f\x1b[200~" + "zurück\n".encode() + b"\x1b[201~k")


def test_whether_keys_have_come_behind_the_undo_is_told(recorded: Recorded) -> None:
    with recorded.client() as first:
        leave(first, first.call(op="hold", seconds=2.0, label="m1")["hold"], FIRST)

    with recorded.client() as later:
        later.wait_facts(hold=None)
        assert not later.facts()["undone"]["is_touched"]
        recorded.type(b"k")
        wait_until(lambda: later.facts()["undone"]["is_touched"], DEADLINE_S, "the key to be told")


def test_keys_that_were_held_have_come_behind_it_too(recorded: Recorded) -> None:
    die(recorded, FIRST)
    recorded.wait_input(b"<half>\x7f\x7f\x7fk")

    with recorded.client() as later:
        assert later.facts()["undone"]["is_touched"]


def test_nothing_is_pasted_where_a_newline_would_be_an_enter(recorded: Recorded) -> None:
    die(recorded, FIRST, PASTE, KEY)

    recorded.wait_input(b"<half>" + BACK + b"k")


def test_nobody_gets_a_hold_while_an_undo_is_run(recorded: Recorded) -> None:
    with recorded.client() as first, recorded.client() as second:
        hold = first.hold()
        leave(first, hold, FIRST, {**PAUSE, "wait_s": 1.0}, KEY)
        first.close()
        second.wait_facts(is_undoing=True)

        assert second.call(op="hold", seconds=1.0) == {"ok": False, "error": "held"}
    recorded.wait_input(BACK)


def test_the_keys_of_an_agent_that_does_not_read_go_behind_the_undo() -> None:
    """They wait until it reads, or until a key of the human's is ten seconds old."""
    with Recorded(READS_LATE) as recorded:
        die(recorded, FIRST, PAUSE, KEY)

        with recorded.client() as later:
            assert later.facts()["is_undoing"]
            later.wait_facts(hold=None, is_undoing=False)
            assert recorded.input == b""
        recorded.record.with_suffix(".go").touch()
        recorded.wait_input(b"<half>" + BACK + b"k")


def test_without_a_key_the_airlock_waits_until_the_agent_reads() -> None:
    with Recorded(READS_LATE) as recorded:
        with recorded.client() as first:
            hold = first.hold()
            leave(first, hold, FIRST, PAUSE, KEY)
            first.write(hold, b"<half>")

        with recorded.client() as later:
            later.wait_facts(is_undoing=True)
            recorded.record.with_suffix(".go").touch()
            later.wait_facts(hold=None, is_undoing=False)
        recorded.wait_input(b"<half>" + BACK)


IN_ITS_EDITOR = TAKES_PASTES.replace(
    'tail = b""',
    """
import threading, time
def away():
    while not os.path.exists(sys.argv[1] + ".away"):
        time.sleep(0.01)
    os.write(1, b"\\x1b[?2004lAWAY")
    while not os.path.exists(sys.argv[1] + ".go"):
        time.sleep(0.01)
    os.write(1, b"\\x1b[?2004h")
threading.Thread(target=away, daemon=True).start()
tail = b""
""",
)
UNTIL_BACK = {**PAUSE, "wait_s": 0.1, "back_wait_s": 0.01}


def test_the_keys_wait_until_the_agent_is_back_from_its_editor() -> None:
    """In the editor they would be lost, and the human's with them: an undo of nothing but the wait holds them too."""
    with Recorded(IN_ITS_EDITOR) as recorded:
        recorded.record.with_suffix(".away").touch()
        recorded.wait_seen(b"AWAY")
        die(recorded, UNTIL_BACK)

        with recorded.client() as later:
            later.wait_facts(is_undoing=True)
            recorded.wait_input(b"<half>")
            recorded.record.with_suffix(".go").touch()
            later.wait_facts(hold=None, is_undoing=False)
        recorded.wait_input(b"<half>k")


def test_the_pause_for_an_editor_is_over_when_the_agent_is_back() -> None:
    """Sixty pauses of a second would be more than the test waits."""
    with Recorded(IN_ITS_EDITOR) as recorded:
        recorded.record.with_suffix(".away").touch()
        recorded.wait_seen(b"AWAY")
        die(recorded, *[{**UNTIL_BACK, "wait_s": 1.0}] * 60, KEY)

        recorded.record.with_suffix(".go").touch()
        recorded.wait_input(b"<half>\x13k")


def test_thousands_of_backspaces_are_read_one_burst_at_a_time(recorded: Recorded) -> None:
    many = {**FIRST, "times": 5000}

    die(recorded, many, KEY)

    recorded.wait_input(b"<half>" + b"\x7f" * 5000 + b"\x13k")
    assert max(map(len, recorded.reads)) <= 48


@pytest.mark.parametrize(
    "undo",
    [
        None,
        [],
        {},
        {"writes": 1},
        {"writes": [1]},
        {"writes": [{"keys": 1}]},
        {"writes": [{"keys": "!"}]},
        {"writes": [{"keys": "", "times": -1}]},
        {"writes": [{"keys": "", "times": True}]},
        {"writes": [{"keys": "", "wait_s": 99}]},
        {"writes": [{"keys": "", "wait_s": "1"}]},
        {"writes": [{"keys": "", "wait_s": 0.1, "back_wait_s": -1}]},
        {"writes": [{"keys": "", "wait_s": 0.1, "back_wait_s": True}]},
        {"writes": [], "is_after_enter": 1},
        {"writes": [], "leaves_draft_out": 1},
    ],
)
def test_what_is_no_undo_is_refused_and_the_old_one_stays(recorded: Recorded, undo: object) -> None:
    with recorded.client() as client:
        hold = client.hold()
        leave(client, hold, FIRST)
        assert client.call(op="undo", hold=hold, undo=undo) == {"ok": False, "error": "malformed"}

    recorded.wait_input(b"\x7f\x7f\x7f")


@pytest.mark.parametrize("label", [1, None, "x" * 201])
def test_what_is_no_label_is_refused(recorded: Recorded, label: object) -> None:
    with recorded.client() as client:
        assert client.call(op="hold", seconds=1.0, label=label) == {"ok": False, "error": "malformed"}


WRITES = st.one_of(
    st.builds(
        lambda data, times: {"keys": base64.b64encode(data).decode(), "times": times},
        st.binary(min_size=1, max_size=6),
        st.integers(0, 200),
    ),
    st.builds(lambda text: {"paste": base64.b64encode(text.encode()).decode()}, st.text(min_size=1, max_size=50)),
    st.builds(lambda wait_s: {"keys": "", "times": 0, "wait_s": wait_s}, st.floats(0, 0.02)),
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(writes=st.lists(WRITES, max_size=6), typed=st.text("abcß界", min_size=1, max_size=5))
def test_any_undo_comes_whole_and_in_its_place(writes: list[Write], typed: str) -> None:
    with Recorded(TAKES_PASTES) as recorded:
        with recorded.client() as first:
            hold = first.hold()
            leave(first, hold, *writes)
            first.write(hold, b"<half>")
            recorded.type(typed.encode())
            first.wait_facts(held_bytes=len(typed.encode()))

        recorded.wait_input(b"<half>" + b"".join(map(expected, writes)) + typed.encode())


def expected(write: Write) -> bytes:
    if "paste" in write:
        return b"\x1b[200~" + base64.b64decode(str(write["paste"])) + b"\x1b[201~"
    return base64.b64decode(str(write["keys"])) * int(str(write["times"]))
