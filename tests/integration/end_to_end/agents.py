"""The demo agent in a session of a running hark: what it received, what it shows."""

from __future__ import annotations

import json
import os
import pwd
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hark.delivery.wording import HOW_TO_REPLY
from hark.demo.human import Human
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

PROGRAM = str(Path(sys.executable).with_name("hark-demo-agent"))

Event = dict[str, Any]


SENDER = pwd.getpwuid(os.getuid()).pw_name
"""Who sends from a plain shell: the user."""


class Agent:
    """`options` are the demo agent's own."""

    def __init__(
        self,
        hark: RunningHark,
        name: str = "a",
        *options: str,
        environment: Mapping[str, str] | None = None,
        kind: str = "demo",
    ) -> None:
        self.hark = hark
        self.name = name
        self.log = hark.home / f"{name.replace('/', '_')}.log"
        command = ["new", "-n", name, "--agent", kind, "--", PROGRAM, "--log", str(self.log), *options]
        info = hark.json(*command, environment=environment)
        self.id: str = info["id"]
        self.pane: str = info["pane_id"]
        self.wait_event("ready")

    def events(self) -> list[Event]:
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def named(self, *names: str) -> list[Event]:
        return [event for event in self.events() if event["event"] in names]

    def wait_event(self, name: str, count: int = 1) -> Event:
        wait_until(lambda: len(self.named(name)) >= count, DEADLINE_S, f"{count} x {name} in the record", self.events)
        return self.named(name)[count - 1]

    def prompts(self) -> list[str]:
        """What was submitted, headers and all; what it queues while it is busy becomes a prompt later."""
        return [event["text"] for event in self.named("prompt")]

    def bodies(self) -> list[str]:
        """The messages in the prompts that came from hark, without their headers and without the line that says how to reply."""
        ours = [text for text in self.prompts() if text.startswith("[Input from: ")]
        parts = [part.partition("\n")[2] for text in ours for part in re.split(r"\n\n(?=\[Input from: )", text)]
        return [part.removeprefix(f"{HOW_TO_REPLY}\n") for part in parts]

    def send(self, text: str, *options: str) -> str:
        """The message's id."""
        return self.hark.ok("send", "-q", *options, "--", self.name, text).strip()

    def post(self, text: str, **fields: object) -> str:
        """The same without a process for it: for tests that must be faster than a turn."""
        body = {"text": text} | fields
        return str(self.hark.api("POST", f"/sessions/{self.name}/send", body).json["id"])

    def send_and_wait(self, text: str, goal: str = "submitted") -> str:
        """The same, when it has come so far."""
        return self.hark.ok("send", "-q", "--wait", goal, "--", self.name, text).strip()

    def screen(self) -> str:
        return self.hark.tmux("capture-pane", "-p", "-t", self.pane)

    def box(self) -> list[str] | None:
        """The rows of the input box; None if there is none."""
        rows = self.screen().splitlines()
        rules = [number for number, row in enumerate(rows) if row and not row.strip("─")]
        if len(rules) < 2:
            return None
        top, bottom = rules[-2:]
        return [row[2:] for row in rows[top + 1 : bottom]]

    def wait_box(self, *rows: str) -> None:
        wait_until(lambda: self.box() == list(rows), DEADLINE_S, f"the box to hold {rows}", self.screen)

    def wait_shown(self, words: str) -> None:
        wait_until(lambda: words in self.screen(), DEADLINE_S, f"{words!r} on the screen", self.screen)

    def human(self) -> Human:
        """Somebody whose terminal changes nothing about the size of the pane, with a row for the status line of tmux: while the demo
        agent draws a new size, it does not take a paste for one."""
        return Human(self.hark.tmux_socket, self.pane, columns=120, rows=41)
