"""Plays one cell on a running agent and judges it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.agents.matrix.cells import Cell, Situation
from tests.agents.matrix.drafts import behind, marked
from tests.agents.matrix.hands import MARK, rest, wait_quietly
from tests.agents.matrix.stage import Stage
from tests.agents.matrix.verdict import EXACT, Verdict, Wrong, held
from tests.agents.running import COLUMNS, ROWS
from tests.agents.screen import Screen
from tests.support.terminals import wait_until

SMALL = (40, 10)
ESCAPE_S = 0.8
HELD_FOR_S = 3.0
"""A hold that lasts so long is one; shorter ones come and go while an agent draws."""
OUTCOME_WITHIN_S = 25.0
ARRIVES_WITHIN_S = 20.0
DIALOG_WITHIN_S = 15.0
POINTER = re.compile(r"The message is \d+ bytes long\. Read it in this file: (\S+)")
STEERS = ("codex",)
"""An Enter while busy goes into the running turn, whose reply so far is dropped."""
LOSES_CURSOR_IN_DIALOG = ("claude",)
"""After a dialog the agent itself has the cursor at the end of the draft, with no message about."""
PASSING = ("human-typing",)


class Outcome(msgspec.Struct, frozen=True):
    status: str
    reason: str | None


class Play:
    def __init__(self, stage: Stage, cell: Cell, number: int) -> None:
        self.stage = stage
        self.cell = cell
        self.agent = stage.agent
        self.text = cell.draft.make(stage.columns)
        self.body = f"message {number}: Grüße, 漢字; $HOME\nand a second line"
        self.made = self.agent.launch.directory / f"made-{number}"
        self.ending = f"ending-{number}"
        self.had_dialog = False
        self.otherwise: str | None = None

    def judge(self) -> Verdict:
        bodies, prompts = self.agent.bodies(), self.agent.prompts()
        with self._situation() as own_prompts:
            first = self._deliver()
            self._check_untouched()
        details = [one["detail"] for one in self.agent.hark.message(self.message_id)["receipts"] if one["detail"]]
        print(first.status, first.reason or "", details[-1:], end=" ")
        last = self._outcome() if first.status == "held" and self._is_over_with_situation() else first
        self._check_draft(last)
        if last.status == "held":
            last = self._outcome()
        if last.status != "submitted":
            raise Wrong(f"the message ended as {last.status}")
        self._check_arrived(bodies, [*prompts, *own_prompts])
        self._check_turn()
        self._check_alone()
        return held(str(first.reason)) if first.status == "held" else EXACT

    def _is_over_with_situation(self) -> bool:
        return self.cell.situation not in (Situation.IDLE, Situation.VIM)

    @contextmanager
    def _situation(self) -> Iterator[list[str]]:
        """With the draft in the box; it ends with the block. Answers what the human has submitted for it."""
        match self.cell.situation:
            case Situation.IDLE | Situation.VIM:
                self._enter()
                yield []
            case Situation.BUSY:
                prompt = self._submit(f"[[busy=5]][[say={self.ending}]]")
                self._wait_part(2)
                self._enter()
                yield [prompt]
            case Situation.DIALOG_BEFORE | Situation.DIALOG_DURING:
                yield [self._open_dialog()]
                self._end_dialog()
            case Situation.COPY_MODE:
                self._enter()
                self.agent.tmux.run("copy-mode", "-t", self.agent.pane)
                yield []
                self.agent.tmux.run("send-keys", "-t", self.agent.pane, "-X", "cancel")
            case Situation.SMALL:
                self._enter()
                self._resize(*SMALL)
                yield []
                self._resize(COLUMNS, ROWS)
            case Situation.DETACHED:
                self._enter()
                self.stage.detach()
                yield []
                self.stage.attach()
                self.stage.hands.wait_still(None)

    def _enter(self) -> None:
        self.stage.hands.enter(self.text, self.cell.draft.entry)
        self.stage.hands.walk(self.text, behind(self.cell.draft, self.text, self.cell.cursor))
        if self.cell.situation is Situation.VIM:
            self.stage.hands.press("Escape")
            # Until it is an Escape of its own, and not the beginning of a key.
            rest(ESCAPE_S)

    def _insert(self) -> None:
        """Back from vim's normal mode, in which the draft was left."""
        if self.cell.situation is Situation.VIM:
            self.stage.hands.press("i")
            rest()

    def _submit(self, prompt: str) -> str:
        hands = self.stage.hands
        before = self.agent.screen()
        hands.human.paste(prompt)
        hands.wait_still(before)
        rest()
        hands.human.press("Enter")
        return prompt

    def _wait_part(self, number: int) -> None:
        wait_until(
            lambda: f"part {number} of" in self._joined(self.agent.screen()), 20.0, "a streamed reply", self._shown
        )

    def _open_dialog(self) -> str:
        is_before = self.cell.situation is Situation.DIALOG_BEFORE
        parts = 20 if self.text else 10
        prompt = self._submit(f"[[busy={parts / 10}]][[tool=touch {self.made}]]")
        self._wait_part(1)
        self._enter()
        if is_before:
            wait_until(self.stage.has_dialog, DIALOG_WITHIN_S, "the permission dialog", self._shown)
            rest()
        else:
            wait_quietly(lambda: f"part {parts - 2} of" in self._joined(self.agent.screen()), DIALOG_WITHIN_S)
        return prompt

    def _end_dialog(self) -> None:
        """Denied by the human: it may still be on its way, or never come, because the message has steered the turn."""
        self.had_dialog = wait_quietly(self.stage.has_dialog, 5.0)
        if self.had_dialog:
            self._check_not_approved()
            self.stage.deny_dialog()
        self._check_not_approved()

    def _resize(self, columns: int, rows: int) -> None:
        before = self.agent.screen()
        self.stage.resize(columns, rows)
        self.stage.hands.wait_still(before)

    def _deliver(self) -> Outcome:
        self.message_id = self.agent.send(self.body)
        return self._outcome()

    def _outcome(self) -> Outcome:
        """Submitted, ended, or held for one reason and for good."""
        ends_at = time.monotonic() + OUTCOME_WITHIN_S
        since, reason = time.monotonic(), None
        while time.monotonic() < ends_at:
            message = self.agent.hark.message(self.message_id)
            status = message["status"]
            if status in ("submitted", "acknowledged", "completed", "uncertain", "dead", "expired", "cancelled"):
                return Outcome("submitted" if status in ("acknowledged", "completed") else status, None)
            if status != "held" or message["reason"] != reason or reason in PASSING:
                since, reason = time.monotonic(), message["reason"]
            if reason and time.monotonic() - since > HELD_FOR_S:
                return Outcome("held", reason)
            rest(0.05)
        raise Wrong(f"neither submitted nor held: {message['status']} {message['reason']}")

    def _check_untouched(self) -> None:
        if (
            self.cell.situation is Situation.COPY_MODE
            and self.agent.tmux.read(self.agent.pane, "#{pane_in_mode}") != "1"
        ):
            raise Wrong("copy mode was left")
        if self.cell.situation in (Situation.DIALOG_BEFORE, Situation.DIALOG_DURING):
            self._check_not_approved()
        if self.cell.situation is Situation.DIALOG_BEFORE and not self.stage.has_dialog():
            raise Wrong("the dialog was answered")

    def _check_not_approved(self) -> None:
        if self.made.exists():
            raise Wrong("the dialog was approved")

    def _check_draft(self, outcome: Outcome) -> None:
        """The mark stands where the cursor was, and everything else is as it was."""
        hands = self.stage.hands
        self._insert()
        if not self.text:
            if not wait_quietly(hands.is_empty, 10.0):
                raise Wrong(f"the box is not empty:\n{self._shown()}")
            return
        expected = self._expected()
        marked_screen = hands.mark()
        read = hands.read()
        if read is None or is_shell_command(read, expected):
            if not is_shown(expected, marked_screen):
                raise Wrong(f"the screen does not show {expected!r}:\n{marked_screen.text}")
        elif read.removesuffix("\n") != expected.removesuffix("\n"):
            self.otherwise = read
        self._clear()

    def _check_alone(self) -> None:
        """What is not as the keys should have made it is made again without a message: an agent's own keys may lead elsewhere,
        such as not over a wrap, and it may add a blank behind a collapsed paste."""
        if self.otherwise is None:
            return
        hands = self.stage.hands
        self.stage.make_ready()
        self._enter()
        rest()
        self._insert()
        hands.mark()
        if (alone := hands.read()) != self.otherwise:
            raise Wrong(f"the draft is {self.otherwise!r}, without a message {alone!r}")

    def _expected(self) -> str:
        text, cell = self.text, self.cell
        if self.had_dialog and self.agent.launch.kind in LOSES_CURSOR_IN_DIALOG:
            return text + MARK
        if cell.situation is not Situation.VIM:
            return marked(cell.draft, text, cell.cursor, MARK)
        at = len(text) - behind(cell.draft, text, cell.cursor)
        # Escape steps back onto the character before.
        at -= 1 if at and text[at - 1] != "\n" else 0
        return text[:at] + MARK + text[at:]

    def _clear(self) -> None:
        if self.cell.situation is Situation.VIM:
            self.stage.hands.human.press("Enter")
        else:
            self.stage.hands.clear()

    def _check_arrived(self, before: list[str], prompts: list[str]) -> None:
        def arrived() -> list[str]:
            return self.agent.bodies()[len(before) :]

        wait_quietly(lambda: bool(arrived()), ARRIVES_WITHIN_S)
        self.stage.deny_dialog()
        self.stage.wait_idle()
        if [content(body) for body in arrived()] != [self.body]:
            raise Wrong(f"at the model: {arrived()}")
        own = [prompt for prompt in self.agent.prompts() if prompt not in ("z",)]
        if own != [prompt for prompt in prompts if prompt not in ("z",)]:
            raise Wrong(f"the human's prompts are {own[-3:]}")

    def _check_turn(self) -> None:
        """What was said last is on the screen: nobody has interrupted it."""
        if self.cell.situation is Situation.BUSY and self.agent.launch.kind not in STEERS:
            said = re.compile(rf"(?<!=){self.ending}")
            history = self.agent.tmux.capture(self.agent.pane, history=True)
            if not said.search(history):
                raise Wrong("the turn was interrupted")

    def _shown(self) -> str:
        return self.agent.screen().text

    @staticmethod
    def _joined(screen: Screen) -> str:
        return " ".join(row.strip() for row in screen.rows)


def content(body: str) -> str:
    """Of the message, also where the payload only points to it."""
    if pointer := POINTER.fullmatch(body):
        return Path(pointer[1]).read_text(encoding="utf-8")
    return body


def is_shell_command(read: str, expected: str) -> bool:
    """Agents take the mark of a shell command for a mode of the box: their editor gets what stands behind it."""
    return expected[:1] == "!" and read == expected[1:]


def is_shown(text: str, screen: Screen) -> bool:
    """Of one row only; a longer one proves itself by the editor."""
    shown = re.sub(r"(?<=!)\s+", "", screen.cursor_row).strip(" \u200b")
    if text.startswith("!") and "Shell" in screen.text:
        text = text[1:]
    return "\n" not in text and shown.endswith(text)
