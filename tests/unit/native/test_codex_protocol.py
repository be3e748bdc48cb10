from __future__ import annotations

import msgspec
import pytest

from hark.agents.codex import protocol
from hark.agents.codex.protocol import Answer, Notice, Thread
from hark.agents.codex.threads import Threads
from hark.agents.native.channel import ChannelLost, State
from hark.model.heard import Said
from hark.model.ids import MessageId
from tests.unit.native.recorded import codex_frames, codex_results

ONE, TWO, THREE, FOUR = (MessageId(f"aaaaaaaaaaa{number}") for number in (1, 2, 3, 4))


def test_every_recorded_frame_is_an_answer_or_a_notice() -> None:
    read = [protocol.read_frame(frame) for frame in codex_frames()]

    assert {type(one) for one in read} == {Answer, Notice}
    assert [one.error for one in read if isinstance(one, Answer) and one.error] != []


def test_what_codex_asks_has_a_number_to_answer_to() -> None:
    asked = '{"id": 7, "method": "item/commandExecution/requestApproval", "params": {"threadId": "t"}}'

    read = protocol.read_frame(asked)

    assert read == protocol.Request(7, "item/commandExecution/requestApproval", {"threadId": "t"})
    assert protocol.result(7, {"decision": "accept"}) == '{"id":7,"result":{"decision":"accept"}}'


@pytest.mark.parametrize("frame", ["", "x", "[1]", b"\xff"])
def test_another_protocol_is_not_spoken_to(frame: str | bytes) -> None:
    with pytest.raises(ChannelLost):
        protocol.read_frame(frame)


def test_recorded_states() -> None:
    states = [protocol.read_status(result["thread"]["status"]) for result in codex_results("thread")]

    assert states == [State.IDLE, State.BUSY, State.WAITING]
    assert protocol.read_status({"type": "notLoaded"}) is State.UNKNOWN


def test_recorded_turns_know_our_messages_and_their_ends() -> None:
    pages = [result["data"] for result in codex_results("data") if result["data"]]
    turns = protocol.read_turns([page for page in pages if "items" in page[0]][-1])

    seen = [(turn.message_ids, turn.end) for turn in turns]
    assert seen[:3] == [((ONE,), Said.STOPPED), ((TWO,), Said.STOPPED), ((THREE,), Said.INTERRUPTED)]
    assert seen[3][0] == (FOUR,)


def test_a_recorded_turn_may_run_before_it_shows_what_was_asked() -> None:
    pages = [result["data"] for result in codex_results("data") if result["data"] and "items" in result["data"][0]]
    bare = next(page for page in pages if not page[0]["items"])

    assert protocol.read_turns(bare)[-1].end is None
    assert bare[0]["id"] not in protocol.asked(bare)


def test_the_recorded_queue_holds_our_message() -> None:
    queues = [result["data"] for result in codex_results("data") if result["data"] and "input" in result["data"][0]]

    assert [list(protocol.read_queue(queue)) for queue in queues] == [[TWO], [FOUR]]


def test_messages_of_other_clients_are_not_ours() -> None:
    assert protocol.own_id("0f8c") is None
    assert protocol.own_id(None) is None
    assert protocol.own_id(protocol.client_id(ONE)) == ONE


def test_codexs_own_threads_are_not_the_humans() -> None:
    started = [
        protocol.read_thread(msgspec.json.decode(frame)["params"]["thread"])
        for frame in codex_frames()
        if '"thread/started"' in frame
    ]
    shown = [protocol.read_thread(result["thread"]) for result in codex_results("thread")]

    assert [thread.is_humans for thread in started] == [False]
    assert {thread.is_humans for thread in shown} == {True}


HUMANS, OTHER, TITLE = (
    Thread(id="h", is_humans=True),
    Thread(id="o", is_humans=True),
    Thread(id="t", is_humans=False),
)


def test_the_only_thread_of_a_human_is_shown() -> None:
    assert Threads().after_look([HUMANS, TITLE]).shown == "h"
    assert Threads().after_look([TITLE]).shown is None
    assert Threads().after_look([HUMANS, OTHER]).shown is None


def test_a_thread_that_starts_is_shown() -> None:
    threads = Threads().after_look([HUMANS]).after_start(OTHER)

    assert threads.shown == "o"
    assert threads.after_look([HUMANS, OTHER, TITLE]).shown == "o"
    assert threads.after_start(TITLE).shown == "o"


def test_going_back_to_a_thread_ends_all_certainty_until_one_starts() -> None:
    threads = Threads().after_look([HUMANS]).after_start(OTHER)

    back = threads.after_word_about("h")

    assert threads.after_word_about("o").shown == "o"
    assert threads.after_word_about("t").shown == "o"
    assert back.shown is None
    assert back.after_look([HUMANS, OTHER]).shown is None
    assert back.after_start(Thread(id="n", is_humans=True)).shown == "n"
    assert back.after_look([HUMANS]).shown == "h"


def test_a_thread_that_was_loaded_from_the_past_ends_all_certainty() -> None:
    threads = Threads().after_look([HUMANS])

    assert threads.after_look([HUMANS, OTHER]).shown is None
