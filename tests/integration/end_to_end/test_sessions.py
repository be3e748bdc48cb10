"""Sessions: started, adopted, named, ended, and found again by what somebody types."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until


@pytest.fixture
def tmux() -> Iterator[PrivateTmux]:
    """A tmux server that is not hark's."""
    with PrivateTmux() as server:
        yield server


def agent_in(tmux: PrivateTmux) -> str:
    """The pane of a demo agent that hark did not start; its record is `log` in the server's directory."""
    log = tmux.directory / "log"
    pane = tmux.new([PROGRAM, "--log", str(log)], 100, 30)
    wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent in the human's own tmux")
    return pane


def test_a_killed_pane_makes_its_session_gone_and_messages_to_it_wait(agent: Agent) -> None:
    Agent(agent.hark, "other")
    agent.hark.tmux("kill-pane", "-t", agent.pane)

    gone = agent.hark.wait_gone("a")

    assert gone["gone_at"] is not None
    message_id = agent.send("anybody there?", "--queue")
    agent.hark.wait_status(message_id, "held", "session-gone")
    assert [session["name"] for session in agent.hark.json("ls")["sessions"]] == ["other"]
    assert [session["name"] for session in agent.hark.json("ls", "-a")["sessions"]] == ["a", "other"]


def test_a_message_that_waited_is_held_when_its_session_goes(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "make")
    Agent(hark, "other")
    message_id = agent.send("too late")
    hark.wait_status(message_id, "held", "dialog")

    hark.tmux("kill-pane", "-t", agent.pane)

    hark.wait_status(message_id, "held", "session-gone")
    assert hark.json("send", "--wait", "completed", "other", "still working?")["status"] == "completed"


def test_an_agent_that_ends_by_itself_makes_its_session_gone(agent: Agent) -> None:
    agent.hark.tmux("send-keys", "-t", agent.pane, "C-d")

    assert agent.hark.wait_gone("a")["state"] == "gone"


def test_a_killed_tmux_server_makes_its_sessions_gone_and_a_new_one_can_be_started(agent: Agent) -> None:
    server = int(agent.hark.tmux("display-message", "-p", "#{pid}"))
    os.kill(server, signal.SIGKILL)

    agent.hark.wait_gone("a")

    message_id = agent.send("hello?", "--queue")
    agent.hark.wait_status(message_id, "held", "session-gone")
    again = Agent(agent.hark, "b")
    again.send_and_wait("a new start", "completed")
    assert again.bodies() == ["a new start"]


def test_an_ended_session_yields_its_name_and_keeps_its_messages(agent: Agent) -> None:
    message_id = agent.send_and_wait("for the first", "completed")
    agent.hark.ok("kill", "a")

    second = Agent(agent.hark, "a")

    assert second.id != agent.id
    assert agent.hark.message(message_id)["session_id"] == agent.id
    assert agent.hark.session("a")["id"] == second.id


def test_killing_a_session_ends_its_agent(agent: Agent) -> None:
    said = agent.hark.ok("kill", "a")

    assert said == f"killed a {agent.id}\n"
    panes = agent.hark.tmux("list-panes", "-a", "-F", "#{pane_id}").split()
    assert agent.pane not in panes
    assert agent.hark.session("a")["state"] == "gone"


@pytest.mark.parametrize("target", ["pane-id", "session", "window", "pane-index"])
def test_a_pane_is_adopted_by_any_name_that_tmux_has_for_it(hark: RunningHark, tmux: PrivateTmux, target: str) -> None:
    pane = agent_in(tmux)
    tmux.run("rename-session", "-t", pane, "work")
    tmux.run("rename-window", "-t", pane, "agents")
    names = {"pane-id": pane, "session": "work", "window": "work:agents", "pane-index": "work:0.0"}

    session = hark.json("adopt", "-S", str(tmux.socket), "-n", "mine", names[target])

    assert (session["pane_id"], session["agent"], session["is_adopted"]) == (pane, "demo", True)
    assert hark.json("send", "--wait", "submitted", "mine", "hello")["status"] in ("submitted", "acknowledged")
    assert "hello" in (tmux.directory / "log").read_text()


def test_a_pane_is_adopted_from_inside_of_itself(hark: RunningHark, tmux: PrivateTmux) -> None:
    pane = agent_in(tmux)
    inside = {"TMUX": f"{tmux.socket},1,0", "TMUX_PANE": pane}

    session = hark.json("adopt", environment=inside)

    assert (session["pane_id"], session["socket"], session["agent"]) == (pane, str(tmux.socket), "demo")


def test_an_adopted_pane_lives_on_when_its_session_is_killed(hark: RunningHark, tmux: PrivateTmux) -> None:
    pane = agent_in(tmux)
    hark.ok("adopt", "-S", str(tmux.socket), "-n", "mine", pane)

    said = hark.ok("kill", "mine")

    assert said.endswith("its pane goes on\n")
    assert not tmux.is_dead(pane)
    assert hark.session("mine")["state"] == "gone"
    assert hark.json("adopt", "-S", str(tmux.socket), "-n", "mine", pane)["state"] == "running"


def test_a_pane_is_adopted_once(hark: RunningHark, tmux: PrivateTmux) -> None:
    pane = agent_in(tmux)
    hark.ok("adopt", "-S", str(tmux.socket), "-n", "mine", pane)

    refusal = hark.refused("adopt", "-S", str(tmux.socket), "-n", "again", pane)

    assert (refusal.exit_code, refusal.code) == (1, "pane-adopted")
    assert "hark rename mine" in refusal.hint


def test_a_pane_that_is_not_there_cannot_be_adopted(hark: RunningHark, tmux: PrivateTmux) -> None:
    agent_in(tmux)

    refusal = hark.refused("adopt", "-S", str(tmux.socket), "%99")

    assert (refusal.exit_code, refusal.code) == (3, "pane-not-found")
    assert "tmux list-panes -a" in refusal.hint


def test_a_server_that_is_not_there_cannot_be_adopted_from_and_is_not_started(hark: RunningHark) -> None:
    socket = hark.home / "nothing"

    refusal = hark.refused("adopt", "-S", str(socket), "%0")

    assert (refusal.exit_code, refusal.code) == (1, "tmux-gone")
    assert refusal.hint
    assert not socket.exists()


def test_a_target_cannot_smuggle_a_command_to_tmux(hark: RunningHark, tmux: PrivateTmux) -> None:
    pane = agent_in(tmux)

    for target in (f"{pane}\nkill-server", f"{pane} ; kill-server", f'{pane}" ; kill-server ; "', "#(kill $PPID)"):
        assert hark.refused("adopt", "-S", str(tmux.socket), "--", target).code == "pane-not-found"

    assert not tmux.is_dead(pane)


def test_a_renamed_session_keeps_its_id_and_its_queue(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "make")
    message_id = agent.send("wait here")

    renamed = hark.json("rename", "a", "team/b")

    assert renamed["id"] == agent.id
    assert [message["id"] for message in hark.json("queue", "team/b")["pending_messages"]] == [message_id]
    assert hark.refused("queue", "a").code == "session-not-found"


def test_the_former_name_of_a_session_is_no_prefix_of_anothers_id_also_after_a_restart(hark: RunningHark) -> None:
    other = Agent(hark, "other")
    former = other.id[:4]
    Agent(hark, former)
    hark.ok("rename", former, "renamed")

    for _ in range(2):
        for wanted in (former, f"{former},renamed"):
            assert hark.refused("send", wanted, "for the one that was renamed").code == "session-not-found"
        hark.kill_daemon()

    assert other.prompts() == []


def test_too_few_digits_of_an_id_name_no_session(hark: RunningHark) -> None:
    agent = Agent(hark, "zulu")

    for digits in range(1, 4):
        assert hark.refused("queue", agent.id[:digits]).code == "session-not-found"
    assert hark.json("queue", agent.id[:4])["pending_messages"] == []


def test_a_name_in_use_is_refused(hark: RunningHark) -> None:
    first, second = Agent(hark, "first"), Agent(hark, "second")

    for words in (("rename", "second", "first"), ("new", "-n", "first", "--", "cat")):
        refusal = hark.refused(*words)
        assert (refusal.exit_code, refusal.code) == (1, "name-taken")
        assert refusal.hint
    assert {session["id"] for session in hark.json("ls")["sessions"]} == {first.id, second.id}


def test_a_session_is_found_by_a_prefix_of_its_name_or_id(hark: RunningHark) -> None:
    agent, other = Agent(hark, "backend"), Agent(hark, "worker")

    for wanted in ("backend", "back", agent.id, agent.id[:6]):
        hark.ok("send", "--wait", "completed", wanted, f"by {wanted}")

    assert len(agent.bodies()) == 4
    assert other.bodies() == []


def test_the_name_of_a_gone_session_is_no_prefix_of_anothers_id(hark: RunningHark) -> None:
    other = Agent(hark, "other")
    ended = Agent(hark, other.id[:4])
    hark.ok("kill", ended.name)

    message_id = ended.send("for the one that ended", "--queue")

    hark.wait_status(message_id, "held", "session-gone")
    assert other.prompts() == []


def test_a_prefix_of_two_names_and_a_misspelt_name_are_answered_with_the_near_ones(hark: RunningHark) -> None:
    for name in ("backend-1", "backend-2"):
        Agent(hark, name)

    ambiguous = hark.refused("send", "back", "hi")
    misspelt = hark.refused("send", "bakend-1", "hi")

    assert (ambiguous.exit_code, ambiguous.code) == (3, "session-ambiguous")
    assert "backend-1" in ambiguous.detail
    assert "backend-2" in ambiguous.detail
    assert (misspelt.exit_code, misspelt.code) == (3, "session-not-found")
    assert "did you mean backend-1" in misspelt.hint
