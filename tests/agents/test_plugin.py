"""The plugin that `hark install opencode` puts into a real OpenCode that somebody else has started."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from hark.agents.decoders import decode
from hark.cli.agents.install import hook_program
from hark.diagnosis.agents import look_at_hooks
from hark.diagnosis.finding import Level
from hark.installing.change import apply, installation
from hark.installing.instructions import TEXT, teaching
from hark.model.heard import Said
from tests.agents.delivering import Delivering, delivering
from tests.agents.launch import Launch, with_plugin_library
from tests.agents.running import DEADLINE_S, Agent, running
from tests.agents.test_hooks import SESSION, Recorder, a_turn
from tests.support.terminals import wait_until

KINDS = ["opencode"]


def with_plugin(launch: Launch, program: str) -> Launch:
    apply(installation(launch.kind, launch.environment, program))
    return with_plugin_library(launch)


def installed(launch: Launch) -> Launch:
    apply(teaching(launch.kind, launch.environment))
    return with_plugin(launch, hook_program())


def said(agent: Delivering) -> list[Said]:
    session = agent.hark.session("a")["id"]
    lines = [json.loads(line) for line in agent.hark.ok("events", "--json").splitlines()]
    heard = [line["data"] for line in lines if line["kind"] == "hook" and line["session_id"] == session]
    return [decode("opencode", data["event"], {}).said for data in heard]


@pytest.mark.parametrize("kind", KINDS)
def test_it_reports_the_prompt_the_tool_the_question_and_the_stop_once(kind: str, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)

    def change(launch: Launch) -> Launch:
        launch = with_plugin(launch, recorder.program)
        return msgspec.structs.replace(launch, environment=launch.environment | {"HARK_SESSION": SESSION})

    with running(kind, change=change) as agent:
        heard = a_turn(agent, recorder, "hello there")
        assert [decode(kind, one.event, one.payload).prompt for one in heard] == ["hello there", ""]
        assert recorder.said() == [Said.PROMPT_SUBMITTED, Said.STOPPED]
        assert {(one.by, one.session) for one in heard} == {(kind, SESSION)}

        ask_for_a_tool(agent)
        wait_until(lambda: recorder.said()[2:].count(Said.PERMISSION_ASKED) == 1, DEADLINE_S, "the question")
        agent.tmux.press(agent.pane, "Enter")
        wait_until(lambda: recorder.said().count(Said.STOPPED) == 2, DEADLINE_S, "the stop", recorder.said)
        assert recorder.said()[2:] == [
            Said.PROMPT_SUBMITTED,
            Said.TOOL_STARTING,
            Said.PERMISSION_ASKED,
            Said.PERMISSION_ANSWERED,
            Said.TOOL_DONE,
            Said.STOPPED,
        ]
        assert look_at_hooks(kind, agent.launch.environment).level is Level.OK


def ask_for_a_tool(agent: Agent) -> None:
    agent.wait_quiet()
    agent.submit("[[tool=touch once]]")
    agent.wait_for(lambda screen: agent.marks.dialog in screen.text, "the permission dialog")


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_to_an_adopted_one_is_acknowledged_and_completed_and_a_humans_turn_is_heard(kind: str) -> None:
    with delivering(kind, is_adopted=True, change=installed) as agent:
        message = agent.send("hello there")
        assert agent.hark.wait_end(message) == "completed"
        statuses = [receipt["status"] for receipt in agent.hark.message(message)["receipts"]]
        assert statuses[-2:] == ["acknowledged", "completed"], agent.hark.ok("events")
        # What `--signals` has put into AGENTS.md is what its model is told.
        assert any(TEXT in text for one in agent.stand_in.received() for text in one.instructions)

        before = len(said(agent))
        human = Agent(agent.launch, agent.pane, agent.tmux, agent.stand_in)
        human.wait_quiet()
        human.submit("and this [[busy=2]]")
        wait_until(lambda: agent.hark.session("a")["phase"] == "busy", DEADLINE_S, "it to be busy", agent.screen)
        behind = agent.send("behind it")
        agent.hark.wait_status(behind, "held", "busy")
        assert agent.hark.wait_end(behind) == "completed"
        assert said(agent)[before:] == [Said.PROMPT_SUBMITTED, Said.STOPPED] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_quiet_in_one_that_hark_has_started_and_that_tells_by_its_api(kind: str) -> None:
    with delivering(kind, is_native=True, change=installed) as agent:
        # Which conversation the pane shows is certain only after the first prompt.
        agent.deliver("warm up")
        agent.wait_bodies("warm up")
        agent.wait_ready()

        second = agent.send("hello there")

        assert agent.hark.wait_end(second) == "completed"
        assert agent.hark.message(second)["channel"] == "native"
        assert said(agent) == []
