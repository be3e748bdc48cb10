import io
import os
import pwd
from collections.abc import Callable
from typing import Any

import pytest

from hark.cli.main import run
from hark.cli.messages.send import message_text, outcome_line, sent_line
from hark.model.errors import Exit, HarkError
from hark.model.message import Status
from tests.unit.cli.canned import DROPPED, CannedServer, answer, refusal
from tests.unit.cli.samples import later, message, sent, session

Serve = Callable[..., CannedServer]


class Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"one\ntwo\n", "one\ntwo"),  # the newline that every program ends with is not part of the text
        (b"one\r\n", "one"),  # nor is it with a carriage return
        (b"one\n\n", "one\n"),  # but only one of them
        (b"  one", "  one"),  # spaces are
    ],
)
def test_a_dash_reads_stdin_without_its_last_newline(
    monkeypatch: pytest.MonkeyPatch, content: bytes, text: str
) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(content))

    assert message_text(("-",)) == text


def test_words_are_joined_by_spaces() -> None:
    assert message_text(("run", "the  tests")) == "run the  tests"


@pytest.mark.parametrize("words", [("",), ("  \n",), (" ", "")])
def test_an_empty_text_is_refused_before_the_daemon_is_asked(words: tuple[str, ...]) -> None:
    with pytest.raises(HarkError) as caught:
        message_text(words)

    assert caught.value.code == "text-empty"


def test_bytes_that_are_no_text_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(b"\xff"))

    for words in (("-",), ("\udcff",)):
        with pytest.raises(HarkError, match="UTF-8"):
            message_text(words)


@pytest.mark.parametrize(
    "arguments",
    [
        ["send", "backend"],  # no text
        ["send", "backend", ""],  # an empty one
        ["send", "backend", "x", "--timeout", "soon"],  # no duration
        ["send", "backend", "x", "--timeout", "0s"],  # no time at all
        ["send", "backend", "x", "--wait", "forever"],  # no such goal
    ],
)
def test_bad_input_is_a_usage_error_without_a_daemon(arguments: list[str]) -> None:
    assert run(arguments) == Exit.USAGE


def test_the_line_says_where_in_the_queue_it_stands_and_why(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(answer(sent(), 202))

    assert run(["send", "team/backend", "run", "the tests", "--urgent", "--timeout", "5m"]) == Exit.OK

    assert (
        capsys.readouterr().out
        == "queued 4f1c00000000 for team/backend (position 2, held: a human's draft is in the input box)\n"
    )
    assert server.requests[0].line == "POST /sessions/team%2Fbackend/send HTTP/1.1"
    wish = {"text": "run the tests", "delivery_mode": "urgent", "timeout_seconds": 300.0}
    assert server.requests[0].body == wish | {"sender_name": pwd.getpwuid(os.getuid()).pw_name}


def test_quiet_prints_the_id_only(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    serve(answer(sent(), 202))

    run(["send", "-q", "backend", "x"])

    assert capsys.readouterr().out == "4f1c00000000\n"


def test_every_invocation_has_a_key_of_its_own_that_its_repetition_keeps(serve: Serve) -> None:
    server = serve(DROPPED, answer(sent(), 202), answer(sent(), 202))

    run(["send", "backend", "x"])
    run(["send", "backend", "x"])

    first, repeated, second = (request.headers["Idempotency-Key"] for request in server.requests)
    assert first == repeated != second


def test_a_key_of_the_user_is_kept(serve: Serve) -> None:
    server = serve(answer(sent(), 202))

    run(["send", "backend", "x", "--idempotency-key", "nightly-7"])

    assert server.requests[0].headers["Idempotency-Key"] == "nightly-7"


@pytest.mark.parametrize(
    ("found", "fields"),
    [
        (answer(session(id="ab12", name="cron")), {"sender_session_id": "ab12"}),  # a session of that name
        (answer(session(id="cron", name="x")), {"sender_session_id": "cron"}),  # or with that id
        (answer(session(id="ab12", name="cronjobs")), {"sender_name": "cron"}),  # only a prefix of another's name
        (refusal("session-not-found", 404), {"sender_name": "cron"}),  # nobody hark knows
        (refusal("session-ambiguous", 409), {"sender_name": "cron"}),  # a prefix of several
    ],
)
def test_a_sender_is_a_session_or_a_free_name(serve: Serve, found: bytes, fields: dict[str, str]) -> None:
    server = serve(found, answer(sent(), 202))

    run(["send", "backend", "x", "--from", "cron"])

    assert server.requests[1].body == {"text": "x", "delivery_mode": "sequential", **fields}


def test_inside_a_session_that_session_is_the_sender(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_SESSION", "ab12")
    server = serve(answer(session(id="ab12")), answer(sent(), 202))

    run(["send", "backend", "x"])

    assert server.requests[1].body["sender_session_id"] == "ab12"


def test_waiting_goes_on_over_the_slices_of_the_daemon(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    done = message(status=Status.SUBMITTED, delivered_at=later(0.18))
    server = serve(answer(sent(), 202), refusal("wait-timeout", 504), answer(done))

    assert run(["send", "backend", "x", "--wait", "submitted"]) == Exit.OK

    assert capsys.readouterr().out == "submitted 4f1c00000000 to backend after 180ms\n"
    assert server.requests[2].line.startswith("GET /messages/4f1c00000000?wait=submitted&wait_seconds=60.000 ")


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status.EXPIRED, Exit.TIMED_OUT),
        (Status.CANCELLED, Exit.FAILURE),
        (Status.DEAD, Exit.FAILURE),
        (Status.UNCERTAIN, Exit.FAILURE),
    ],
)
def test_a_message_that_ended_otherwise_has_an_exit_code(
    serve: Serve, capsys: pytest.CaptureFixture[str], status: Status, code: Exit
) -> None:
    serve(answer(sent(), 202), answer(message(status=status, ended_at=later(90))))

    assert run(["send", "backend", "x", "--wait", "completed"]) == code

    assert capsys.readouterr().out == f"{status} 4f1c00000000 to backend after 1m30s\n"


def test_a_timeout_that_runs_out_while_waiting_has_its_exit_code(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hark.cli.messages.send.GRACE_S", 0.0)
    serve(answer(sent(), 202), *[refusal("wait-timeout", 504)] * 1000)

    assert run(["send", "backend", "x", "--wait", "completed", "--timeout", "50ms"]) == Exit.TIMED_OUT


@pytest.mark.parametrize(
    ("fields", "goal", "line"),
    [
        # past the goal: told is when the goal was reached
        (
            {"status": Status.COMPLETED, "delivered_at": later(1), "completed_at": later(9), "ended_at": later(9)},
            "submitted",
            "submitted 4f1c00000000 to backend after 1s",
        ),
        # completed without ever being acknowledged: told is what happened
        (
            {"status": Status.COMPLETED, "delivered_at": later(1), "completed_at": later(9), "ended_at": later(9)},
            "acknowledged",
            "completed 4f1c00000000 to backend after 9s",
        ),
        # typed, but the proof is missing
        (
            {"status": Status.UNCERTAIN, "ended_at": later(2)},
            "submitted",
            "uncertain 4f1c00000000 to backend after 2s",
        ),
    ],
)
def test_the_outcome_names_what_was_waited_for_if_it_came_true(fields: dict[str, Any], goal: str, line: str) -> None:
    assert outcome_line(message(**fields), goal) == line


def test_the_line_of_a_message_that_goes_at_once() -> None:
    line = sent_line(sent(queue_position=1, estimated_delivery="now"), "backend")

    assert line == "queued 4f1c00000000 for backend (position 1, now)"
