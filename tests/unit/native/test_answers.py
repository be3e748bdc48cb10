"""The final words of a turn, as the APIs of Codex and OpenCode list them."""

from typing import Any

import pytest

from hark.agents.codex import answer as codex
from hark.agents.opencode import answer as opencode
from hark.model.answer import Spoken
from hark.model.ids import MessageId

ID, OTHER = MessageId("0123456789ab"), MessageId("ba9876543210")
Json = dict[str, Any]


def asked(message_id: str) -> Json:
    return {"type": "userMessage", "clientId": f"hark-{message_id}", "content": [{"type": "text", "text": "please"}]}


def words(text: str, phase: str | None = None) -> Json:
    return {"type": "agentMessage", "id": "m", "text": text, "phase": phase}


def turn(*items: Json, status: str = "completed") -> Json:
    return {"id": "t", "status": status, "items": list(items)}


COMMAND: Json = {"type": "commandExecution"}
BATCH: Json = {
    "type": "userMessage",
    "clientId": f"hark-{OTHER}",
    "content": [{"type": "text", "text": f"[Input from: ann via hark send · {ID}]\nplease"}],
}
CODEX: dict[str, tuple[list[Json], Spoken | None]] = {
    "the last words": ([turn(asked(ID), words("I look."), COMMAND, words("Yes."))], Spoken("Yes.")),
    "an empty last reply": ([turn(asked(ID), words("I look."), COMMAND, words(""))], Spoken("I look.")),
    "what the model calls final": (
        [turn(asked(ID), words("Yes.", "final_answer"), words("By the way", "commentary"))],
        Spoken("Yes."),
    ),
    "a turn that runs": ([turn(asked(ID), words("I look."), status="inProgress")], Spoken("I look.", is_over=False)),
    "a turn that was interrupted": ([turn(asked(ID), status="interrupted")], Spoken("")),
    "the turn among others": ([turn(asked(OTHER), words("no")), turn(asked(ID), words("Yes."))], Spoken("Yes.")),
    "a message that went with another": ([turn(BATCH, words("to both"))], Spoken("to both")),
    "a message that is not there": ([turn(asked(OTHER), words("no"))], None),
}


@pytest.mark.parametrize(("turns", "answer"), CODEX.values(), ids=CODEX.keys())
def test_the_final_words_of_a_turn_of_codex(turns: list[Json], answer: Spoken | None) -> None:
    assert codex.find_answer(turns, ID) == answer


def prompt(place: int, message_id: str) -> Json:
    name = f"msg_{place:012x}hk{message_id}"
    return {"info": {"id": name, "role": "user"}, "parts": [{"type": "text", "text": "please"}]}


def step(place: int, parent: Json, text: str, finish: str | None = "stop", **fields: Any) -> Json:
    info = {"id": f"msg_{place:012x}", "role": "assistant", "parentID": parent["info"]["id"]}
    info |= {"time": {"completed": 7}, "finish": finish} | fields
    return {"info": info, "parts": [{"type": "text", "text": text}] if text else []}


FIRST, SECOND = prompt(1, ID), prompt(5, OTHER)
OPENCODE: dict[str, tuple[list[Json], Spoken | None]] = {
    "one step": ([FIRST, step(2, FIRST, "Yes.")], Spoken("Yes.")),
    "several steps": ([FIRST, step(2, FIRST, "I look.", "tool-calls"), step(3, FIRST, "Yes.")], Spoken("Yes.")),
    "an empty last step": ([FIRST, step(2, FIRST, "I look.", "tool-calls"), step(3, FIRST, "")], Spoken("I look.")),
    "a turn behind it": ([FIRST, step(2, FIRST, "mine"), SECOND, step(6, SECOND, "theirs")], Spoken("mine")),
    "an answer to a later prompt, for both": (
        [FIRST, step(2, FIRST, "I look.", "tool-calls"), SECOND, step(6, SECOND, "to both")],
        Spoken("to both"),
    ),
    "a turn that ended without an end": (
        [FIRST, step(2, FIRST, "May I?", "tool-calls")],
        Spoken("May I?", is_over=False),
    ),
    "a turn that was aborted": (
        [FIRST, step(2, FIRST, "half", None, error={"name": "MessageAbortedError"})],
        Spoken("half"),
    ),
    "a message that is not there": ([SECOND, step(6, SECOND, "no")], None),
}


@pytest.mark.parametrize(("messages", "answer"), OPENCODE.values(), ids=OPENCODE.keys())
def test_the_final_words_of_a_turn_of_opencode(messages: list[Json], answer: Spoken | None) -> None:
    assert opencode.find_answer(messages, ID) == answer
