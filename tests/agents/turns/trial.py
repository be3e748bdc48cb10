"""One message to a real agent that is in a known state, and whether all that is said of it afterwards is true.

The truth is the stand-in's: when the message reached the model, in which words, how often. A message asks the model to answer for
`ANSWER_S`, so a status that says `completed` before that much has passed is wrong. A human's draft lies in the box meanwhile
(except where the human presses Escape), and must lie there afterwards.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec

from hark.demo.human import Human
from tests.agents.delivering import Delivering
from tests.agents.marks import MARKS
from tests.support.terminals import wait_until

DEADLINE_S = 40.0
ANSWER_S = 0.3
DRAFT = "half a dra"
ENDS = ("completed", "uncertain", "expired", "cancelled", "dead")
PROGRESS = ("queued", "staged", "submitted", "acknowledged", "completed")


class State(StrEnum):
    IDLE = "idle"
    STREAMING = "streaming"
    TOOL = "tool running"
    DIALOG = "dialog open"
    ESCAPE = "after Escape"


class Outcome(msgspec.Struct, frozen=True):
    state: State
    mode: str
    channel: str
    seconds: float
    """Until it was acknowledged."""
    faults: tuple[str, ...]
    story: str = ""


class Trial:
    def __init__(self, agent: Delivering, human: Human, state: State, number: int) -> None:
        self.agent = agent
        self.human = human
        self.state = state
        self.number = number
        self.mode = "important" if number % 2 else "sequential"
        self.text = f"{state} {number} [[busy={ANSWER_S}]]"
        self.file = agent.launch.directory / f"ran-{state.name.lower()}-{number}"
        self.is_approved = number % 4 < 2

    def run(self) -> Outcome:
        began = time.monotonic()
        message: dict[str, Any] = {}
        faults: list[str] = []
        try:
            self.rest()
            self.prepare()
            began = time.monotonic()
            options = ("--important",) if self.mode == "important" else ()
            message_id = self.agent.send(self.text, *options)
            if self.state is State.DIALOG:
                faults += self.answer_dialog(message_id)
            message = self.wait_end(message_id)
            faults += self.judge(message)
            self.rest()
            faults += self.judge_draft()
        except AssertionError as stuck:
            faults.append(f"stuck: {str(stuck).splitlines()[0][:200]}")
        seconds = self.seconds(message) if message else time.monotonic() - began
        story = f"{message.get('receipts')}\n{self.agent.screen().text}" if faults else ""
        return Outcome(self.state, self.mode, str(message.get("channel")), seconds, tuple(faults), story)

    def rest(self) -> None:
        """Until the turns before are over, and the draft is in the box."""
        wait_until(self.is_at_rest, DEADLINE_S, "rest", lambda: (self.phase(), self.agent.screen().text))
        if self.state is State.ESCAPE:
            self.wait_empty()
        elif DRAFT not in self.agent.screen().cursor_row:
            self.wait_empty()
            self.human.paste(DRAFT)
            self.agent.wait_draft(DRAFT)

    def is_at_rest(self) -> bool:
        return self.phase() in ("idle", "unknown") and not MARKS[self.agent.launch.kind].is_busy(self.agent.screen())

    def wait_empty(self) -> None:
        """What an agent puts back into the box when it is interrupted is cleared, as a human would."""
        if not MARKS[self.agent.launch.kind].has_empty_box(self.agent.screen()) and self.state is State.ESCAPE:
            self.human.press("C-u")
        self.agent.wait_ready()

    def phase(self) -> str:
        return str(self.agent.hark.session("a")["phase"])

    def prepare(self) -> None:
        match self.state:
            case State.STREAMING:
                self.open_turn("[[busy=2]]")
            case State.TOOL:
                self.open_turn(f"[[tool=touch {self.file} && sleep 1.5]]")
                self.agent.wait_dialog()
                self.human.press("Enter")
                wait_until(self.file.exists, DEADLINE_S, "the tool to run", lambda: self.agent.screen().text)
            case State.DIALOG:
                self.open_turn(f"[[tool=touch {self.file}]]")
                self.agent.wait_dialog()
            case State.ESCAPE:
                self.open_turn("[[busy=30]]")
                wait_until(lambda: "part 4" in self.agent.screen().text, DEADLINE_S, "its answer")
                self.human.press("Escape")
                if self.agent.launch.kind == "opencode":
                    wait_until(lambda: "again to" in self.agent.screen().text, DEADLINE_S, "its question")
                    self.human.press("Escape")

    def open_turn(self, directives: str) -> None:
        opener = self.agent.send(f"open {self.state} {self.number} {directives}")
        self.agent.stand_in.wait_received(lambda one: one.holds(f"via hark send · {opener}]"), DEADLINE_S)

    def answer_dialog(self, message_id: str) -> list[str]:
        """It is there, untouched, when hark has made up its mind about the message; then the human answers."""
        wait_until(lambda: self.agent.hark.message(message_id)["status"] != "queued", DEADLINE_S, "a status")
        self.agent.wait_dialog()
        faults = ["the dialog was answered"] if self.file.exists() else []
        self.human.press("Enter" if self.is_approved else "Escape")
        return faults

    def wait_end(self, message_id: str) -> dict[str, Any]:
        read = partial(self.agent.hark.message, message_id)
        wait_until(lambda: read()["status"] in ENDS, DEADLINE_S, f"{message_id} to end", lambda: (read(), self.phase()))
        return read()

    def judge(self, message: dict[str, Any]) -> list[str]:
        faults = [] if message["status"] == "completed" else [f"status {message['status']}"]
        statuses = [receipt["status"] for receipt in message["receipts"]]
        if "acknowledged" not in statuses:
            faults.append("never acknowledged")
        forward = [PROGRESS.index(status) for status in statuses if status in PROGRESS[1:]]
        if forward != sorted(forward):
            faults.append(f"history {statuses}")
        arrivals = self.agent.arrivals(message["id"])
        if len(arrivals) != 1 or arrivals[0].count(self.text) != 1:
            faults.append(f"arrived {len(arrivals)} times: {arrivals}")
        faults += self.judge_time(message)
        if self.state is State.DIALOG and self.file.exists() is not self.is_approved:
            faults.append(f"the dialog was answered otherwise than the human did (ran: {self.file.exists()})")
        return faults

    def judge_time(self, message: dict[str, Any]) -> list[str]:
        mark = f"via hark send · {message['id']}]"
        requests = [one.at for one in self.agent.stand_in.received() if not one.is_side and one.holds(mark)]
        if not requests or not message["completed_at"]:
            return []
        early = requests[0] + timedelta(seconds=ANSWER_S) - datetime.fromisoformat(message["completed_at"])
        return [f"completed {early.total_seconds():.2f} s too early"] if early > timedelta(0) else []

    def judge_draft(self) -> list[str]:
        if self.state is State.ESCAPE:
            return []
        row = self.agent.screen().cursor_row
        return [] if row.rstrip().endswith(DRAFT) else [f"the draft became {row!r}"]

    @staticmethod
    def seconds(message: dict[str, Any]) -> float:
        if not message["acknowledged_at"]:
            return float("nan")
        span = datetime.fromisoformat(message["acknowledged_at"]) - datetime.fromisoformat(message["queued_at"])
        return span.total_seconds()
