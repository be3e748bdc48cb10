from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hark.daemon.hearing.http_post import post
from hark.model.errors import HarkError

KEY = "sk-secret"


class Service(ThreadingHTTPServer):
    """Answers with a status and remembers what it was asked."""

    def __init__(self, status: int = 200, location: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.status, self.location = status, location
        self.requests: list[tuple[str, str, str | None]] = []
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def end(self) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()


class Answering(BaseHTTPRequestHandler):
    def answer(self) -> None:
        assert isinstance(self.server, Service)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, self.headers.get("Authorization")))
        self.send_response(self.server.status)
        if self.server.location is not None:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_POST = do_GET = answer

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[Service]:
    service = Service()
    yield service
    service.end()


async def ask(url: str) -> bytes:
    return await post(url, b"{}", {"Authorization": f"Bearer {KEY}"}, 10)


async def test_an_answer_comes_back(elsewhere: Service) -> None:
    assert await ask(f"{elsewhere.url}/v1?a=b") == b"ok"

    assert elsewhere.requests == [("POST", "/v1?a=b", f"Bearer {KEY}")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(elsewhere: Service, status: int) -> None:
    service = Service(status, f"{elsewhere.url}/token-of-theirs")
    try:
        with pytest.raises(HarkError) as refused:
            await ask(f"{service.url}/hooks/secret-path")
    finally:
        service.end()

    assert elsewhere.requests == []
    assert refused.value.detail == f"{service.url} answered {status}"
    assert elsewhere.url in refused.value.hint
    assert "token-of-theirs" not in refused.value.hint


# what cannot be reached or is no answer, and the address without what is secret in it
@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://me:secret@127.0.0.1:1/secret?key=secret", "http://127.0.0.1:1"),  # nobody listens
        ("http://127.0.0.1:notaport/secret", "the address"),
        ("http://[::1/secret", "the address"),
    ],
)
async def test_a_failure_does_not_tell_the_whole_address(url: str, told: str) -> None:
    with pytest.raises(HarkError) as failed:
        await ask(url)

    assert failed.value.detail.startswith(told)
    assert "secret" not in failed.value.detail


async def test_an_error_of_the_service_is_told() -> None:
    service = Service(500)
    try:
        with pytest.raises(HarkError) as failed:
            await ask(service.url)
    finally:
        service.end()

    assert failed.value.detail == f"{service.url} answered 500"
