"""The answers of real agents, as hark records them: whole, from their own record or API, and to the right message."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.delivering import Delivering, delivering
from tests.integration.end_to_end.running import Fields

# `make agents` tries all of them.
IS_ALL = bool(os.environ.get("HARK_TEST_MATRIX"))
KINDS = ("claude", "codex", "gemini", "opencode") if IS_ALL else ("claude", "codex", "gemini")
SOURCES = {"claude": "record", "codex": "api", "gemini": "record", "opencode": "api"}
LONG_S = 60.0

PARAGRAPHS = "\n\n".join(f"Paragraph {n}: the {n * 7919 % 1013}th of many, with ünïcödé and 漢字." for n in range(1500))
TEXTS = {
    "one word": "Yes",
    "a block of code": 'Do this:\n\n```python\ndef f(x):\n\treturn f"{x}\\n"\n```\n\nThen stop.',
    "many alphabets": "naïve 漢字 👩‍👩‍👧 e\u0301 שלום … “quoted” \\ end",
    "more than 100 KB": PARAGRAPHS,
}


@pytest.fixture(scope="module", params=KINDS)
def agent(request: pytest.FixtureRequest) -> Iterator[Delivering]:
    is_native = SOURCES[request.param] == "api"
    with delivering(request.param, is_native=is_native, by_hook=request.param == "claude", max_batch_size=5) as running:
        yield running


def asked(agent: Delivering, text: str, *options: str) -> Fields:
    message_id = agent.send(text, *options)
    return agent.hark.wait_reached(message_id, "completed")


def answer_of(agent: Delivering, message: Fields) -> str:
    answer = message["answer"]
    seen = (answer | {"text": answer["text"][:200]}, message["receipts"])
    assert answer["source"] == SOURCES[agent.launch.kind], seen
    assert not answer["is_cut"]
    return str(answer["text"])


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_an_answer_is_whole(agent: Delivering, tmp_path: Path, text: str) -> None:
    file = tmp_path / "said.txt"
    file.write_text(text)

    message = asked(agent, f"[[read={file}]]")

    # Gemini CLI drops joiners from what it puts on record.
    wanted = text.replace("\u200d", "") if agent.launch.kind == "gemini" else text
    assert answer_of(agent, message) == wanted


def test_the_answer_is_what_was_said_last_after_a_tool(agent: Delivering) -> None:
    if agent.launch.kind in ("codex", "opencode"):
        pytest.skip("it asks a human before it runs the tool")
    message = asked(agent, "[[say=First I look.]] [[tool=echo looked]]")

    assert answer_of(agent, message) != ""


def test_messages_to_a_busy_agent_get_the_answers_of_their_own_turns(agent: Delivering) -> None:
    first = agent.send("[[busy=2]] [[say=the first is done]]")
    agent.hark.wait_reached(first, "acknowledged")
    second = agent.send("[[say=the second is done]]")

    answers = [answer_of(agent, agent.hark.wait_reached(one, "completed")) for one in (first, second)]

    assert answers[1].endswith("the second is done")
    assert "the first is done" in answers[0] or answers[0] == answers[1]


def test_a_message_that_a_hook_hands_over_after_a_tool_has_the_answer_of_that_turn(agent: Delivering) -> None:
    if agent.launch.kind != "claude":
        pytest.skip("only Claude Code takes messages through its hooks here")
    first = agent.send("[[say=I look.]] [[tool=sleep 3]]")
    agent.hark.wait_reached(first, "acknowledged")
    second = agent.send("[[say=both are done]]")

    answers = [answer_of(agent, agent.hark.wait_reached(one, "completed")) for one in (first, second)]

    assert answers[1].endswith("both are done")


def test_a_batch_shares_its_answer(agent: Delivering) -> None:
    agent.hark.ok("hold", "a")
    ids = [agent.send("one of two"), agent.send("[[say=to both]]")]
    agent.hark.ok("release", "a")

    answers = {answer_of(agent, agent.hark.wait_reached(one, "completed")) for one in ids}

    assert answers == {"to both"}


def test_an_answer_that_was_given_while_no_daemon_ran_is_found(agent: Delivering) -> None:
    message_id = agent.send("[[busy=3]] [[say=nobody listened]]")
    agent.hark.wait_reached(message_id, "acknowledged")

    agent.hark.kill_daemon()
    agent.hark.ok("ls")

    message = agent.hark.wait_reached(message_id, "completed")
    assert answer_of(agent, message).endswith("nobody listened")
