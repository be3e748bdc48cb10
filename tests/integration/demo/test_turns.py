"""Turns, the queue, interrupts and dialogs, through a real terminal and the record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.demo.running import RunningAgent
from tests.support.terminals import PrivateTmux

# Longer than any test may take: such a turn ends only when something ends it.
ENDLESS = "[[busy=600]]"


def names(agent: RunningAgent) -> list[str]:
    return [event["event"] for event in agent.events()]


def test_a_turn_echoes_works_and_replies(agent: RunningAgent) -> None:
    agent.submit("two\nlines")
    agent.wait_event("stopped")

    agent.wait_screen("> two\n  lines\n● received 9 characters\n" + "─" * 60)
    agent.wait_screen("demo agent · idle")
    assert names(agent) == ["ready", "prompt", "stopped"]


def test_a_turn_lasts_as_long_as_its_prompt_says(agent: RunningAgent) -> None:
    agent.submit("[[busy=1.2]]")
    agent.wait_screen("demo agent · busy")
    agent.wait_event("stopped")

    began, stopped = (datetime.fromisoformat(agent.wait_event(name)["at"]) for name in ("prompt", "stopped"))
    assert stopped - began >= timedelta(seconds=1.2)


def test_the_option_sets_how_long_turns_last(tmux: PrivateTmux) -> None:
    agent = RunningAgent(tmux, "--busy", "600")

    agent.submit("work")
    agent.wait_screen("demo agent · busy")
    agent.submit("more")

    agent.wait_event("queued")
    assert agent.named("stopped") == []


def test_instants_are_utc_with_microseconds(agent: RunningAgent) -> None:
    at = agent.wait_event("ready")["at"]

    assert len(at) == len("2026-01-01T00:00:00.000000+00:00")
    assert abs(datetime.fromisoformat(at) - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_reply_can_be_dictated(agent: RunningAgent) -> None:
    agent.submit("[[say=--<[hark:completed:all done]>--]]")

    agent.wait_screen("\n--<[hark:completed:all done]>--\n")


def test_a_prompt_cannot_drive_the_terminal(agent: RunningAgent) -> None:
    agent.submit("[[say=a\x1b[2Jb]]")

    agent.wait_screen("\na�[2Jb\n")


def test_prompts_submitted_while_busy_run_in_order_one_per_turn(agent: RunningAgent) -> None:
    agent.submit(ENDLESS)
    agent.wait_event("prompt")
    for text in ("first", "second", "third"):
        agent.submit(text)
    agent.wait_event("queued", 3)
    agent.wait_screen("queued: first\nqueued: second\nqueued: third\n")

    agent.press("Escape")
    agent.wait_event("stopped", 3)

    assert [event["text"] for event in agent.named("queued")] == ["first", "second", "third"]
    assert [event["text"] for event in agent.named("prompt")] == [ENDLESS, "first", "second", "third"]
    assert names(agent)[-6:] == ["prompt", "stopped"] * 3


def test_the_box_stays_live_while_busy(agent: RunningAgent) -> None:
    agent.submit(ENDLESS)
    agent.wait_event("prompt")

    agent.type("draft")
    agent.press("M-Enter")
    agent.paste("more")

    agent.wait_box("draft", "more")
    agent.wait_screen("demo agent · busy")


def test_escape_interrupts_the_turn_and_leaves_the_draft(agent: RunningAgent) -> None:
    agent.submit(ENDLESS)
    agent.type("draft")
    agent.wait_box("draft")

    agent.press("Escape")
    agent.wait_event("interrupted")

    agent.wait_screen("\ninterrupted\n")
    agent.wait_screen("demo agent · idle")
    agent.wait_box("draft")
    assert agent.named("stopped") == []


def test_escape_when_idle_does_nothing(agent: RunningAgent) -> None:
    agent.type("draft")
    agent.press("Escape")
    agent.type("!")

    agent.wait_box("draft!")
    assert names(agent) == ["ready"]


@pytest.mark.parametrize(
    ("key", "outcome"), [("Enter", "approved"), ("1", "approved"), ("2", "denied"), ("Escape", "denied")]
)
def test_a_dialog_takes_the_place_of_the_box(agent: RunningAgent, key: str, outcome: str) -> None:
    agent.submit("[[ask=rm -r build]]")
    agent.wait_screen(" Run rm -r build?\n ❯ 1. Yes\n   2. No\n  demo agent · waiting")
    assert agent.box() is None
    assert agent.wait_event("asked")["command"] == "rm -r build"

    agent.press(key)

    assert agent.wait_event(outcome)["command"] == "rm -r build"
    agent.wait_box("")
    agent.wait_event("stopped")
    assert names(agent) == ["ready", "prompt", "asked", outcome, "stopped"]


def test_a_dialog_ignores_pastes_and_other_keys_and_keeps_the_draft(agent: RunningAgent) -> None:
    agent.paste("my\ndraft")
    agent.press("C-s")
    agent.submit("[[ask=ls]]")
    agent.wait_event("asked")

    for text in ("1", "y", "hello\n", "2 things\n1\n"):
        agent.paste(text)
    agent.type("yn3jk §")
    agent.press(
        "C-c",
        "C-d",
        "C-g",
        "C-s",
        "C-u",
        "C-k",
        "C-j",
        "M-x",
        "M-Enter",
        "M-1",
        "Up",
        "Down",
        "Home",
        "BSpace",
        "Tab",
        "Space",
    )
    agent.press("2")

    agent.wait_event("stopped")
    agent.wait_box("my", "draft")
    assert names(agent) == ["ready", "prompt", "asked", "denied", "stopped"]


def test_a_dialog_can_open_in_the_middle_of_a_turn(agent: RunningAgent) -> None:
    agent.submit("[[ask-after=0.6:make]]")
    agent.type("half a dra")
    agent.wait_screen(" Run make?")

    agent.press("Enter")
    agent.wait_event("approved")
    agent.type("ft")

    agent.wait_box("half a draft")
    began, asked = (datetime.fromisoformat(agent.wait_event(name)["at"]) for name in ("prompt", "asked"))
    assert asked - began >= timedelta(seconds=0.6)


def test_a_turn_can_ask_twice(agent: RunningAgent) -> None:
    agent.submit("[[ask=one]] [[ask=two]]")
    agent.wait_screen(" Run one?")
    agent.press("Enter")
    agent.wait_screen(" Run two?")
    agent.press("2")

    agent.wait_event("stopped")
    assert names(agent)[2:] == ["asked", "approved", "asked", "denied", "stopped"]


def test_a_dialog_can_stand_there_from_the_start(tmux: PrivateTmux) -> None:
    agent = RunningAgent(tmux, "--ask-at-start", "trust this folder")
    agent.wait_screen(" Run trust this folder?")
    assert agent.box() is None

    agent.press("Enter")

    agent.wait_event("approved")
    agent.wait_box("")
    agent.wait_screen("demo agent · idle")
