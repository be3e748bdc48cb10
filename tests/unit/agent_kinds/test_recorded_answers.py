"""The final words of a turn, in records as agents write them: those of the right turn, and only those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hark.agents.records.answers import read_recorded_answer
from hark.model.answer import Spoken
from hark.model.ids import MessageId

ID, OTHER = MessageId("0123456789ab"), MessageId("ba9876543210")
Line = dict[str, Any]


def prompt_text(*ids: str) -> str:
    return "\n\n".join(f"[Input from: ann via hark send · {one}]\nplease" for one in ids)


def said(text: str, name: str = "msg_1", **fields: Any) -> Line:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"id": name, "content": content}, **fields}


def tool(name: str = "msg_1") -> Line:
    return {"type": "assistant", "message": {"id": name, "content": [{"type": "tool_use", "name": "Bash"}]}}


def user(text: str, **fields: Any) -> Line:
    return {"type": "user", "message": {"content": text}, **fields}


RESULT: Line = {"type": "user", "message": {"content": [{"type": "tool_result", "content": prompt_text(ID)}]}}
OVER: Line = {"type": "system", "subtype": "stop_hook_summary"}
ASKED = user(prompt_text(ID))
QUEUED: Line = {"type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt_text(ID)}}
ADDED: Line = {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [prompt_text(ID)]}}

CLAUDE: dict[str, tuple[list[Line], Spoken | None]] = {
    "a turn that is over": ([ASKED, said("Yes."), OVER], Spoken("Yes.")),
    "a turn that is not on record as over": ([ASKED, said("Yes.")], Spoken("Yes.", is_over=False)),
    "two blocks of one message": ([ASKED, said("First. "), said("Second."), OVER], Spoken("First. Second.")),
    "words before a tool and after it": (
        [ASKED, said("I look."), tool(), RESULT, said("Found.", "msg_2"), OVER],
        Spoken("Found."),
    ),
    "no words after the tool": ([ASKED, said("I look."), tool(), RESULT, tool("msg_2"), OVER], Spoken("I look.")),
    "no words at all": ([ASKED, tool(), RESULT, OVER], Spoken("")),
    "no answer yet": ([ASKED], None),
    "an older turn of the same agent": ([user("hi"), said("old"), OVER, ASKED, said("new"), OVER], Spoken("new")),
    "a newer turn behind it": ([ASKED, said("mine"), OVER, user("hi"), said("theirs"), OVER], Spoken("mine")),
    "a newer turn, and no line in between": ([ASKED, said("mine"), user("hi"), said("theirs")], Spoken("mine")),
    "prompts that were queued together": ([ASKED, user("and this"), said("to both"), OVER], Spoken("to both")),
    "a prompt taken in the middle of a turn": (
        [user("hi"), said("I look."), tool(), RESULT, QUEUED, said("to both", "msg_2"), OVER],
        Spoken("to both"),
    ),
    "a message handed over at a stop": (
        [user("hi"), said("done"), ADDED, OVER, said("and that too", "msg_2"), OVER],
        Spoken("and that too"),
    ),
    "words of a subagent": ([ASKED, said("aside", isSidechain=True), said("mine", "msg_2"), OVER], Spoken("mine")),
    "a turn that was interrupted": ([ASKED, said("half"), user("[Request interrupted by user]")], Spoken("half")),
    "one that was interrupted before any word": ([ASKED, user("[Request interrupted by user]")], Spoken("")),
    "a message of somebody else": ([user(prompt_text(OTHER)), said("no"), OVER], None),
    "a header that is only quoted": ([user(f"> {prompt_text(ID)}"), said("no"), OVER], None),
}


def gemini(text: str, name: str = "g1") -> Line:
    return {"id": name, "type": "gemini", "content": text}


def gemini_user(text: str) -> Line:
    return {"id": "u", "type": "user", "content": [{"text": text}]}


G_ASKED, G_RESULT = gemini_user(prompt_text(ID)), {"id": "f", "type": "user", "content": [{"functionResponse": {}}]}
GEMINI: dict[str, tuple[list[Line], Spoken | None]] = {
    "one answer": ([G_ASKED, gemini("Yes.")], Spoken("Yes.")),
    "a message that is written again": ([G_ASKED, gemini("I"), gemini("I look."), gemini("", "g2")], Spoken("I look.")),
    "words before a tool and after it": (
        [G_ASKED, gemini("I look."), G_RESULT, gemini("Found.", "g2")],
        Spoken("Found."),
    ),
    "a newer turn behind it": ([G_ASKED, gemini("mine"), gemini_user("hi"), gemini("theirs", "g2")], Spoken("mine")),
    "two messages in one prompt": ([gemini_user(prompt_text(OTHER, ID)), gemini("to both")], Spoken("to both")),
    "its own prompt about a loop": (
        [G_ASKED, gemini("once"), gemini_user("System: Potential loop detected."), gemini("again", "g2")],
        Spoken("again"),
    ),
    "a cancelled turn": ([G_ASKED, {"type": "info", "content": "Request cancelled."}], Spoken("", is_over=False)),
    # The screen shows the error, which is no answer of the agent's.
    "a request that failed": ([G_ASKED, {"type": "error", "content": "[API Error]"}], Spoken("", is_over=False)),
}


def codex(kind: str, **payload: Any) -> Line:
    return {"type": "event_msg", "payload": {"type": kind, **payload}}


def codex_said(text: str) -> Line:
    content = [{"type": "output_text", "text": text}]
    return {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": content}}


C_ASKED = codex("user_message", message=prompt_text(ID))
CODEX: dict[str, tuple[list[Line], Spoken | None]] = {
    "a turn that is over": (
        [C_ASKED, codex_said("I look."), codex_said("Yes."), codex("task_complete", last_agent_message="Yes.")],
        Spoken("Yes."),
    ),
    "a turn that goes on": ([C_ASKED, codex_said("I look.")], Spoken("I look.", is_over=False)),
    "a turn whose last reply has no words": (
        [C_ASKED, codex_said("I look."), codex("task_complete", last_agent_message=None)],
        Spoken("I look."),
    ),
    "a human who adds to the turn": (
        [C_ASKED, codex_said("a"), codex("user_message", message="b"), codex_said("c"), codex("task_complete")],
        Spoken("c"),
    ),
    "a turn that was broken off": ([C_ASKED, codex("turn_aborted")], Spoken("")),
}
CASES = [
    pytest.param(kind, lines, answer, id=f"{kind}: {name}")
    for kind, cases in (("claude", CLAUDE), ("gemini", GEMINI), ("codex", CODEX))
    for name, (lines, answer) in cases.items()
]


def written(path: Path, lines: list[Line]) -> str:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


@pytest.mark.parametrize(("kind", "lines", "answer"), CASES)
def test_the_final_words_of_the_messages_turn_are_found(
    tmp_path: Path, kind: str, lines: list[Line], answer: Spoken | None
) -> None:
    assert read_recorded_answer(kind, written(tmp_path / "record", lines), ID) == answer


STRANGE = {
    "half a line": b'{"type": "assistant", "mess',
    "no object": b"[]\n7\nnull\n",
    "another shape": b'{"type": "assistant", "message": 7}\n{"type": "user", "message": {"content": [7]}}\n',
    "no text": b"\xff\xfe\x00\n",
}


@pytest.mark.parametrize("kind", ["claude", "gemini", "codex"])
@pytest.mark.parametrize("strange", STRANGE.values(), ids=STRANGE.keys())
def test_a_record_of_another_shape_has_no_answer_and_breaks_nothing(tmp_path: Path, kind: str, strange: bytes) -> None:
    path = tmp_path / "record"
    path.write_bytes(f"{ID}\n".encode() + strange)

    assert read_recorded_answer(kind, str(path), ID) is None


def test_an_answer_far_from_the_end_of_a_long_record_is_found(tmp_path: Path) -> None:
    others = [user("hi"), said("x" * 100_000), OVER] * 30
    path = written(tmp_path / "record", [ASKED, said("Yes."), OVER, *others])

    assert read_recorded_answer("claude", path, ID) == Spoken("Yes.")


def test_what_is_no_regular_file_is_an_error_and_not_an_answer(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="regular"):
        read_recorded_answer("claude", str(tmp_path), ID)
