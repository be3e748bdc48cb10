from __future__ import annotations

from typing import Any

import pytest

from hark.agents.opencode import protocol
from hark.model.heard import Said
from hark.model.ids import MessageId
from tests.unit.native.recorded import opencode

B1, B2, C1, C2, D1 = (
    MessageId(f"{letter * 11}{n}") for letter, n in (("b", 1), ("b", 2), ("c", 1), ("c", 2), ("d", 1))
)
STOP, BREAK = Said.STOPPED, Said.INTERRUPTED

# what was on record, whether it was idle, what became of our messages, and what waits
MOMENTS: tuple[tuple[str, bool, dict[MessageId, Said | None], tuple[MessageId, ...]], ...] = (
    ("idle", True, {}, ()),
    ("streaming", False, {B1: None}, (B2,)),
    ("done", True, {B1: STOP, B2: STOP}, ()),
    ("asked", False, {B1: STOP, B2: STOP, C1: None}, (C2,)),
    ("denied", True, {B1: STOP, B2: STOP, C1: BREAK}, (C2,)),
    # C2 was taken up with D1, and C1 cannot be told from what was joined by a later message.
    ("interrupted", True, {B1: STOP, B2: STOP, C1: BREAK, C2: BREAK, D1: BREAK}, ()),
)


@pytest.mark.parametrize(("moment", "is_idle", "ends", "waiting"), MOMENTS, ids=[name for name, *_ in MOMENTS])
def test_recorded_messages_tell_turns_and_what_waits(
    moment: str, is_idle: bool, ends: dict[MessageId, Said | None], waiting: tuple[MessageId, ...]
) -> None:
    recorded = opencode(moment)
    session = recorded["messages"][0]["info"]["sessionID"]

    turns, not_begun = protocol.read_messages(recorded["messages"], has_stopped=is_idle)

    assert protocol.is_idle(session, recorded["status"]) is is_idle
    assert protocol.is_asked(session, recorded["permission"]) is (moment == "asked")
    assert {one: turn.end for turn in turns for one in turn.message_ids} == ends
    assert not_begun == waiting


def test_the_humans_first_prompt_is_a_turn_too() -> None:
    turns, _ = protocol.read_messages(opencode("idle")["messages"], has_stopped=True)

    assert [(turn.message_ids, turn.end) for turn in turns] == [((), STOP)]


def test_our_id_is_found_in_the_agents() -> None:
    messages = opencode("done")["messages"]

    found = protocol.find(messages, B1)

    assert found is not None
    assert protocol.own_id(f"msg_{found}") == B1
    assert protocol.find(messages, C1) is None
    assert protocol.own_id("msg_1de95d215001yocRMOno8p1ePr") is None


def test_an_id_of_ours_sorts_among_the_agents_own() -> None:
    agents = "msg_1de95d215001yocRMOno8p1ePr"
    made_at_ms = 1794735723029

    assert f"msg_{protocol.new_id(B1, made_at_ms - 1)}" < agents < f"msg_{protocol.new_id(B1, made_at_ms + 1)}"


def test_a_prompt_keeps_what_the_human_has_chosen() -> None:
    asked = protocol.last_asked(opencode("idle")["messages"])

    body = protocol.prompt("x", "text", asked)

    assert body["agent"] == "build"
    assert body["model"] == {"providerID": "stand-in", "modelID": "stand-in"}
    assert body["parts"] == [{"id": "prt_x", "type": "text", "text": "text"}]
    assert "agent" not in protocol.prompt("x", "text", None)


def session(name: str, title: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "title": title, **more}


def test_the_newest_sessions_are_those_that_changed_last() -> None:
    sessions = [session(name, name, time={"updated": at}) for name, at in (("a", 1), ("b", 3), ("c", 2))]

    assert protocol.newest(sessions, 2) == ["b", "c"]
