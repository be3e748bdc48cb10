from collections.abc import Callable

import pytest

from hark.cli.main import run
from hark.model.errors import Exit
from tests.unit.cli.canned import CannedServer, answer, chunked

Serve = Callable[..., CannedServer]


def test_the_last_lines_are_printed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(answer({"session_id": "x", "lines": ["one", "", "two"]}))

    assert run(["output", "backend", "-n", "3"]) == Exit.OK

    assert capsys.readouterr().out == "one\n\ntwo\n"
    assert server.requests[0].line == "GET /sessions/backend/output?lines=3 HTTP/1.1"


def test_following_goes_on_with_the_bytes_as_they_are(serve: Serve, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    serve(chunked(b"\x1b[1mraw", b"\xff"), answer({"session_id": "x", "lines": ["one"]}))

    assert run(["output", "backend", "-f", "--raw"]) == Exit.OK

    assert capfdbinary.readouterr().out == b"one\n\x1b[1mraw\xff"


def test_raw_bytes_cannot_be_json() -> None:
    assert run(["output", "backend", "-f", "--json"]) == Exit.USAGE
