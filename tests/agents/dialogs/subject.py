"""An agent that can be made to ask for permission, a human at its terminal, and whoever delivers messages to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from hark.demo.human import Human
from tests.agents.delivering import OtherTmux, delivering
from tests.agents.marks import MARKS, Marks
from tests.agents.running import DEADLINE_S
from tests.agents.screen import Screen, look
from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import RunningHark
from tests.support.stand_in.record import Received
from tests.support.terminals import PrivateTmux, wait_until

SAME = 4
# The row of the choice that is selected when a dialog opens: another one is selected when somebody has pressed a key.
FIRST_CHOICE = {
    "demo": "❯ 1. Yes",
    "claude": "❯ 1. Yes",
    "codex": "› 1. Yes, proceed (y)",
    "gemini": "● 1. Allow once",
    "opencode": "Allow once",
    "aider": "[Yes]:",
}


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    hark: RunningHark
    tmux: PrivateTmux
    pane: str
    human: Human
    marks: Marks
    directory: Path
    ask: Callable[[str, float], str]
    """A prompt that makes the agent work for so long and then ask whether it may do that."""
    texts: Callable[[], list[str]]
    """Every text that reached the model, as often as it did."""
    is_done: Callable[[str], bool]
    """Whether it has done what it was to ask for."""

    def screen(self) -> Screen:
        return look(self.tmux, self.pane)

    def wait_screen(self, condition: Callable[[Screen], bool], what: str, deadline_s: float = DEADLINE_S) -> Screen:
        found = wait_until(
            lambda: [one for one in [self.screen()] if condition(one)], deadline_s, what, lambda: self.screen().text
        )
        return found[0]

    def is_asking(self, screen: Screen) -> bool:
        return self.marks.is_asking(screen)

    def has_first_choice(self, screen: Screen) -> bool:
        """Where an answer is typed, nothing stands behind the question."""
        first = FIRST_CHOICE[self.kind]
        return screen.cursor_row.rstrip().endswith(first) if self.marks.is_dialog_kept else first in screen.text

    def wait_empty(self) -> None:
        self.wait_screen(self.marks.has_empty_box, "the empty box")

    def wait_idle(self) -> None:
        is_empty, is_busy = self.marks.has_empty_box, self.marks.is_busy
        self.wait_still(lambda screen: is_empty(screen) and not is_busy(screen), "the agent to be idle")

    def wait_still(self, condition: Callable[[Screen], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
        """Until it holds for a screen that stands still: while an agent draws, its cursor is everywhere."""
        seen: list[Screen] = []

        def is_still(screen: Screen) -> bool:
            seen.append(screen)
            last = [(one.cursor_x, one.cursor_y, one.cursor_row) for one in seen[-SAME:]]
            return condition(screen) and len(last) == SAME and len(set(last)) == 1

        self.wait_screen(is_still, what, deadline_s)

    def paste(self, text: str) -> None:
        """Into an empty box, by hand; returns when its end stands at the cursor, or a dialog is in the way."""
        self.human.paste(text)
        end = text.split()[-1]
        self.wait_still(lambda screen: end in screen.cursor_row or self.is_asking(screen), "the paste in the box")

    def refuse(self) -> None:
        for key in self.marks.denial:
            self.human.press(key) if len(key) > 1 else self.human.type(key)
        self.wait_screen(lambda screen: not self.is_asking(screen), "the dialog to close")


@contextmanager
def real_subject(kind: str) -> Iterator[Subject]:
    with delivering(kind) as running, running.human() as human:
        human.wait_attached(DEADLINE_S)
        running.wait_ready()
        stand_in, directory = running.stand_in, running.launch.directory
        yield Subject(
            kind=kind,
            hark=running.hark,
            tmux=running.tmux,
            pane=running.pane,
            human=human,
            marks=MARKS[kind],
            directory=directory,
            ask=lambda name, busy_s: f"[[busy={busy_s:.1f}]][[tool=touch {directory / name}]]",
            texts=lambda: texts_in(stand_in.submitted(), stand_in.received()),
            is_done=lambda name: (directory / name).exists(),
        )


def texts_in(submitted: list[str], received: list[Received]) -> list[str]:
    """What an agent adds to a running turn in words of its own has reached the model too, once however often it is sent."""
    added = {text for one in received for text in one.context if "[Input from: " in text}
    return [*submitted, *(text for text in added if not any(one in text for one in submitted))]


def has_empty_box_of_demo(screen: Screen) -> bool:
    return screen.cursor_row == "❯" and screen.cursor_x == 2 and screen.cursor_flag == 1


@contextmanager
def demo_subject() -> Iterator[Subject]:
    with ExitStack() as owned:
        hark = owned.enter_context(RunningHark())
        log = hark.home / "a.log"
        pane = hark.json("new", "-n", "a", "--", PROGRAM, "--log", str(log), "--busy", "0.05")["pane_id"]
        wait_until(lambda: "ready" in {event["event"] for event in events_in(log)}, DEADLINE_S, "the agent")
        human = owned.enter_context(Human(hark.tmux_socket, pane, columns=100, rows=30))
        human.wait_attached(DEADLINE_S)
        yield Subject(
            kind="demo",
            hark=hark,
            tmux=OtherTmux(hark.tmux_socket),
            pane=pane,
            human=human,
            marks=Marks(has_empty_box_of_demo, lambda screen: "· busy" in screen.text, "❯ 1. Yes"),
            directory=hark.home,
            ask=lambda name, busy_s: f"[[ask-after={busy_s:.1f}:{name}]]",
            texts=lambda: [event["text"] for event in events_in(log) if event["event"] == "prompt"],
            is_done=lambda name: any(
                event["event"] == "approved" and event["command"] == name for event in events_in(log)
            ),
        )


def events_in(log: Path) -> list[dict[str, Any]]:
    lines = log.read_text().splitlines(keepends=True) if log.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]
