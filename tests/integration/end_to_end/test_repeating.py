"""The same Idempotency-Key starts one agent, whoever repeats the request, whenever, and whichever daemon hears it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.calling import Answer
from tests.integration.end_to_end.running import RunningHark

Body = dict[str, Any]


def spawn_body(hark: RunningHark, **fields: object) -> Body:
    command = [PROGRAM, "--log", str(hark.home / "a.log")]
    return {"agent": "demo", "task": "begin", "command": command, "directory": str(hark.home), **fields}


def new_body(hark: RunningHark, **fields: object) -> Body:
    return {"command": ["cat"], "directory": str(hark.home), **fields}


STARTS = {"/spawn": spawn_body, "/sessions": new_body}


def start(hark: RunningHark, path: str, key: str, **fields: object) -> Answer:
    return hark.api("POST", path, STARTS[path](hark, **fields), {"Idempotency-Key": key})


def names(hark: RunningHark) -> list[str]:
    return [session["name"] for session in hark.json("ls", "--all")["sessions"]]


@pytest.mark.parametrize("path", STARTS)
def test_a_repeated_key_gets_the_same_answer_and_starts_nothing(hark: RunningHark, path: str) -> None:
    hark.ok("daemon", "start")
    first = start(hark, path, "k-é".encode().hex(), name="a")

    second = start(hark, path, "k-é".encode().hex(), name="a")

    assert (first.status, second.status) == (201, 201)
    assert second.json == first.json
    assert names(hark) == ["a"]
    # Another key is another request.
    assert start(hark, path, "other", name="b").status == 201
    assert names(hark) == ["a", "b"]


@pytest.mark.parametrize("path", STARTS)
def test_the_key_outlives_the_daemon(hark: RunningHark, path: str) -> None:
    hark.ok("daemon", "start")
    first = start(hark, path, "k")
    hark.kill_daemon()
    hark.ok("daemon", "start")

    assert start(hark, path, "k").json == first.json
    assert len(names(hark)) == 1


def test_the_same_key_with_other_content_is_a_conflict(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    start(hark, "/spawn", "k", environment={"TOKEN": "secret"})

    others = [
        start(hark, "/spawn", "k", environment={"TOKEN": "another"}),
        start(hark, "/spawn", "k", task="something else"),
        start(hark, "/sessions", "k"),
    ]

    assert [(other.status, other.json["code"]) for other in others] == [(409, "idempotency-conflict")] * 3
    assert len(names(hark)) == 1
    assert "secret" not in (hark.state / "hark.log").read_text()


def test_twenty_repetitions_at_once_start_one_agent(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    together = threading.Barrier(20)

    def ask(_: int) -> Any:
        together.wait()
        return start(hark, "/spawn", "k").json

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))

    assert all(answer == answers[0] for answer in answers)
    assert len(names(hark)) == 1


def test_a_request_that_was_refused_leaves_its_key_free(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    assert start(hark, "/spawn", "k", command=["/no/such/program"]).status == 422

    assert start(hark, "/spawn", "k").status == 201
    assert len(names(hark)) == 1


def test_the_command_starts_one_agent_for_a_key(hark: RunningHark) -> None:
    words = ("spawn", "--agent", "demo", "--command", PROGRAM, "--idempotency-key", "k", "begin")

    assert hark.json(*words) == hark.json(*words)
    assert hark.refused(*words[:-1], "something else").code == "idempotency-conflict"
    assert len(names(hark)) == 1
