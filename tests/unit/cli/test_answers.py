import json
from collections.abc import Callable
from typing import Any

import pytest

from hark.cli.main import run
from hark.model.errors import Exit
from hark.model.message import Status
from tests.unit.cli.canned import CannedServer, answer, refusal
from tests.unit.cli.samples import later, message, sent, session

Serve = Callable[..., CannedServer]


def found(text: str = "Yes.", source: str = "record", **fields: Any) -> dict[str, Any]:
    return {"text": text, "source": source, "is_cut": False, "reason": "", "at": later(5).isoformat()} | fields


def completed(**fields: Any) -> dict[str, Any]:
    return message(status=Status.COMPLETED, completed_at=later(5), **fields)


def test_ask_prints_the_answer_and_nothing_else_on_stdout(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(answer(sent()), answer(completed() | {"answer": found("Yes.\nReally.")}))

    assert run(["ask", "backend", "is it", "safe?"]) == Exit.OK

    assert capsys.readouterr().out == "Yes.\nReally.\n"
    assert server.requests[0].body["text"] == "is it safe?"
    assert server.requests[0].body["timeout_seconds"] == 600
    assert "wait=completed" in server.requests[1].line


def test_where_there_is_no_answer_stderr_says_why(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    none = found("", "none", reason="its turn was interrupted")
    serve(answer(sent()), answer(completed() | {"answer": none}))

    assert run(["ask", "backend", "hello"]) == Exit.OK

    printed = capsys.readouterr()
    assert printed.out == ""
    assert "there is no answer to 4f1c00000000: its turn was interrupted" in printed.err


@pytest.mark.parametrize(("status", "code"), [(Status.EXPIRED, 5), (Status.CANCELLED, 1), (Status.UNCERTAIN, 1)])
def test_ask_ends_with_the_codes_of_wait(
    serve: Serve, capsys: pytest.CaptureFixture[str], status: Status, code: int
) -> None:
    serve(answer(sent()), answer(message(status=status, ended_at=later(5))))

    assert run(["ask", "backend", "hello"]) == code
    assert capsys.readouterr().out == ""


def test_an_answer_drives_no_terminal(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b]52;c;QUFB\x07\x1b[2J\u202e漢字\ttab"
    serve(answer({"message_id": "4f1c00000000", "answer": found(hostile)}))

    assert run(["last", "backend"]) == Exit.OK

    assert capsys.readouterr().out == "\\x1b]52;c;QUFB\\x07\\x1b[2J\\u202e漢字\ttab\n"


def test_what_is_not_certain_about_an_answer_is_said_beside_it(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    uncertain = found("words", "screen", reason="read from the screen", is_cut=True)
    serve(answer({"message_id": "4f1c00000000", "answer": uncertain}))

    assert run(["last", "backend"]) == Exit.OK

    printed = capsys.readouterr()
    assert printed.out == "words\n"
    assert "read from the screen" in printed.err
    assert "256 KiB" in printed.err


def test_send_prints_the_answer_only_after_the_end(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["send", "backend", "hello", "--answer"]) == Exit.USAGE
    serve(answer(sent()), answer(completed() | {"answer": found()}))
    capsys.readouterr()

    assert run(["send", "backend", "hello", "--wait", "completed", "--answer"]) == Exit.OK
    assert capsys.readouterr().out == "Yes.\n"


def test_show_prefers_a_session_of_this_very_name_to_a_message_whose_id_begins_so(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(answer(completed()), answer(session(name="4")), answer(session(name="4")))

    assert run(["show", "4", "--json"]) == Exit.OK

    assert json.loads(capsys.readouterr().out)["name"] == "4"
    assert "/sessions/4 " in server.requests[1].line


def test_show_takes_a_beginning_of_an_id_as_the_message_if_no_session_has_that_name(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(answer(completed()), refusal("session-not-found", 404))

    assert run(["show", "4", "--json"]) == Exit.OK

    assert json.loads(capsys.readouterr().out)["id"] == "4f1c00000000"


def test_show_tells_the_answer_and_where_it_comes_from(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    serve(answer(completed() | {"answer": found("Yes.\nReally.")}))

    assert run(["show", "4f1c00000000"]) == Exit.OK

    assert capsys.readouterr().out.endswith("\nanswer (by record)\n  Yes.\n  Really.\n")
