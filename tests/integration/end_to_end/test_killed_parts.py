"""The airlock or the tmux server is killed, idle or in the middle of a delivery: then the agent has no terminal any more. The
daemon goes on, the session is gone and says so, no message claims what did not happen, and no process stays behind."""

from __future__ import annotations

import os

import pytest

from tests.agents.running import is_running, processes
from tests.integration.end_to_end.killing import DELIVERED, LONG_DRAFT, Patient, demo_patient
from tests.integration.end_to_end.running import DEADLINE_S
from tests.support.terminals import wait_until

VICTIMS = ("airlock", "tmux")
# Before the draft is taken, with the draft taken, with our text in the box, with Enter under way, after the submit.
POINTS = ("during 2", "after 3", "after 7", "during 11", "after 12")


def pid_of(patient: Patient, victim: str) -> int:
    return int(patient.tmux.read(patient.pane, "#{pane_pid}" if victim == "airlock" else "#{pid}"))


def agent_pid(patient: Patient) -> int:
    [airlock] = patient.airlocks()
    return int(str(airlock["agent_pid"]))


def check_clear_state(patient: Patient, agent: int, daemon: int | None) -> None:
    gone = patient.hark.wait_gone("a")
    assert gone["state"] == "gone"
    assert patient.hark.daemon_pid() == daemon
    assert patient.hark.json("ls")["sessions"] == []
    assert "gone" in patient.hark.ok("ls", "-a")
    wait_until(lambda: not is_running(agent), DEADLINE_S, "the agent to end")
    rows = [row.split(maxsplit=1) for row in processes("pid=,args=") if str(patient.hark.home) in row]
    # The daemon stays, and a tmux server that it is connected to.
    ours = [words for pid, words in rows if int(pid) != daemon and not words.startswith("tmux ")]
    assert ours == []


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_session_that_loses_its_terminal_while_idle_is_gone_and_says_so(victim: str) -> None:
    with demo_patient("stash") as patient:
        agent, daemon = agent_pid(patient), patient.hark.daemon_pid()

        os.kill(pid_of(patient, victim), 9)

        check_clear_state(patient, agent, daemon)
        patient.hark.wait_status(
            patient.hark.ok("send", "-q", "--queue", "a", "too late").strip(), "held", "session-gone"
        )
        [why] = [line["why"] for line in patient.hark.log() if line["message"] == "session gone"]
        assert why in ("its pane is gone", "its airlock was killed", "its tmux server is gone")


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("point", POINTS)
def test_a_message_whose_session_loses_its_terminal_on_the_way_says_what_is_known(victim: str, point: str) -> None:
    with demo_patient("stash") as patient:
        agent, daemon = agent_pid(patient), patient.hark.daemon_pid()
        patient.write(LONG_DRAFT)
        patient.plan.write_text(f"{point} {pid_of(patient, victim)}")

        message_id = patient.send("on the way", "key")

        assert message_id
        check_clear_state(patient, agent, daemon)
        assert not patient.plan.exists()
        arrivals = sum(message_id in text for text in patient.submitted())
        message = patient.hark.message(message_id)
        if message["status"] == "held":
            assert (message["reason"], arrivals) == ("session-gone", 0)
        else:
            assert message["status"] in (*DELIVERED, "uncertain")
        assert arrivals == (1 if message["status"] in DELIVERED else arrivals) <= 1
        assert message["status"] in patient.hark.ok("show", message_id)
