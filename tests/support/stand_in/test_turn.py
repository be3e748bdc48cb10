from tests.support.stand_in import anthropic, chat, gemini, responses
from tests.support.stand_in.turn import Json, Said, read_turn

REMINDER = "<system-reminder>\nbe kind\n</system-reminder>"


def test_what_stands_after_the_models_last_words_is_new() -> None:
    turn = read_turn([Said("user", ["a", "b"]), Said("model", ["c"]), Said("user", ["d"])], ["Bash"], is_side=False)

    assert turn.texts == ("d",)
    assert turn.position == 2


def test_what_the_agent_adds_is_context_and_counts_for_no_position() -> None:
    turn = read_turn([Said("user", [REMINDER]), Said("model", []), Said("user", [REMINDER, "d"])], [], is_side=False)

    assert turn.texts == ("d",)
    assert turn.context == (REMINDER,)
    assert turn.position == 0


def test_claude_code_says_nothing_new_with_a_tool_result() -> None:
    body: Json = {
        "tools": [{"name": "Bash"}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "run it"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]},
        ],
    }

    assert anthropic.read_request(body).texts == ()


def test_a_request_without_tools_is_a_side_request_of_claude_code_codex_and_gemini() -> None:
    assert anthropic.read_request({"messages": [{"role": "user", "content": "title?"}]}).is_side
    assert responses.read_request({"input": "title?"}).is_side
    assert gemini.read_request({"contents": [{"role": "user", "parts": [{"text": "title?"}]}]}).is_side


def test_of_the_chat_protocol_only_a_title_request_is_a_side_request() -> None:
    asked = {"role": "user", "content": "hello"}
    title = {"role": "system", "content": "You are a title generator."}

    assert not chat.read_request({"messages": [asked]}).is_side
    assert chat.read_request({"messages": [title, asked]}).is_side


def test_a_steered_request_of_codex_repeats_what_is_not_answered_at_the_same_position() -> None:
    first: Json = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    second: Json = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "b"}]}
    tools = [{"type": "function", "name": "exec_command"}]

    turn = responses.read_request({"tools": tools, "input": [first, second]})

    assert (turn.position, turn.texts) == (0, ("a", "b"))


def test_codex_says_nothing_new_with_a_tool_result() -> None:
    body: Json = {
        "tools": [{"type": "function", "name": "exec_command"}],
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"type": "function_call", "call_id": "1", "name": "exec_command", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "ok"},
        ],
    }

    assert responses.read_request(body).texts == ()
