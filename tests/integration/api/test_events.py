"""Events over a WebSocket: every one, once, in order, also across a lost connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, unix_connect

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark


@contextmanager
def following(hark: RunningHark, after: str) -> Iterator[ClientConnection]:
    uri = f"ws://localhost/events?after={after}"
    with unix_connect(str(hark.socket), uri, open_timeout=DEADLINE_S, max_queue=None) as channel:
        yield channel


def receive(channel: ClientConnection, count: int) -> list[dict[str, Any]]:
    return [json.loads(channel.recv(DEADLINE_S)) for _ in range(count)]


def recorded(hark: RunningHark, after: int = 0) -> list[dict[str, Any]]:
    return list(hark.api("GET", f"/events?after={after}&limit=10000").json["events"])


def test_events_resume_without_a_gap_and_without_a_double_across_reconnects(hark: RunningHark, agent: Agent) -> None:
    start = hark.api("GET", "/healthz").json["last_event_seq"]
    seen: list[dict[str, Any]] = []

    for number in range(4):
        with following(hark, str(seen[-1]["seq"] if seen else start)) as channel:
            agent.send_and_wait(f"while connected {number}", "completed")
            seen += receive(channel, 3)
        agent.send_and_wait(f"while away {number}", "completed")
    last = hark.api("GET", "/healthz").json["last_event_seq"]
    with following(hark, str(seen[-1]["seq"])) as channel:
        seen += receive(channel, last - seen[-1]["seq"])

    assert seen == recorded(hark, start)
    assert [event["seq"] for event in seen] == list(range(start + 1, last + 1))


def test_a_lost_connection_and_a_killed_daemon_lose_no_event() -> None:
    with RunningHark() as hark:
        agent = Agent(hark)
        with following(hark, "0") as channel:
            seen = receive(channel, 1)
            hark.kill_daemon()
            with suppress(ConnectionClosed):
                while True:
                    seen += receive(channel, 1)

        agent.send_and_wait("to the next daemon", "completed")
        expected = recorded(hark)
        with following(hark, str(seen[-1]["seq"])) as channel:
            seen += receive(channel, len(expected) - len(seen))

        assert seen == expected


def test_many_followers_see_the_same(hark: RunningHark, agent: Agent) -> None:
    start = hark.api("GET", "/healthz").json["last_event_seq"]
    with following(hark, str(start)) as first, following(hark, str(start)) as second:
        agent.send_and_wait("for all to see", "completed")
        count = len(recorded(hark, start))

        assert receive(first, count) == receive(second, count) == recorded(hark, start)


@pytest.mark.parametrize("after", ["soon", "-1", "99999999999999999999", "nan"])
def test_a_place_that_cannot_be_is_refused_with_a_reason(hark: RunningHark, after: str) -> None:
    with following(hark, after) as channel, pytest.raises(ConnectionClosed) as closed:
        channel.recv(DEADLINE_S)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    assert "after must be a number" in closed.value.rcvd.reason


def test_what_a_follower_says_is_of_no_interest(hark: RunningHark, agent: Agent) -> None:
    start = hark.api("GET", "/healthz").json["last_event_seq"]
    with following(hark, str(start)) as channel:
        channel.send("hello?")
        channel.send(b"\x00\xff" * 1000)

        agent.send_and_wait("still there", "completed")

        assert receive(channel, 1)[0]["seq"] == start + 1


def test_recorded_events_come_in_pages(hark: RunningHark, agent: Agent) -> None:
    agent.send_and_wait("some events", "completed")
    whole = recorded(hark)

    first = hark.api("GET", "/events?limit=3").json
    second = hark.api("GET", f"/events?limit=3&after={first['events'][-1]['seq']}").json

    assert first["events"] + second["events"] == whole[:6]
    assert first["last_seq"] == whole[-1]["seq"]
