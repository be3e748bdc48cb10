"""Messages to real agents at work, through their own hooks: no key is pressed, and each arrives once."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.agents.test_hooks import with_installed_hooks
from tests.integration.end_to_end import agents as demo
from tests.support.terminals import wait_until

# `make agents` tries all of them, and all of it.
IS_ALL = bool(os.environ.get("HARK_TEST_MATRIX"))
KINDS = ("claude", "codex", "gemini") if IS_ALL else ("claude",)
needs_time = pytest.mark.skipif(not IS_ALL, reason="`make agents` tries it")
DRAFT = "a draft"
# As what an agent takes a message at the end of its turn.
AT_STOP = {"claude": "notice", "codex": "notice", "gemini": "user"}


@pytest.fixture(scope="module", params=KINDS)
def both(request: pytest.FixtureRequest) -> Iterator[tuple[Delivering, Human]]:
    change = with_installed_hooks if request.param == "gemini" else None
    with delivering(request.param, by_hook=True, change=change) as running, running.human() as person:
        person.wait_attached(DEADLINE_S)
        running.wait_ready()
        agent_is_idle(running)
        yield running, person


def agent_is_idle(agent: Delivering) -> None:
    wait_until(lambda: agent.hark.session("a")["phase"] in ("idle", "unknown"), DEADLINE_S, "idle")


def statuses(agent: Delivering, message_id: str) -> list[str]:
    told = [receipt["status"] for receipt in agent.hark.message(message_id)["receipts"]]
    return [status for number, status in enumerate(told) if status != "held" and told[number - 1 : number] != [status]]


def start_turn(agent: Delivering, text: str) -> str:
    message_id = agent.send(text)
    agent.hark.wait_reached(message_id, "acknowledged")
    return message_id


def type_draft(agent: Delivering, human: Human) -> None:
    human.paste(DRAFT)
    wait_until(lambda: DRAFT in agent.screen().cursor_row, DEADLINE_S, "the draft", lambda: agent.screen().text)


def submit_draft(agent: Delivering, human: Human) -> None:
    """It is what it was, and its cursor at its end."""
    agent_is_idle(agent)
    before = agent.prompts().count(DRAFT + "X")
    human.type("X", keys_per_second=5)
    agent.wait_draft(DRAFT + "X")
    human.press("Enter")
    wait_until(
        lambda: agent.prompts().count(DRAFT + "X") == before + 1, DEADLINE_S, "the draft at the model", agent.prompts
    )
    agent.wait_ready()
    agent_is_idle(agent)


def test_a_message_to_a_streaming_agent_is_its_next_turn(both: tuple[Delivering, Human]) -> None:
    agent, human = both
    first = start_turn(agent, "stream [[busy=4]]")
    type_draft(agent, human)

    second = agent.send("at the end [[busy=1]]")

    done = agent.hark.wait_status(second, "completed")
    assert statuses(agent, second)[-3:] == ["staged", "acknowledged", "completed"]
    assert (done["channel"], done["authority"]) == ("hook", AT_STOP[agent.launch.kind])
    assert agent.hark.message(first)["completed_at"] <= done["acknowledged_at"]
    assert [text.count("at the end [[busy=1]]") for text in agent.arrivals(second)] == [1]
    assert "Stop hook error" not in agent.screen().text
    submit_draft(agent, human)


@needs_time
def test_an_important_one_goes_in_with_the_result_of_a_tool(both: tuple[Delivering, Human]) -> None:
    agent, human = both
    first = start_turn(agent, "[[tool=touch once && sleep 2]]")
    agent.wait_dialog()
    human.press("Enter")
    wait_until(lambda: agent.hark.session("a")["phase"] == "busy", DEADLINE_S, "the tool to run")

    second = agent.send("in between", "--important")

    done = agent.hark.wait_status(second, "completed")
    assert (done["channel"], done["authority"]) == ("hook", "notice"), done["receipts"]
    assert [text.count("in between") for text in agent.arrivals(second)] == [1]
    assert agent.hark.message(first)["completed_at"] == done["completed_at"]
    agent.wait_ready()
    agent_is_idle(agent)


@needs_time
def test_a_message_behind_a_dialog_waits_and_answers_nothing(both: tuple[Delivering, Human]) -> None:
    agent, human = both
    start_turn(agent, "[[tool=touch never]]")
    agent.wait_dialog()
    second = agent.send("behind it", "--important")
    agent.hark.wait_status(second, "held", "dialog")
    agent.wait_dialog()

    human.press("Escape")

    agent.hark.wait_status(second, "completed")
    assert [text.count("behind it") for text in agent.arrivals(second)] == [1]
    assert not (agent.launch.directory / "never").exists()
    agent.wait_ready()
    agent_is_idle(agent)


@needs_time
@pytest.mark.parametrize("kind", ["claude"])
def test_after_a_crash_the_agents_transcript_tells_that_it_has_the_message(kind: str) -> None:
    with delivering(kind, by_hook=True) as agent:
        start_turn(agent, "task X [[busy=2]]")
        message_id = agent.send("task Y [[busy=5]]")
        agent.stand_in.wait_received(lambda one: one.holds(message_id), DEADLINE_S)

        agent.hark.kill_daemon()
        agent.hark.ok("daemon", "start")

        agent.hark.wait_status(message_id, "completed")
        assert statuses(agent, message_id)[-3:] == ["staged", "acknowledged", "completed"]
        assert len(agent.arrivals(message_id)) == 1


@needs_time
@pytest.mark.parametrize("kind", ["claude"])
def test_an_idle_agent_is_woken_by_a_hook_that_waits_beside_it(kind: str) -> None:
    with delivering(kind, by_hook=True, is_woken=True) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent_is_idle(agent)
        type_draft(agent, human)

        sent = [agent.send(f"wake up {number} [[busy=1]]") for number in range(3)]

        for message_id in sent:
            done = agent.hark.wait_status(message_id, "completed")
            assert (done["channel"], done["authority"]) == ("hook", "notice")
            assert statuses(agent, message_id)[-3:] == ["staged", "acknowledged", "completed"]
            assert len(agent.arrivals(message_id)) == 1
        typed = agent.send("as a user", "--as", "user")
        assert agent.hark.wait_status(typed, "completed")["channel"] == "terminal"
        submit_draft(agent, human)


@pytest.mark.parametrize("kind", ["claude"])
def test_a_sender_is_told_once_that_the_turn_of_its_message_has_stopped(kind: str) -> None:
    with delivering(kind, by_hook=True) as agent:
        sender = demo.Agent(agent.hark, "boss")
        start_turn(agent, "task X [[busy=2]]")

        message_id = agent.send("task Y [[busy=1]]", "--from", "boss", "--notify-on-stop")

        wait_until(lambda: sender.bodies(), DEADLINE_S, "the notice", sender.events)
        done = agent.hark.message(message_id)
        assert done["status"] == "completed"
        [notice] = sender.bodies()
        words = 'has stopped working on your message: its turn has ended\nOriginal: "task Y [[busy=1]]"\nAnswer: '
        assert words in notice
        start_turn(agent, "task Z")
        agent_is_idle(agent)
        agent.hark.ok("wait", "boss", "--timeout", "20s")
        assert len(sender.bodies()) == 1
