import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from hark import paths
from hark.cli.client import Client, connect, problem, segment
from hark.model.errors import Exit, HarkError
from tests.unit.cli.canned import DROPPED, CannedServer, answer, chunked, refusal

Serve = Callable[..., CannedServer]


def test_a_request_carries_json_and_returns_json(serve: Serve) -> None:
    server = serve(answer({"id": "é"}, 201))

    received = Client().post("/sessions", {"command": ["sh"], "name": "ü"})

    assert received == {"id": "é"}
    assert server.requests[0].line == "POST /sessions HTTP/1.1"
    assert server.requests[0].headers["Host"] == "localhost"
    assert server.requests[0].body == {"command": ["sh"], "name": "ü"}


def test_a_get_has_no_body(serve: Serve) -> None:
    server = serve(answer({}))

    Client().get("/healthz")

    assert "Content-Length" not in server.requests[0].headers


def test_a_chunked_answer_is_put_together(serve: Serve) -> None:
    serve(chunked(b'{"long": "', b"x" * 200_000, b'"}'))

    assert len(Client().get("/x")["long"]) == 200_000


def test_a_problem_becomes_an_error_with_its_code_detail_and_hint(serve: Serve) -> None:
    serve(refusal("session-not-found", 404, "no session 'x'", "did you mean y?"))

    with pytest.raises(HarkError) as caught:
        Client().get("/sessions/x")

    assert (caught.value.code, caught.value.detail, caught.value.hint) == (
        "session-not-found",
        "no session 'x'",
        "did you mean y?",
    )
    assert caught.value.exit_code == Exit.NOT_FOUND


@pytest.mark.parametrize(
    "body",
    [
        b"Internal Server Error",  # not JSON at all
        b'"oops"',  # JSON, but no object
        b'{"detail": "x"}',  # an object without a code
        b'{"code": "from-the-future", "detail": "x", "hint": ""}',  # a code this version does not know
    ],
)
def test_an_error_answer_of_another_shape_is_internal(body: bytes) -> None:
    assert problem(500, body).code == "internal"


def test_what_may_be_repeated_is_repeated_when_the_connection_drops(serve: Serve) -> None:
    server = serve(DROPPED, answer({"id": "1"}))

    received = Client().post("/sessions/x/send", {"text": "a"}, idempotency_key="k")

    assert received == {"id": "1"}
    assert [request.headers["Idempotency-Key"] for request in server.requests] == ["k", "k"]


def test_it_is_not_repeated_for_ever(serve: Serve) -> None:
    server = serve(*[DROPPED] * 5, answer({}))

    with pytest.raises(HarkError, match="went away"):
        Client().get("/healthz")

    assert len(server.requests) == 5


def test_what_may_not_be_repeated_is_asked_once(serve: Serve) -> None:
    server = serve(DROPPED, answer({}))

    with pytest.raises(HarkError, match="went away"):
        Client().post("/sessions", {"command": ["sh"]})

    assert len(server.requests) == 1


def test_an_answer_that_breaks_off_is_a_dropped_connection(serve: Serve) -> None:
    serve(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", answer({"whole": True}))

    assert Client().get("/x") == {"whole": True}


def test_a_daemon_that_says_nothing_is_given_up_at_the_deadline(home: Path) -> None:
    paths.make_private(paths.runtime_dir())
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(paths.socket_path()))
        listener.listen()

        with pytest.raises(HarkError, match=r"did not answer within 0\.05s") as caught:
            Client(answer_s=0.05).get("/healthz")

    assert caught.value.exit_code == Exit.UNREACHABLE


def test_a_stream_yields_its_chunks_as_they_are(serve: Serve) -> None:
    serve(chunked(b"one\x1b[1m", b"\xff\n"))

    assert list(Client().stream("/x")) == [b"one\x1b[1m", b"\xff\n"]


def test_a_stream_that_breaks_off_says_so_after_what_arrived(serve: Serve) -> None:
    serve(chunked(b"one", is_finished=False))
    pieces = Client().stream("/x")

    assert next(pieces) == b"one"
    with pytest.raises(HarkError, match="went away"):
        next(pieces)


def test_a_stream_that_is_refused_is_an_error_at_once(serve: Serve) -> None:
    serve(refusal("session-not-found", 404))

    with pytest.raises(HarkError) as caught:
        Client().stream("/x")

    assert caught.value.code == "session-not-found"


def test_no_socket_means_that_the_daemon_is_not_running() -> None:
    with pytest.raises(HarkError) as caught:
        Client(starts_daemon=False).get("/healthz")

    assert caught.value.code == "daemon-unreachable"


def test_a_socket_that_nobody_listens_on_means_the_same() -> None:
    paths.make_private(paths.runtime_dir())
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(paths.socket_path()))

    with pytest.raises(HarkError) as caught:
        connect()

    assert caught.value.code == "daemon-unreachable"


def test_a_socket_that_vanishes_at_the_first_look_means_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    paths.make_private(paths.runtime_dir())
    with socket.socket(socket.AF_UNIX) as ending:
        ending.bind(str(paths.socket_path()))
    look = os.lstat

    def look_and_lose(path: str | Path) -> os.stat_result:
        facts = look(path)
        if Path(path) == paths.socket_path():
            paths.socket_path().unlink()
        return facts

    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", look_and_lose)
        with pytest.raises(HarkError) as caught:
            connect()

    assert caught.value.code == "daemon-unreachable"


def test_what_is_no_socket_of_ours_is_not_spoken_to(home: Path) -> None:
    paths.make_private(paths.runtime_dir())
    os.symlink("/somewhere/else.sock", paths.socket_path())

    with pytest.raises(HarkError) as caught:
        connect()

    assert caught.value.code == "directory-unsafe"
    assert caught.value.exit_code == Exit.NOT_ALLOWED


def test_something_that_does_not_speak_http_is_named_as_such(serve: Serve) -> None:
    serve(b"SSH-2.0-OpenSSH_9.6\r\n")

    with pytest.raises(HarkError, match="does not speak HTTP"):
        Client().get("/healthz")


def test_a_name_is_one_segment_of_a_path() -> None:
    assert segment("team/back end?") == "team%2Fback%20end%3F"
