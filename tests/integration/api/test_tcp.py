"""HTTP over TCP: only with the token, only under a loopback name, and for no page of another origin."""

from __future__ import annotations

import http.client
import socket
import stat
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.integration.end_to_end.calling import DEADLINE_S, Answer, call
from tests.integration.end_to_end.running import RunningHark


class TcpHark:
    def __init__(self, hark: RunningHark) -> None:
        self.port = free_port()
        hark.set(listen=f"127.0.0.1:{self.port}")
        hark.ok("daemon", "start")
        self.token = (hark.home / "state/token").read_text().strip()

    def get(self, **headers: str | None) -> Answer:
        """With the right token and host, unless a header says otherwise; None leaves it out."""
        given = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.token}", **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        return call(connection, "GET", "/healthz", None, {k: v for k, v in given.items() if v is not None})


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def tcp(hark: RunningHark) -> TcpHark:
    return TcpHark(hark)


@pytest.fixture
def fresh() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


def check_refused(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["hint"]


def test_the_token_opens(hark: RunningHark, tcp: TcpHark) -> None:
    answer = tcp.get()

    assert (answer.status, answer.json["pid"]) == (200, hark.daemon_pid())
    assert stat.S_IMODE((hark.home / "state/token").stat().st_mode) == 0o600
    assert len(tcp.token) >= 40


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "{token}", "bearer x{token}"]
)
def test_anything_but_the_token_is_refused(tcp: TcpHark, given: str | None) -> None:
    answer = tcp.get(Authorization=given and given.replace("{token}", tcp.token))

    check_refused(answer, 401, "token-wrong")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1:1",
        "",
        "[",
        "a:b:c",
        "[::1]:x",
    ],
)
def test_a_name_that_is_not_loopback_is_refused_even_with_the_token(tcp: TcpHark, host: str) -> None:
    check_refused(tcp.get(Host=host.replace("{port}", str(tcp.port))), 403, "host-refused")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:{port}", "[::1]:{port}"])
def test_any_loopback_name_is_accepted(tcp: TcpHark, host: str) -> None:
    assert tcp.get(Host=host.replace("{port}", str(tcp.port))).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "null", "http://[", "http://127.0.0.1:x"],
)
def test_a_page_of_another_origin_is_refused_even_with_the_token(tcp: TcpHark, origin: str) -> None:
    check_refused(tcp.get(Origin=origin.replace("{port}", str(tcp.port))), 403, "origin-refused")


def test_a_page_of_its_own_origin_is_let_in(tcp: TcpHark) -> None:
    assert tcp.get(Origin=f"http://127.0.0.1:{tcp.port}").status == 200


def test_events_over_tcp_need_the_token_too(tcp: TcpHark) -> None:
    uri = f"ws://127.0.0.1:{tcp.port}/events"

    with pytest.raises(InvalidStatus) as refused, connect(uri, open_timeout=DEADLINE_S):
        pass
    with connect(uri, open_timeout=DEADLINE_S, additional_headers={"Authorization": f"Bearer {tcp.token}"}) as channel:
        channel.ping().wait(DEADLINE_S)

    assert refused.value.response.status_code == 403


def test_the_token_outlives_the_daemon(fresh: RunningHark) -> None:
    first = TcpHark(fresh)
    fresh.ok("daemon", "stop")

    second = TcpHark(fresh)

    assert second.token == first.token
    assert second.get().status == 200


@pytest.mark.parametrize("left_behind", [b"", b"\n"])
def test_an_empty_token_lets_nobody_in_and_is_replaced(fresh: RunningHark, left_behind: bytes) -> None:
    (fresh.home / "state").mkdir(mode=0o700)
    (fresh.home / "state/token").write_bytes(left_behind)
    (fresh.home / "state/token").chmod(0o644)

    tcp = TcpHark(fresh)

    check_refused(tcp.get(Authorization="Bearer "), 401, "token-wrong")
    assert tcp.get().status == 200
    assert stat.S_IMODE((fresh.home / "state/token").stat().st_mode) == 0o600


def test_without_the_setting_nothing_listens_on_tcp(fresh: RunningHark) -> None:
    fresh.ok("daemon", "start")

    assert not (fresh.home / "state/token").exists()
