"""The daemon killed in the middle of the start of a session: an agent that runs has a session, and nothing else is left."""

from __future__ import annotations

import http.client
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.end_to_end import dying_in_start
from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until

_SERVE = 'exec "$0" -W default "$@" 2>>"$HARK_HOME/stderr"'


@pytest.fixture
def mortal() -> Iterator[tuple[RunningHark, Path]]:
    with RunningHark() as hark:
        plan = hark.home / "plan"
        words = ["sh", "-c", _SERVE, sys.executable, str(Path(dying_in_start.__file__)), str(plan)]
        hark.environment["HARK_SERVE_COMMAND"] = shlex.join(words)
        hark.environment["PYTHONPATH"] = str(Path(__file__).parents[3])
        yield hark, plan


def start_and_die(hark: RunningHark, plan: Path, point: str, *options: str) -> None:
    hark.ok("ls")
    plan.write_text(point)
    body = {"command": [PROGRAM], "name": "lost", "environment": {"PATH": hark.environment["PATH"]}}
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        hark.api("POST", "/sessions", body | dict(option.split("=", 1) for option in options))
    wait_until(lambda: hark.daemon_pid() is None, DEADLINE_S, "the daemon to die", hark.log)
    hark.ok("daemon", "start")


def test_an_agent_that_runs_becomes_a_session_again(mortal: tuple[RunningHark, Path]) -> None:
    hark, plan = mortal

    start_and_die(hark, plan, "opened")

    found = hark.session("lost")
    assert (found["state"], found["agent"], found["command"]) == ("running", "demo", [PROGRAM])
    assert hark.json("send", "--wait", "completed", "lost", "are you there?")["status"] == "completed"
    events = [json.loads(line) for line in hark.ok("events", "--json").splitlines()]
    assert [event["session_id"] for event in events if event["kind"] == "session.created"] == [found["id"]]


def test_it_is_found_in_a_server_that_nobody_has_used_before(mortal: tuple[RunningHark, Path]) -> None:
    hark, plan = mortal
    with PrivateTmux() as tmux:
        tmux.new("cat")

        start_and_die(hark, plan, "opened", f"socket_path={tmux.socket}")

        assert hark.session("lost")["socket"] == str(tmux.socket)
        hark.ok("kill", "lost")


def test_a_start_that_made_no_pane_leaves_nothing_and_frees_the_name(mortal: tuple[RunningHark, Path]) -> None:
    hark, plan = mortal

    start_and_die(hark, plan, "recorded")

    assert hark.json("ls", "-a")["sessions"] == []
    assert hark.json("new", "-d", "-n", "lost", "--", PROGRAM)["name"] == "lost"


def test_a_start_that_fails_leaves_nothing(hark: RunningHark) -> None:
    hark.ok("ls")
    body = {"command": ["/bin/cat"], "name": "x", "beside": {"pane_id": "%999"}}

    assert hark.api("POST", "/sessions", body).status in (404, 503)

    assert hark.json("ls", "-a")["sessions"] == []
    assert hark.json("new", "-d", "-n", "x", "--", PROGRAM)["name"] == "x"
