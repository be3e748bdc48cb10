"""Sessions that come back: under the same id and name, with the same queue, after their agent or their tmux server has ended."""

from __future__ import annotations

import subprocess

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until


def test_a_session_that_starts_again_keeps_its_id_and_gets_what_waited_for_it_once(agent: Agent) -> None:
    Agent(agent.hark, "other")
    agent.hark.tmux("kill-pane", "-t", agent.pane)
    agent.hark.wait_gone("a")
    message_id = agent.send("for later", "--queue")
    agent.hark.wait_status(message_id, "held", "session-gone")

    made = agent.hark.json("restart", "a")

    assert (made["session"]["id"], made["session"]["name"], made["session"]["state"]) == (agent.id, "a", "running")
    assert (made["session"]["gone_at"], made["session"]["gone_because"]) == (None, "")
    agent.hark.wait_reached(message_id, "completed")
    assert agent.bodies() == ["for later"]


def test_a_session_starts_again_as_often_as_it_ends(agent: Agent) -> None:
    for count in range(2, 5):
        agent.hark.json("restart", "--kill", "a")
        agent.wait_event("ready", count)
        assert agent.send_and_wait(f"run {count}", "completed")

    assert agent.bodies() == ["run 2", "run 3", "run 4"]


def test_a_running_session_starts_again_only_on_request(agent: Agent) -> None:
    refusal = agent.hark.refused("restart", "a")

    assert refusal.code == "session-running"
    assert "--kill" in refusal.hint
    assert agent.hark.session("a")["state"] == "running"


def test_a_command_that_cannot_start_ends_nothing(agent: Agent) -> None:
    refusal = agent.hark.refused("restart", "--kill", "a", "no-such-program-anywhere")

    assert refusal.code == "request-invalid"
    assert agent.hark.session("a")["state"] == "running"


def test_a_session_that_cannot_start_again_stays_gone_with_its_queue(agent: Agent) -> None:
    agent.hark.ok("kill", "a")
    message_id = agent.send("for later", "--queue")

    assert agent.hark.refused("restart", "a", "no-such-program-anywhere").code == "request-invalid"

    assert agent.hark.session("a")["gone_because"] == "killed"
    agent.hark.wait_status(message_id, "held", "session-gone")


def test_a_session_in_a_pane_of_the_humans_does_not_start_again(hark: RunningHark) -> None:
    with PrivateTmux() as tmux:
        pane = tmux.new([PROGRAM, "--log", str(tmux.directory / "log")], 100, 30)
        hark.json("adopt", "-S", str(tmux.socket), "-n", "mine", pane)
        hark.ok("kill", "mine")

        assert hark.refused("restart", "mine").code == "session-adopted"


def test_a_session_whose_name_another_one_has_taken_comes_back_under_another_name(agent: Agent) -> None:
    agent.hark.ok("kill", "a")
    Agent(agent.hark, "a")

    made = agent.hark.json("restart", agent.id)

    assert made["session"]["id"] == agent.id
    assert made["session"]["name"] != "a"
    assert len(agent.hark.json("ls")["sessions"]) == 2


def test_up_starts_what_ended_with_its_tmux_server_and_nothing_else(hark: RunningHark) -> None:
    first, second, ended = Agent(hark, "first"), Agent(hark, "second"), Agent(hark, "ended")
    hark.ok("kill", "ended")
    hark.tmux("kill-server")
    for agent in (first, second):
        gone = hark.wait_gone(agent.name)
        assert gone["gone_because"] == "its tmux server is gone"

    made = hark.json("up")

    assert {one["session"]["id"] for one in made["restarted"]} == {first.id, second.id}
    assert made["failed"] == []
    for agent in (first, second):
        agent.wait_event("ready", 2)
        assert agent.send_and_wait("are you back?", "completed")
    assert hark.session(ended.id)["state"] == "gone"
    assert hark.json("up") == {"started": [], "restarted": [], "failed": []}


def test_up_after_a_new_daemon_finds_no_tmux_server(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.kill_daemon()
    hark.tmux("kill-server")
    hark.ok("daemon", "start")
    hark.wait_gone("a")

    made = hark.json("up")

    assert [one["session"]["id"] for one in made["restarted"]] == [agent.id]


def test_up_after_another_tmux_server_took_the_place_of_the_one_that_ended(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.kill_daemon()
    hark.tmux("kill-server")
    wait_until(lambda: has_younger_server(hark, agent), DEADLINE_S, "a younger tmux server")
    hark.ok("daemon", "start")
    assert hark.wait_gone("a")["gone_because"] == "its tmux server is gone"

    made = hark.json("up")

    assert [one["session"]["id"] for one in made["restarted"]] == [agent.id]


def has_younger_server(hark: RunningHark, agent: Agent) -> bool:
    """Start a tmux server on the socket of hark's, and end it again if it did not start in a later second than the agent."""
    started = ["tmux", "-S", str(hark.tmux_socket), "-f", "/dev/null", "new-session", "-d", "sleep 600"]
    if subprocess.run(started, env=hark.environment, capture_output=True, check=False).returncode != 0:
        return False  # The server that was ended has not gone yet.
    if int(hark.tmux("display-message", "-p", "#{start_time}")) > agent.log.stat().st_mtime + 2:
        return True
    hark.tmux("kill-server")
    return False


def test_a_new_session_under_a_gone_ones_name_takes_its_queue_over(agent: Agent) -> None:
    lost = agent.post("[[busy=600]] lost")
    agent.hark.wait_status(lost, "acknowledged")
    agent.hark.ok("hold", "a")
    left = agent.post("left over")
    agent.hark.ok("kill", "a")
    agent.hark.wait_status(left, "held", "session-gone")
    kept = [agent.send(f"kept {number}", "--queue") for number in range(2)]
    agent.log.unlink()

    heir = Agent(agent.hark, "a")

    for message_id in (left, *kept):
        agent.hark.wait_reached(message_id, "completed")
        message = agent.hark.message(message_id)
        assert message["session_id"] == heir.id != agent.id
    assert heir.bodies() == ["left over", "kept 0", "kept 1"]
    agent.hark.wait_status(lost, "failed")
    assert "takes over what waited" in agent.hark.ok("show", left)
    assert agent.hark.session("a")["heir_of"] == agent.id


def test_a_session_that_hark_names_takes_no_queue_over(hark: RunningHark) -> None:
    first = hark.json("new", "--", "sleep", "600")
    hark.ok("kill", first["id"])
    kept = hark.json("send", "--queue", first["id"], "for the first")["id"]

    second = hark.json("new", "--", "sleep", "600")

    assert (second["name"], second["heir_of"]) == (first["name"], None)
    assert hark.message(kept)["session_id"] == first["id"]


def test_a_session_that_cannot_start_takes_nothing_over(agent: Agent) -> None:
    agent.hark.ok("kill", "a")
    kept = agent.send("kept", "--queue")

    agent.hark.refused("new", "-n", "a", "--", "no-such-program-anywhere")

    assert agent.hark.session("a")["id"] == agent.id
    agent.hark.wait_status(kept, "held", "session-gone")
