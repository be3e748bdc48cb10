"""The undo outlives the daemon: whoever holds the keys takes our text out of the box and puts the draft back, with nobody's help."""

from __future__ import annotations

import json
import socket
import sys

import pytest

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.killing import LONG_DRAFT, NO_DRAFT, Draft, Point, demo_patient, text_at
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.integration.end_to_end.test_fairness import PARENT, children, frozen, post
from tests.support.terminals import wait_until

SHORT_DRAFT = Draft("half a thou", ("Left",) * 4, "half a Xthou")
"""Where the draft is read with marks, only arrow keys lead back, and the demo agent's stay in their line."""
# carrier, draft, after which steps the daemon dies: with the draft out of the box, with our text on its way into it, and in it
KILLS = (
    ("none", NO_DRAFT, ("Begin", "Paste", "Stage")),
    ("stash", LONG_DRAFT, ("Begin", "Paste", "Stage")),
    ("editor", LONG_DRAFT, ("Begin", "CloseEditor", "Stage")),
    ("sentinel", SHORT_DRAFT, ("Begin", "Stage")),
)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("carrier", "draft", "steps"), KILLS)
def test_the_draft_is_back_with_its_cursor_before_any_daemon_is_and_the_message_arrives_once(
    carrier: str, draft: Draft, steps: tuple[str, ...]
) -> None:
    with demo_patient(carrier) as patient:
        for number, step in enumerate(steps):
            point, key = Point("after", number), f"key-{step}"
            patient.write(draft)
            patient.plan.write_text(f"after {step}")
            patient.send(text_at(point), key)
            wait_until(patient.is_dead, DEADLINE_S, "the daemon to die")

            wait_until(lambda: not any(facts["hold"] for facts in patient.airlocks()), DEADLINE_S, "free keys")
            assert patient.submit_marked() == draft.marked
            assert patient.is_dead()

            patient.hark.ok("daemon", "start")
            message_id = patient.send(text_at(point), key)
            assert message_id
            patient.wait_over(message_id)
            assert patient.status(message_id) != "uncertain"
            assert sum(message_id in text for text in patient.submitted()) == 1
            assert patient.leftovers() == []


def test_an_agent_that_hangs_with_our_text_gets_the_way_back_before_the_humans_keys() -> None:
    with RunningHark(input_poll_interval="0.5") as hark:
        log = hark.home / "slow.log"
        words = [sys.executable, "-c", PARENT, PROGRAM, "--log", str(log)]
        pane = hark.json("new", "-n", "slow", "--agent", "demo", "--", *words)["pane_id"]
        wait_until(lambda: log.exists() and '"ready"' in log.read_text(), DEADLINE_S, "the agent")

        with frozen(children(str(agent_pid(hark)))) as let_go:
            message_id = post(hark, "slow", "it hangs")
            hark.wait_status(message_id, "held", "busy")
            hark.tmux("send-keys", "-t", pane, "-l", "mine")
            let_go()
            hark.wait_reached(message_id, "submitted")

        events = [json.loads(line) for line in log.read_text().splitlines()]
        [prompt] = [event["text"] for event in events if event["event"] == "prompt"]
        assert prompt.endswith(f"{message_id}]\nit hangs")
        wait_until(lambda: "❯ mine" in hark.tmux("capture-pane", "-p", "-t", pane), DEADLINE_S, "the human's keys")


def agent_pid(hark: RunningHark) -> int:
    [door] = (hark.home / "run/airlocks").glob("*.sock")
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(DEADLINE_S)
        asking.connect(str(door))
        asking.sendall(b'{"op": "facts"}\n')
        return int(json.loads(asking.makefile().readline())["agent_pid"])
