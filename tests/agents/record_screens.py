"""python -m tests.agents.record_screens [AGENT ...]: records what real agents draw, as the ground for their box rules.

Each screen is a file tests/agents/screens/AGENT/NAME.txt, see `screen.load`; NAME.LOOK.txt, where the agent or its terminal is
set up otherwise (`LOOKS`; AGENT.LOOK records it alone). The project lies in a fixed place, because
agents show where they are and a new recording should differ only where the agent does.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from tests.agents.launch import LAUNCHES, Launch
from tests.agents.running import COLUMNS, DEADLINE_S, Agent, running
from tests.agents.screen import Screen
from tests.agents.screen import look as look_at

SCREENS = Path(__file__).parent / "screens"
ROOT = Path("/tmp/hark-screens")

ONE_LINE = "a draft of one line"
LONG_LINE = " ".join(f"word{number}" for number in range(1, 31))
QUEUES_BY_ENTER = ("claude", "gemini", "opencode", "copilot")
# Before a reply, and the bar at the right of the screen.
DRAWN = " •●✦◆┃│█\ufe0e"
NEWLINE = {"aider": ("M-Enter",)}
# Enough for every agent to show it as a placeholder.
BIG_PASTE = "\n".join(f"line {number} of a long paste, to be collapsed" for number in range(1, 41))


class Look(msgspec.Struct, frozen=True):
    environment: dict[str, str] = {}
    arguments: tuple[str, ...] = ()
    columns: int = COLUMNS
    options: dict[str, bool] = {}
    keys: tuple[str, ...] = ()
    """Pressed behind a draft."""

    def change(self, launch: Launch) -> Launch:
        return msgspec.structs.replace(
            launch, command=[*launch.command, *self.arguments], environment=launch.environment | self.environment
        )


LOOKS = {
    "gemini": {
        "all-colours": Look(environment={"COLORTERM": "truecolor"}),
        "no-colours": Look(environment={"NO_COLOR": "1"}),
        "yolo": Look(arguments=("--yolo",)),
        # Rests of wider rows stay below, after a turn.
        "narrower": Look(columns=80),
        "vim-insert": Look(options={"is_vim": True}),
        "vim-normal": Look(options={"is_vim": True}, keys=("Escape",)),
    }
}


class Recorder:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.kind = agent.launch.kind

    def save(self, name: str) -> None:
        """The screen once it is quiet, with its colours."""
        self.agent.wait_quiet()
        self.save_at_once(name)

    def save_at_once(self, name: str) -> None:
        look_at(self.agent.tmux, self.agent.pane, colours=True).save(SCREENS / self.kind / f"{name}.txt")
        print(f"{self.kind}/{name}", file=sys.stderr)

    def press(self, *keys: str) -> None:
        """One at a time, each worked off before the next: what matters here is where they lead."""
        for key in keys:
            before = self.agent.screen()
            self.agent.tmux.press(self.agent.pane, key)
            # A box that grows upwards can leave the cursor where it is.
            self.wait_drawn(partial(has_changed, before))

    def type(self, text: str) -> None:
        """As a human does, and with the agent's own key for a new line, so that nothing is collapsed."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self.press(*NEWLINE.get(self.kind, ("C-j",)))
            if line:
                before = self.agent.screen()
                self.agent.tmux.type(self.agent.pane, line)
                self.wait_drawn(partial(has_moved, before))

    def paste(self, text: str) -> None:
        before = self.agent.screen()
        self.agent.tmux.paste(self.agent.pane, text)
        self.wait_drawn(partial(has_moved, before))

    def wait_drawn(self, has_begun: Callable[[Screen], bool]) -> None:
        self.agent.wait_for(has_begun, "what was written to be drawn")
        self.agent.wait_quiet()

    def clear(self) -> None:
        if self.kind == "aider":
            # Two Ctrl-C end it, however far apart.
            self.agent.tmux.press(self.agent.pane, "M->")
            self.agent.tmux.run("send-keys", "-N", str(len(BIG_PASTE)), "-t", self.agent.pane, "BSpace")
        else:
            self.agent.tmux.press(self.agent.pane, "C-c")
            self.agent.wait_ready()
            # Another one while this is shown would end the agent.
            self.agent.wait_for(lambda screen: "again to exit" not in screen.text, "Ctrl-C to be forgotten")
        self.agent.wait_ready()


def has_moved(before: Screen, now: Screen) -> bool:
    return (before.cursor_x, before.cursor_y) != (now.cursor_x, now.cursor_y)


def has_changed(before: Screen, now: Screen) -> bool:
    return has_moved(before, now) or before.rows != now.rows


def record(agent: Agent) -> None:
    recorder = Recorder(agent)
    agent.wait_ready()
    recorder.save("empty-fresh")
    play_turn(agent)
    recorder.save("empty-after-a-turn")
    record_drafts(recorder)
    record_busy(recorder)
    record_dialog(recorder)


def play_turn(agent: Agent) -> None:
    agent.submit("hello")
    agent.stand_in.wait_received(lambda one: one.holds("hello"), DEADLINE_S)
    agent.wait_for(lambda screen: "I have read it." in screen.text, "the reply")
    agent.wait_ready()


def record_drafts(recorder: Recorder) -> None:
    with draft(recorder, ONE_LINE):
        recorder.save("draft-one-line")
    with draft(recorder, "first line\n\nthird line"):
        recorder.save("draft-three-lines")
        recorder.press("Up", "Up")
        recorder.save("draft-three-lines-cursor-on-first")
    with draft(recorder, "\nsecond line\nthird line"):
        recorder.save("draft-first-line-empty")
        recorder.press("Up", "Up")
        recorder.save("draft-first-line-empty-cursor-on-first")
    with draft(recorder, "first line\n"):
        recorder.save("draft-last-line-empty")
    with draft(recorder, "   "):
        recorder.save("draft-only-spaces")
    with draft(recorder, LONG_LINE):
        recorder.save("draft-wrapped")
    recorder.paste(BIG_PASTE)
    recorder.save("draft-pasted-long")
    recorder.clear()


@contextmanager
def draft(recorder: Recorder, text: str) -> Iterator[None]:
    recorder.type(text)
    yield
    recorder.clear()


def record_busy(recorder: Recorder) -> None:
    agent = recorder.agent
    agent.submit("[[busy=8]][[say=the end]]")
    agent.wait_for(lambda screen: "part 10 of" in screen.text, "a streamed reply")
    recorder.save_at_once("busy-empty")
    agent.tmux.type(agent.pane, ONE_LINE)
    agent.wait_for(lambda screen: ONE_LINE in screen.text, "the draft")
    recorder.save_at_once("busy-draft")
    if recorder.kind in QUEUES_BY_ENTER:
        agent.tmux.press(agent.pane, "Enter")
        agent.wait_for(is_queued, "the draft to be queued")
        recorder.save_at_once("busy-queued")
        agent.stand_in.wait_received(lambda one: one.holds(ONE_LINE), DEADLINE_S)
    agent.wait_for(lambda screen: has_ended(agent, screen), "the end of the turn")
    agent.wait_quiet()
    if not agent.marks.has_empty_box(agent.screen()):
        recorder.clear()


def is_queued(screen: Screen) -> bool:
    return ONE_LINE in screen.text and ONE_LINE not in screen.cursor_row


def has_ended(agent: Agent, screen: Screen) -> bool:
    return not agent.marks.is_busy(screen) and any(row.strip(DRAWN) == "the end" for row in screen.rows)


def record_dialog(recorder: Recorder) -> None:
    agent = recorder.agent
    agent.submit("[[tool=touch made]]")
    agent.wait_for(lambda screen: agent.marks.dialog in screen.text, "the permission dialog")
    recorder.save("permission-dialog")
    agent.tmux.press(agent.pane, *agent.marks.denial)
    agent.wait_ready()
    agent.wait_for(lambda screen: not agent.marks.is_busy(screen), "the end of the turn")
    recorder.save("empty-after-a-denial")


def record_look(agent: Agent, name: str, look: Look) -> None:
    recorder = Recorder(agent)
    agent.wait_ready()
    agent.wait_quiet()
    if look.columns != COLUMNS:
        play_turn(agent)
        agent.tmux.run("resize-window", "-t", agent.pane, "-x", str(look.columns))
    recorder.save(f"empty-fresh.{name}")
    recorder.type("first line\n\nthird line")
    if look.keys:
        recorder.press(*look.keys)
    recorder.save(f"draft-three-lines.{name}")


def main(names: list[str]) -> None:
    for name in names or list(LAUNCHES):
        kind, _, only = name.partition(".")
        if not only:
            record_in_place(kind, Look(), record)
        for other, look in LOOKS.get(kind, {}).items():
            if only in ("", other):
                record_in_place(kind, look, partial(record_look, name=other, look=look))


def record_in_place(kind: str, look: Look, record_all: Callable[[Agent], None]) -> None:
    # Fails if it is there: another recording, or somebody else's.
    ROOT.mkdir()
    try:
        with running(kind, ROOT.resolve(), change=look.change, **look.options) as agent:
            record_all(agent)
    finally:
        shutil.rmtree(ROOT, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
