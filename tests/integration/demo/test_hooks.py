"""The demo agent's hooks: in order, beside the input box, and of no consequence when they fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.integration.demo.running import DEADLINE_S, RunningAgent
from tests.support.terminals import PrivateTmux, wait_until


class Stub:
    """A `hark-hook` that writes down each call, and before its end runs `body`."""

    def __init__(self, directory: Path, body: str = "") -> None:
        self.calls_file = directory / "calls"
        self.command = directory / "hark-hook"
        self.command.write_text(f'#!/bin/sh\n{body}\nprintf "%s %s %s\\n" "$1" "$2" "$(cat)" >> "{self.calls_file}"\n')
        self.command.chmod(0o700)
        self.environment = {"HARK_SESSION": "s1", "HARK_HOOK_COMMAND": str(self.command)}

    def calls(self) -> list[tuple[str, str, Any]]:
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        words = [line.split(" ", 2) for line in lines]
        return [(agent, event, json.loads(payload)) for agent, event, payload in words]

    def wait_calls(self, count: int) -> list[tuple[str, str, Any]]:
        wait_until(lambda: len(self.calls()) >= count, DEADLINE_S, f"{count} hook calls", self.calls)
        return self.calls()


def test_every_event_of_a_turn_is_told_in_order(tmux: PrivateTmux, tmp_path: Path) -> None:
    stub = Stub(tmp_path)
    agent = RunningAgent(tmux, environment=stub.environment)

    agent.submit("漢字\n[[ask=ls]]")
    agent.wait_event("asked")
    agent.press("Enter")
    agent.wait_event("stopped")
    agent.submit("[[busy=600]]")
    agent.wait_event("prompt", 2)
    agent.press("Escape")

    assert stub.wait_calls(6) == [
        ("demo", "prompt-submitted", {"prompt": "漢字\n[[ask=ls]]"}),
        ("demo", "permission-asked", {"command": "ls"}),
        ("demo", "permission-answered", {"approved": True}),
        ("demo", "stopped", {"last_assistant_message": "● received 13 characters"}),
        ("demo", "prompt-submitted", {"prompt": "[[busy=600]]"}),
        ("demo", "interrupted", {}),
    ]


def test_a_slow_hook_delays_later_ones_but_not_the_agent(tmux: PrivateTmux, tmp_path: Path) -> None:
    release = tmp_path / "release"
    stub = Stub(tmp_path, f'while [ "$2" = prompt-submitted ] && [ ! -e "{release}" ]; do sleep 0.05; done')
    agent = RunningAgent(tmux, environment=stub.environment)

    agent.submit("work")
    agent.wait_event("stopped")
    agent.type("live")
    agent.wait_box("live")
    assert stub.calls() == []
    release.touch()

    assert [event for _, event, _ in stub.wait_calls(2)] == ["prompt-submitted", "stopped"]


def test_a_failing_hook_changes_nothing(tmux: PrivateTmux, tmp_path: Path) -> None:
    stub = Stub(tmp_path, '[ "$2" = prompt-submitted ] && exit 1')
    agent = RunningAgent(tmux, environment=stub.environment)

    agent.submit("work")

    assert [event for _, event, _ in stub.wait_calls(1)] == ["stopped"]
    agent.wait_box("")


def test_a_missing_hook_changes_nothing(tmux: PrivateTmux) -> None:
    agent = RunningAgent(tmux, environment={"HARK_SESSION": "s1", "HARK_HOOK_COMMAND": "/no/such/hook"})

    agent.submit("one")
    agent.wait_event("stopped")
    agent.submit("two")

    agent.wait_event("stopped", 2)
    agent.wait_screen("● received 3 characters\n" + "─" * 60)


def test_events_before_a_quit_are_still_told(tmux: PrivateTmux, tmp_path: Path) -> None:
    stub = Stub(tmp_path)
    agent = RunningAgent(tmux, environment=stub.environment)

    agent.submit("work")
    agent.wait_event("stopped")
    agent.press("C-d")

    assert agent.wait_ended() == 0
    assert [event for _, event, _ in stub.calls()] == ["prompt-submitted", "stopped"]


def test_no_hooks_without_a_session(tmux: PrivateTmux, tmp_path: Path) -> None:
    stub = Stub(tmp_path)
    agent = RunningAgent(tmux, environment={"HARK_HOOK_COMMAND": str(stub.command)})

    agent.submit("work")
    agent.wait_event("stopped")
    agent.press("C-d")

    assert agent.wait_ended() == 0
    assert stub.calls() == []


def test_no_hooks_when_told_so(tmux: PrivateTmux, tmp_path: Path) -> None:
    stub = Stub(tmp_path)
    agent = RunningAgent(tmux, "--no-hooks", environment=stub.environment)

    agent.submit("work")
    agent.wait_event("stopped")
    agent.press("C-d")

    assert agent.wait_ended() == 0
    assert stub.calls() == []
