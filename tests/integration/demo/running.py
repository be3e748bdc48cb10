"""The demo agent at work in a private tmux: its screen, its box, its record."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.terminals import PrivateTmux, wait_until

PROGRAM = str(Path(sys.executable).with_name("hark-demo-agent"))
DEADLINE_S = 90.0

Event = dict[str, Any]


class RunningAgent:
    def __init__(
        self,
        tmux: PrivateTmux,
        *options: str,
        columns: int = 60,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.tmux = tmux
        self.log = tmux.directory / "log"
        command = [PROGRAM, "--log", str(self.log), *options]
        self.pane = tmux.new(command, columns, rows, environment)
        self.wait_event("ready")

    def events(self) -> list[Event]:
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events() if event["event"] == name]

    def wait_event(self, name: str, count: int = 1) -> Event:
        """The event of that name which is the `count`th."""
        wait_until(lambda: len(self.named(name)) >= count, DEADLINE_S, f"{count} x {name} in the record", self.events)
        return self.named(name)[count - 1]

    def screen(self) -> str:
        return self.tmux.capture(self.pane)

    def wait_screen(self, text: str) -> None:
        wait_until(lambda: text in self.screen(), DEADLINE_S, f"{text!r} on the screen", self.screen)

    def box(self) -> list[str] | None:
        """The rows between the two rules without prompt and indentation; None if there is no input box."""
        rows = self.screen().splitlines()
        rules = [number for number, row in enumerate(rows) if row and not row.strip("─")]
        if len(rules) < 2:
            return None
        top, bottom = rules[-2:]
        return [row[2:] for row in rows[top + 1 : bottom]]

    def wait_box(self, *rows: str) -> None:
        wait_until(lambda: self.box() == list(rows), DEADLINE_S, f"the box to hold {rows}", self.screen)

    def cursor(self) -> str:
        return self.tmux.read(self.pane, "#{cursor_x},#{cursor_y}")

    def type(self, text: str) -> None:
        self.tmux.type(self.pane, text)

    def press(self, *keys: str) -> None:
        self.tmux.press(self.pane, *keys)

    def paste(self, text: str) -> None:
        self.tmux.paste(self.pane, text)

    def submit(self, text: str) -> None:
        self.paste(text)
        self.press("Enter")

    def wait_ended(self) -> int:
        """The exit status."""
        wait_until(lambda: self.tmux.exit_status(self.pane) is not None, DEADLINE_S, "the agent to end", self.screen)
        status = self.tmux.exit_status(self.pane)
        assert status is not None
        return status
