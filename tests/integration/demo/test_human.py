"""The scripted human: a real client, real keys, gone without a trace."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from hark.demo.human import KEPT_BYTES, Human
from tests.integration.demo.running import DEADLINE_S, RunningAgent
from tests.support.terminals import PrivateTmux, wait_until


@pytest.fixture
def human(agent: RunningAgent) -> Iterator[Human]:
    with Human(agent.tmux.socket, agent.pane, columns=70, rows=20) as person:
        person.wait_attached(DEADLINE_S)
        yield person


def test_typed_keys_reach_the_agent_one_by_one_with_pauses(agent: RunningAgent, human: Human) -> None:
    began_at = time.monotonic()

    human.type("häl 漢🎉", keys_per_second=40)
    human.press("Enter")

    assert agent.wait_event("prompt")["text"] == "häl 漢🎉"
    assert time.monotonic() - began_at >= 6 / 40


def test_a_newline_in_typed_text_is_enter(agent: RunningAgent, human: Human) -> None:
    human.type("one\ntwo", keys_per_second=100)

    assert agent.wait_event("prompt")["text"] == "one"
    agent.wait_box("two")


def test_a_paste_arrives_in_one_piece(agent: RunningAgent, human: Human) -> None:
    human.paste("first\n\nthird\t漢字")
    human.press("Enter")

    assert agent.wait_event("prompt")["text"] == "first\n\nthird\t漢字"


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        (["Left", "Left", "Backspace"], ["one", "two fur"]),
        (["Up", "Backspace"], ["on", "two four"]),
        (["Up", "Down", "Home", "Right", "Backspace"], ["one", "wo four"]),
        (["Home", "End", "Backspace"], ["one", "two fou"]),
        (["C-a", "C-k"], ["one", ""]),
        (["M-Enter"], ["one", "two four", ""]),
        (["C-c"], [""]),
    ],
    ids=lambda value: "+".join(value),
)
def test_named_keys(agent: RunningAgent, human: Human, keys: list[str], rows: list[str]) -> None:
    human.paste("one\ntwo four")
    agent.wait_box("one", "two four")

    for key in keys:
        human.press(key)

    agent.wait_box(*rows)


def test_escape_interrupts(agent: RunningAgent, human: Human) -> None:
    agent.submit("[[busy=600]]")
    agent.wait_event("prompt")

    human.press("Escape")

    agent.wait_event("interrupted")


def test_the_window_follows_the_humans_terminal(agent: RunningAgent, human: Human) -> None:
    agent.wait_screen("─" * 70)

    human.resize(90, 30)

    agent.wait_screen("─" * 90)


def test_the_human_sees_the_screen_and_remembers_a_limited_part(agent: RunningAgent, human: Human) -> None:
    agent.submit("[[say=look here]]")

    wait_until(lambda: b"look here" in human.seen, DEADLINE_S, "the reply on the human's terminal", lambda: human.seen)
    assert len(human.seen) <= KEPT_BYTES


def test_leaving_ends_the_client_and_nothing_else(agent: RunningAgent) -> None:
    descriptors = len(os.listdir("/dev/fd"))

    with Human(agent.tmux.socket, agent.pane) as first, Human(agent.tmux.socket, agent.pane) as second:
        first.wait_attached(DEADLINE_S)
        second.wait_attached(DEADLINE_S)
        first.close()
        wait_until(lambda: len(clients(agent.tmux)) == 1, DEADLINE_S, "one client left", lambda: clients(agent.tmux))
        second.type("still here", keys_per_second=100)
        agent.wait_box("still here")

    assert clients(agent.tmux) == []
    assert not agent.tmux.is_dead(agent.pane)
    assert len(os.listdir("/dev/fd")) == descriptors


def test_waiting_for_a_client_that_cannot_attach_ends_with_the_reason(tmux: PrivateTmux) -> None:
    with (
        Human(tmux.socket, "no-such-session") as person,
        pytest.raises(TimeoutError, match=r"no-such-session|no sessions"),
    ):
        person.wait_attached(1)


def clients(tmux: PrivateTmux) -> list[str]:
    return tmux.run("list-clients", "-F", "#{client_tty}").split()
