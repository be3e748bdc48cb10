"""One delivery whose daemon is killed at one step, the daemon that goes on in its place, and what a human finds after that.

The draft is judged by what the agent gets when the human types an X into it and submits it: its text and its cursor, to
the letter, and nothing beside it. A message is judged by how often its id has reached the agent, and by what hark says.
"""

from __future__ import annotations

import json
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path
from uuid import uuid4

import msgspec

from hark.demo.human import Human
from tests.agents.delivering import OtherTmux, delivering
from tests.agents.marks import MARKS
from tests.agents.screen import Screen, look
from tests.integration.end_to_end import dying
from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import PrivateTmux, wait_until

WHENS = ("before", "during", "after")
DELIVERED = ("submitted", "acknowledged", "completed")
ENDS = (*DELIVERED, "uncertain")
MARK = "X"
PATIENCE_S = 3.0
_SERVE = 'exec "$0" -W default "$@" 2>>"$HARK_HOME/stderr"'


class Draft(msgspec.Struct, frozen=True):
    text: str = ""
    moves: tuple[str, ...] = ()
    marked: str = MARK
    """The draft with the mark where the moves have led the cursor."""


NO_DRAFT = Draft()
LONG_DRAFT = Draft(
    "the first line\n\nand a third, half a thou", ("Left",) * 12, "the first line\n\nand a third,X half a thou"
)


class Point(msgspec.Struct, frozen=True):
    """Where the daemon dies."""

    when: str
    number: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    point: Point
    step: str | None
    """What the daemon died at; None: the delivery was over before that."""
    message: str
    """As it goes to the agent."""
    status: str
    arrivals: int
    submitted: str
    """What the human's submit after it has brought to the agent."""
    draft: Draft
    leftovers: tuple[str, ...]

    @property
    def is_draft_exact(self) -> bool:
        return self.submitted.replace(MARK, "", 1) == self.draft.text

    @property
    def is_cursor_exact(self) -> bool:
        return self.submitted == self.draft.marked

    @property
    def faults(self) -> list[str]:
        found = list(self.leftovers)
        if not self.is_draft_exact:
            found.append(f"the draft came back as {self.submitted!r}")
        if self.status in DELIVERED and self.arrivals != 1:
            found.append(f"{self.status}, and {self.arrivals} times at the agent")
        if self.status == "uncertain" and self.arrivals > 1:
            found.append(f"{self.arrivals} times at the agent")
        if self.status not in ENDS:
            found.append(f"ended as {self.status}")
        return found


class Patient(msgspec.Struct, frozen=True):
    """An agent in a session called `a`, of a daemon that can be told to die, with a human at its terminal."""

    hark: RunningHark
    tmux: PrivateTmux
    pane: str
    human: Human
    submitted: Callable[[], list[str]]
    """Every text that the agent got, as often as it got it."""
    has_empty_box: Callable[[Screen], bool]

    @property
    def plan(self) -> Path:
        return self.hark.home / "plan"

    def screen(self) -> Screen:
        return look(self.tmux, self.pane)

    def wait_screen(self, condition: Callable[[Screen], bool], what: str) -> None:
        wait_until(lambda: condition(self.screen()), DEADLINE_S, what, lambda: self.screen().text)

    def wait_empty(self) -> None:
        self.wait_screen(self.has_empty_box, "an empty box")

    def write(self, draft: Draft) -> None:
        """As a human does, and each move seen before the next."""
        if not draft.text:
            return
        self.human.paste(draft.text)
        end = draft.text.split("\n")[-1]
        self.wait_screen(lambda screen: screen.cursor_row.rstrip().endswith(end), "the draft in the box")
        for key in draft.moves:
            before = self.screen()
            self.human.press(key)
            self.wait_screen(lambda screen: screen.cursor_x != before.cursor_x, f"{key} to move the cursor")  # noqa: B023

    def submit_marked(self) -> str:
        """What the agent got when the human has typed the mark and submitted."""
        before = len(self.prompts())
        self.human.type(MARK, keys_per_second=20)
        self.wait_screen(lambda screen: MARK in screen.cursor_row, "the mark in the box")
        self.human.press("Enter")
        wait_until(lambda: len(self.prompts()) > before, DEADLINE_S, "the human's prompt", lambda: self.screen().text)
        self.wait_empty()
        return self.prompts()[-1]

    def prompts(self) -> list[str]:
        """What the human has submitted: a message may reach the model later than it left the box."""
        return [text for text in self.submitted() if not text.startswith("[Input from: ")]

    def send(self, text: str, key: str) -> str | None:
        """The message's id; None when the daemon died before it could say it. The same key never delivers twice."""
        body, headers = {"text": text, "sender_name": "ci"}, {"Idempotency-Key": key}
        try:
            return str(self.hark.api("POST", "/sessions/a/send", body, headers).json["id"])
        except (OSError, HTTPException):
            return None

    def is_dead(self) -> bool:
        return self.hark.daemon_pid() is None

    def status(self, message_id: str) -> str:
        return str(self.hark.message(message_id)["status"])

    def saved_draft(self) -> str | None:
        saved: str | None = self.hark.api("GET", "/sessions/a/send-queue").json["saved_user_input"]
        return saved

    def is_over(self, message_id: str | None) -> bool:
        """Not by the word of a daemon that dies while it is asked."""
        try:
            return message_id is not None and self.status(message_id) in ENDS and self.saved_draft() is None
        except (OSError, HTTPException):
            return False

    def wait_over(self, message_id: str, deadline_s: float = DEADLINE_S) -> None:
        story = lambda: json.dumps(self.hark.message(message_id), indent=1) + "\n" + self.screen().text  # noqa: E731
        wait_until(lambda: self.is_over(message_id), deadline_s, f"the end of {message_id}", story)

    def submit_if_stuck(self, message_id: str) -> None:
        """What a human does who has typed beside our text, and finds it there: send it off."""
        try:
            self.wait_over(message_id, PATIENCE_S)
        except AssertionError:
            self.human.press("Enter")

    def leftovers(self) -> list[str]:
        """What must not stay behind, and does. A hold may need the two seconds after which it ends by itself."""
        try:
            wait_until(lambda: not self._find_leftovers(), 5, "nothing to be left")
        except AssertionError:
            return self._find_leftovers()
        return []

    def _find_leftovers(self) -> list[str]:
        found = [f"a key binding: {row}" for row in self.tmux.run("list-keys").splitlines() if "hark-" in row]
        tables = self.tmux.run("list-clients", "-F", "#{client_control_mode} #{client_key_table}").splitlines()
        found += [f"a client's key table: {row}" for row in tables if row.startswith("0") and row != "0 root"]
        found += [
            f"a mark in tmux: {row}" for row in self.tmux.run("show-options", "-s", "-q", "-v", "@hark-hold").split()
        ]
        found += [f"a held keyboard: {facts}" for facts in self.airlocks() if facts["hold"] or facts["held_bytes"]]
        found += ["a stashed draft"] if "stashed" in self.screen().text else []
        found += [f"a stored draft: {saved}"] if (saved := self.saved_draft()) else []
        return found

    def airlocks(self) -> Iterator[dict[str, object]]:
        for door in (self.hark.home / "run/airlocks").glob("*.sock"):
            with socket.socket(socket.AF_UNIX) as asking:
                asking.settimeout(DEADLINE_S)
                asking.connect(str(door))
                asking.sendall(b'{"op": "facts"}\n')
                yield json.loads(asking.makefile().readline())


def kill_once(patient: Patient, draft: Draft, point: Point, typing: str = "") -> Verdict:
    """`typing` is what the human goes on to type, through all of it."""
    patient.write(draft)
    with typed_meanwhile(patient, typing):
        message_id, step = _die_and_rise(patient, point)
    if typing:
        patient.submit_if_stuck(message_id)
    patient.wait_over(message_id)
    leftovers = patient.leftovers()
    return Verdict(
        point=point,
        step=step,
        message=f"[Input from: ci via hark send · {message_id}]\n{text_at(point)}",
        status=patient.status(message_id),
        draft=draft,
        leftovers=tuple(leftovers),
        submitted=patient.submit_marked(),
        arrivals=sum(message_id in text for text in patient.submitted()),
    )


def _die_and_rise(patient: Patient, point: Point) -> tuple[str, str | None]:
    """The message's id, and the step at which the daemon died: None if it did not."""
    last_words, key = dying.last_words(patient.plan), uuid4().hex
    last_words.unlink(missing_ok=True)
    patient.plan.write_text(f"{point.when} {point.number}")
    message_id = patient.send(text_at(point), key)
    wait_until(lambda: patient.is_dead() or patient.is_over(message_id), DEADLINE_S, "the daemon to die")
    patient.plan.unlink(missing_ok=True)
    if patient.is_dead():
        patient.hark.ok("daemon", "start")
        message_id = patient.send(text_at(point), key)
    assert message_id
    return message_id, last_words.read_text() if last_words.exists() else None


def text_at(point: Point) -> str:
    return f"at {point.when} {point.number}"


@contextmanager
def typed_meanwhile(patient: Patient, text: str) -> Iterator[None]:
    """Slowly enough for a daemon to die and to come back, and without a pause that a delivery would wait for."""
    typist = threading.Thread(target=lambda: patient.human.type(text, keys_per_second=6))
    typist.start()
    try:
        yield
    finally:
        typist.join()


SECTIONS = {"none": "", "sentinel": "[sentinel]\n"}
"""Of the agent's data, where the usual ones would give it another carrier."""


@contextmanager
def demo_patient(carrier: str, *, is_adopted: bool = False) -> Iterator[Patient]:
    """The demo agent, whose drafts are carried in that way."""
    with ExitStack() as owned:
        hark = owned.enter_context(RunningHark())
        make_mortal(hark)
        hark.describe_demo(SECTIONS.get(carrier), prefers_editor=carrier == "editor")
        log = hark.home / "a.log"
        words = [PROGRAM, "--log", str(log), "--busy", "0.05"]
        if is_adopted:
            tmux: PrivateTmux = owned.enter_context(PrivateTmux())
            pane = tmux.new(words, 100, 30)
        else:
            pane, tmux = hark.json("new", "-n", "a", "--", *words)["pane_id"], OtherTmux(hark.tmux_socket)
        wait_until(lambda: log.exists() and '"ready"' in log.read_text(), DEADLINE_S, "the agent")
        if is_adopted:
            hark.ok("adopt", "-S", str(tmux.socket), "-n", "a", pane)
        human = owned.enter_context(Human(tmux.socket, pane, columns=100, rows=30))
        human.wait_attached(DEADLINE_S)
        yield Patient(hark, tmux, pane, human, lambda: prompts_in(log), has_empty_box_of_demo)


@contextmanager
def real_patient(kind: str) -> Iterator[Patient]:
    """A real agent behind an airlock."""
    with delivering(kind) as running, running.human() as human:
        make_mortal(running.hark)
        running.hark.ok("daemon", "stop")
        running.hark.ok("daemon", "start")
        human.wait_attached(DEADLINE_S)
        running.wait_ready()
        has_empty_box = MARKS[kind].has_empty_box
        yield Patient(running.hark, running.tmux, running.pane, human, running.stand_in.submitted, has_empty_box)


def make_mortal(hark: RunningHark) -> None:
    command = [sys.executable, dying.__file__, str(hark.home / "plan")]
    hark.set(serve_command=shlex.join(["sh", "-c", _SERVE, *command]))


def prompts_in(log: Path) -> list[str]:
    lines = log.read_text().splitlines(keepends=True)
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    return [event["text"] for event in events if event["event"] == "prompt"]


def has_empty_box_of_demo(screen: Screen) -> bool:
    return screen.cursor_row == "❯" and "· idle" in screen.text and screen.cursor_flag == 1
