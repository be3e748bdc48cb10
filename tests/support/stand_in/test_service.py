"""Each protocol, spoken by a client of a few lines to the real process."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.support.stand_in import StandIn
from tests.support.stand_in.reply import USUAL_TEXT
from tests.support.stand_in.turn import Json

DEADLINE_S = 30.0
TEXT = "Grüße [[say=hello there]] [[tool=touch x]]"


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with StandIn() as running:
        yield running


def post(url: str, body: Json, key: str = "key-1") -> str:
    headers = {"content-type": "application/json", "x-api-key": key}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=DEADLINE_S) as response:
        return str(response.read().decode())


def events(stream: str) -> list[Json]:
    data = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in data if one != "[DONE]"]


def anthropic(text: str, stream: bool) -> Json:
    return {"stream": stream, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": text}]}


def test_messages_stream(stand_in: StandIn) -> None:
    got = events(post(f"{stand_in.url}/v1/messages?beta=true", anthropic(TEXT, stream=True)))

    deltas = [one["delta"] for one in got if one["type"] == "content_block_delta"]
    assert [one["type"] for one in got][0 :: len(got) - 1] == ["message_start", "message_stop"]
    assert deltas[0] == {"type": "text_delta", "text": "hello there"}
    assert json.loads(deltas[1]["partial_json"])["command"] == "touch x"
    assert [one["delta"]["stop_reason"] for one in got if one["type"] == "message_delta"] == ["tool_use"]


def test_messages_at_once(stand_in: StandIn) -> None:
    got = json.loads(post(f"{stand_in.url}/v1/messages", anthropic(TEXT, stream=False)))

    text, call = got["content"]
    assert (text["text"], call["name"], call["input"]["command"]) == ("hello there", "Bash", "touch x")


def test_responses_stream(stand_in: StandIn) -> None:
    tools = [{"type": "function", "name": "exec_command"}]
    got = events(post(f"{stand_in.url}/v1/responses", {"stream": True, "tools": tools, "input": TEXT}))

    items = [one["item"] for one in got if one["type"] == "response.output_item.done"]
    assert [one["delta"] for one in got if one["type"] == "response.output_text.delta"] == ["hello there"]
    assert items[0]["content"][0]["text"] == "hello there"
    assert json.loads(items[1]["arguments"])["cmd"] == "touch x"
    assert got[-1]["type"] == "response.completed"
    assert got[-1]["response"]["output"] == items


def test_chat_stream_calls_the_tool_it_is_offered(stand_in: StandIn) -> None:
    body = {
        "stream": True,
        "tools": [{"type": "function", "function": {"name": "bash"}}],
        "messages": [{"role": "user", "content": TEXT}],
    }
    choices = [one["choices"][0] for one in events(post(f"{stand_in.url}/v1/chat/completions", body))]

    calls = [call for one in choices for call in one["delta"].get("tool_calls", [])]
    assert "".join(one["delta"].get("content", "") for one in choices) == "hello there"
    assert [json.loads(call["function"]["arguments"])["command"] for call in calls] == ["touch x"]
    assert choices[-1]["finish_reason"] == "tool_calls"


def test_chat_at_once_proposes_the_command_in_text_where_no_tool_is_offered(stand_in: StandIn) -> None:
    body = {"messages": [{"role": "user", "content": TEXT}]}
    [choice] = json.loads(post(f"{stand_in.url}/v1/chat/completions", body))["choices"]

    assert choice["message"]["content"] == "hello there\n\n```bash\ntouch x\n```\n"
    assert choice["finish_reason"] == "stop"


@pytest.mark.parametrize("method", ["streamGenerateContent?alt=sse", "generateContent"])
def test_gemini(stand_in: StandIn, method: str) -> None:
    body = {
        "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
        "contents": [{"role": "user", "parts": [{"text": TEXT}]}],
    }
    answered = post(f"{stand_in.url}/v1beta/models/some-model:{method}", body)

    responses = events(answered) if "alt=sse" in method else [json.loads(answered)]
    parts = [part for one in responses for part in one["candidates"][0]["content"]["parts"]]
    assert [part["text"] for part in parts if part.get("text")] == ["hello there"]
    assert [part["functionCall"]["args"]["command"] for part in parts if "functionCall" in part] == ["touch x"]
    assert responses[-1]["candidates"][0]["finishReason"] == "STOP"


def test_tokens_are_counted_and_models_listed(stand_in: StandIn) -> None:
    counted = json.loads(post(f"{stand_in.url}/v1/messages/count_tokens", anthropic("x", stream=False)))
    counted_by_gemini = json.loads(post(f"{stand_in.url}/v1beta/models/m:countTokens", {"contents": []}))
    with urllib.request.urlopen(f"{stand_in.url}/v1/models", timeout=DEADLINE_S) as response:
        models = json.loads(response.read())

    assert counted["input_tokens"] > 0
    assert counted_by_gemini["totalTokens"] > 0
    assert models["data"]


def test_a_busy_reply_streams_in_pieces_and_ends_with_the_usual_text(stand_in: StandIn) -> None:
    got = events(post(f"{stand_in.url}/v1/messages", anthropic("[[busy=0.5]]", stream=True)))

    pieces = [one["delta"]["text"] for one in got if one["type"] == "content_block_delta"]
    assert len(pieces) == 6
    assert pieces[-1].strip() == USUAL_TEXT


def test_what_is_received_is_logged_to_the_letter_with_whose_it_was(stand_in: StandIn) -> None:
    text = "id 7f3a\n\n\ttabs, ünïcode 漢字, trailing  "
    post(f"{stand_in.url}/v1/messages", anthropic(text, stream=False), key="key-2")

    received = stand_in.wait_received(lambda one: one.session == "key-2", DEADLINE_S)

    assert received.texts == (text,)
    assert received.protocol == "anthropic"
    assert received.at.tzinfo is not None
    assert not received.is_side


def test_a_text_is_submitted_once_however_often_its_request_is_repeated(stand_in: StandIn) -> None:
    def count() -> int:
        return stand_in.submitted().count("once")

    post(f"{stand_in.url}/v1/messages", anthropic("once", stream=False), key="key-3")
    post(f"{stand_in.url}/v1/messages", anthropic("once", stream=False), key="key-3")
    assert count() == 1

    again = anthropic("once", stream=False)
    again["messages"] = [*again["messages"], {"role": "assistant", "content": "yes"}, *again["messages"]]
    post(f"{stand_in.url}/v1/messages", again, key="key-3")
    post(f"{stand_in.url}/v1/messages", anthropic("once", stream=False), key="key-4")
    assert count() == 3


def test_the_process_and_its_log_are_gone_after_the_block() -> None:
    with StandIn() as running:
        assert running.received() == []
        url, log = running.url, running.log

    assert not log.exists()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=DEADLINE_S)
