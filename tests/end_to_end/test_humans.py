"""A human sits at the same terminal: what they type, answer and read is theirs, and messages wait for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.end_to_end.agents import PROGRAM, Agent
from tests.end_to_end.running import DEADLINE_S, RunningHark
from tests.terminals import PrivateTmux, wait_until

QUESTION_AFTER_S = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.45)


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    # tmux tells the time of a key in whole seconds, so a pause lasts one second longer than it says.
    with RunningHark(human_pause="0.2") as running:
        yield running


@pytest.fixture
def human(agent: Agent) -> Iterator[Human]:
    with agent.human() as person:
        person.wait_attached(DEADLINE_S)
        yield person


def test_a_draft_holds_a_message_until_the_human_has_submitted_it(agent: Agent, human: Human) -> None:
    human.type("half a thou", keys_per_second=50)
    agent.wait_box("half a thou")

    message_id = agent.send("not now")

    agent.hark.wait_status(message_id, "held", "draft")
    assert agent.box() == ["half a thou"]
    assert agent.prompts() == []
    human.type("ght\n", keys_per_second=50)
    agent.hark.wait_status(message_id, "completed")
    assert agent.prompts()[0] == "half a thought"
    assert agent.bodies() == ["not now"]


def test_a_human_who_is_typing_is_waited_for(agent: Agent, human: Human) -> None:
    is_held = threading.Event()

    def fidget() -> None:
        while not is_held.is_set():
            human.type("x", keys_per_second=20)
            human.press("Backspace")

    typist = threading.Thread(target=fidget)
    typist.start()
    try:
        message_id = agent.send("after you")
        agent.hark.wait_status(message_id, "held", "human-typing")
        assert agent.bodies() == []
    finally:
        is_held.set()
        typist.join()

    agent.hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["after you"]


def test_every_key_and_every_message_of_a_busy_evening_arrive_exact(agent: Agent, human: Human) -> None:
    lines = [f"line {number} by hand" for number in range(4)]
    typist = threading.Thread(target=lambda: human.type("".join(f"{line}\n" for line in lines), keys_per_second=25))

    typist.start()
    ids = [agent.send(f"message {number}") for number in range(6)]
    typist.join()

    for message_id in ids:
        agent.hark.wait_status(message_id, "completed")
    assert [text for text in agent.prompts() if not text.startswith("[Input")] == lines
    assert agent.bodies() == [f"message {number}" for number in range(6)]


def test_an_open_dialog_holds_a_message_and_is_answered_by_nobody_but_the_human(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "rm -rf build")

    message_id = agent.send("1")

    hark.wait_status(message_id, "held", "dialog")
    assert "Run rm -rf build?" in agent.screen()
    assert agent.named("approved", "denied") == []
    with agent.human() as person:
        person.wait_attached(DEADLINE_S)
        person.press("Escape")
        agent.wait_event("denied")
    hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["1"]
    assert agent.named("approved") == []


def test_a_dialog_that_opens_during_deliveries_is_never_answered_by_them(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--busy", "0.05")
    ids: list[str] = []

    for number, after_s in enumerate(QUESTION_AFTER_S, start=1):
        ids.append(agent.send(f"[[ask-after={after_s}:step {number}]]"))
        ids += [agent.send(f"{number}.{part}") for part in range(4)]
        agent.wait_event("asked", number)
        assert [event["event"] for event in agent.named("approved", "denied")] == ["denied"] * (number - 1)
        hark.tmux("send-keys", "-t", agent.pane, "2")
        agent.wait_event("denied", number)

    for message_id in ids:
        hark.wait_status(message_id, "completed")
    assert agent.named("approved") == []
    assert len(agent.named("denied")) == len(QUESTION_AFTER_S)
    assert len(agent.bodies()) == len(set(agent.bodies())) == len(ids)


def test_copy_mode_holds_a_message_and_stays_on(agent: Agent) -> None:
    tmux = agent.hark.tmux
    tmux("copy-mode", "-t", agent.pane)

    message_id = agent.send("when you are back")

    agent.hark.wait_status(message_id, "held", "copy-mode")
    assert tmux("display-message", "-p", "-t", agent.pane, "#{pane_mode}").strip() == "copy-mode"
    assert agent.prompts() == []
    tmux("send-keys", "-X", "-t", agent.pane, "cancel")
    agent.hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["when you are back"]


def test_nothing_is_typed_into_the_shell_that_an_agent_has_left_behind(hark: RunningHark) -> None:
    log = hark.home / "log"
    with PrivateTmux() as tmux:
        pane = tmux.new("exec env PS1='shell> ' bash --norc --noprofile -i")
        tmux.type(pane, f"{PROGRAM} --log {log}\n")
        wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent in the shell")
        hark.ok("adopt", "-S", str(tmux.socket), "-n", "mine", pane)
        tmux.press(pane, "C-d")
        wait_until(lambda: tmux.capture(pane).rstrip().endswith("\nshell>"), DEADLINE_S, "the shell to be back")
        before = tmux.capture(pane, history=True)

        message_id = hark.ok("send", "-q", "mine", "touch /tmp/never").strip()

        hark.wait_status(message_id, "held", "agent-not-running")
        assert tmux.capture(pane, history=True) == before
        tmux.type(pane, f"{PROGRAM} --log {log}\n")
        hark.wait_status(message_id, "submitted")
        assert "touch /tmp/never" in log.read_text()
