"""Looking on: what a session shows, what happens, what the daemon logs."""

from __future__ import annotations

import json
import os
import pty
import subprocess

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until


def test_output_is_what_the_terminal_shows_wraps_joined_and_no_more_lines_than_asked_for(agent: Agent) -> None:
    long = "word " * 60
    agent.send_and_wait(f"[[say={long}]]", "completed")

    whole = agent.hark.json("output", "-n", "200", "a")["lines"]
    few = agent.hark.ok("output", "-n", "3", "a").splitlines()

    assert long.strip() in whole
    assert few == whole[-3:]
    assert "demo agent · idle" in few[-1]


def test_followed_output_goes_on_and_ends_when_the_session_does(agent: Agent) -> None:
    with agent.hark.follow("output", "-f", "a") as output:
        output.wait_printed("demo agent")
        agent.send("[[say=something new]]")
        output.wait_printed("something new")

        agent.hark.ok("kill", "a")

        assert output.wait_ended() == 0


def test_followed_output_ends_when_the_pane_does(agent: Agent) -> None:
    with agent.hark.follow("output", "-f", "a") as output:
        output.wait_printed("demo agent")

        agent.hark.tmux("kill-pane", "-t", agent.pane)

        assert output.wait_ended() == 0


def test_output_of_a_gone_session_is_refused(agent: Agent) -> None:
    agent.hark.ok("kill", "a")

    refusal = agent.hark.refused("output", "a")

    assert (refusal.exit_code, refusal.code) == (3, "pane-not-found")
    assert "hark ls" in refusal.hint


def test_attaching_gives_the_terminal_to_the_session(agent: Agent) -> None:
    terminal, line = pty.openpty()
    try:
        client = subprocess.Popen(
            [HARK, "attach", "a"], stdin=line, stdout=line, stderr=line, env=agent.hark.environment, process_group=0
        )
        try:
            wanted = f"{os.ttyname(line)} {agent.pane}"
            wait_until(lambda: wanted in shown_panes(agent), DEADLINE_S, "a client that shows the pane")
        finally:
            client.kill()
            client.wait(DEADLINE_S)
    finally:
        os.close(line)
        os.close(terminal)


def shown_panes(agent: Agent) -> list[str]:
    return agent.hark.tmux("list-clients", "-F", "#{client_tty} #{pane_id}").splitlines()


def test_attaching_without_a_terminal_says_what_to_do_instead(agent: Agent) -> None:
    refused = agent.hark.run("attach", "a")

    assert refused.returncode == 1
    assert "attaching needs a terminal" in refused.stderr
    assert "hark output -f a" in refused.stderr


def test_followed_events_begin_where_asked_and_go_on(agent: Agent) -> None:
    first = agent.send_and_wait("one", "completed")

    with agent.hark.follow("events", "-f", "--after", "0", "--json") as events:
        events.wait_printed(first)
        second = agent.send_and_wait("two", "completed")
        wait_until(lambda: completed(events.printed(), second), DEADLINE_S, "the second to complete", events.printed)
        printed = [json.loads(line) for line in events.printed().splitlines()]

    assert printed[0]["kind"] == "session.created"
    numbers = [event["seq"] for event in printed]
    assert numbers == list(range(1, len(numbers) + 1))
    statuses = [event["data"]["status"] for event in printed if event["message_id"] == second]
    assert statuses == ["queued", "staged", "submitted", "acknowledged", "completed"]


def completed(printed: str, message_id: str) -> bool:
    return any(message_id in line and '"completed"' in line for line in printed.splitlines())


def test_recorded_events_end_by_themselves(agent: Agent) -> None:
    lines = agent.hark.ok("events", "--after", "0").splitlines()

    assert lines[0].startswith("1 ")
    assert "session.created" in lines[0]
    assert agent.hark.ok("events", "--after", "1") == ""


def test_a_follower_is_told_when_the_daemon_stops(agent: Agent) -> None:
    with agent.hark.follow("events", "-f") as events:
        events.wait_printed("session.created")

        agent.hark.ok("daemon", "stop")

        assert events.wait_ended() == 6


def test_a_follower_of_output_does_not_keep_the_daemon_from_stopping(agent: Agent) -> None:
    with agent.hark.follow("output", "-f", "a") as output:
        output.wait_printed("demo agent")

        agent.hark.ok("daemon", "stop")

        assert output.wait_ended() == 0


def test_the_log_is_followed_across_a_restart_of_the_daemon(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    with hark.follow("logs", "-f") as log:
        log.wait_printed("ready")

        hark.ok("daemon", "stop")
        log.wait_printed("stopped")
        agent = Agent(hark)
        message_id = agent.send_and_wait("hello", "submitted")

        log.wait_printed(message_id)


def test_the_story_of_a_message_is_told_to_people_too(agent: Agent) -> None:
    message_id = agent.send_and_wait("tell me\nall of it", "completed")

    story = agent.hark.ok("show", message_id[:6])

    assert f"message {message_id} to a" in story
    assert "  tell me\n  all of it" in story
    assert [word for word in ("queued", "staged", "submitted", "acknowledged", "completed") if word not in story] == []
