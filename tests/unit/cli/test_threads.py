from collections.abc import Callable

import pytest

from hark.cli.main import run
from tests.unit.cli.canned import CannedServer, answer, refusal
from tests.unit.cli.samples import message, sent, session

Serve = Callable[..., CannedServer]


def test_a_reply_names_its_sender_and_goes_to_the_message(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARK_SESSION", "ab12")
    server = serve(answer(session(id="ab12")), answer(sent(queue_position=1, estimated_delivery="now")))

    assert run(["reply", "4f1c", "all", "is well"]) == 0

    asked = server.requests[1]
    assert asked.line == "POST /messages/4f1c/reply HTTP/1.1"
    assert asked.body == {"text": "all is well", "sender_session_id": "ab12"}
    assert capsys.readouterr().out == "queued 4f1c00000000 for backend (position 1, now)\n"


def test_a_message_that_nobody_can_get_a_reply_to_is_a_wrong_use(serve: Serve) -> None:
    serve(refusal("request-invalid", 422))

    assert run(["reply", "4f1c", "hi"]) == 2


def test_a_thread_prints_every_message_with_what_it_replies_to(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    first = message(sender="boss", text="which\nbranch?")
    reply = message(id="5f1c00000000", session_name="boss", sender="backend", text="main", in_reply_to=first["id"])
    serve(answer({"messages": [first, reply]}))

    assert run(["thread", "4f1c"]) == 0

    one, other = capsys.readouterr().out.split("\n\n")
    assert one.startswith("4f1c00000000 from boss to backend (")
    assert one.endswith(", queued)\n  which\n  branch?")
    assert other.startswith("5f1c00000000 from backend to boss, reply to 4f1c00000000 (")
    assert other.endswith("\n  main\n")
