"""The person at a real tmux client: does what the composer makes up, at 8 to 15 keys a second, until told to stop."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

from hark.demo.human import Human
from tests.agents.delivering import Delivering
from tests.agents.marks import MARKS, RULE
from tests.campaigns.storm.person import (
    TAG,
    Act,
    Composer,
    Key,
    Paste,
    Pause,
    Prompt,
    Recall,
    Recalled,
    Type,
    prompt_of,
)

SLOWEST, FASTEST = 8.0, 15.0
BEFORE_ENTER_S = (0.3, 0.6)
BETWEEN_PROMPTS_S = (0.1, 0.8)
RECALLS = 0.2
EMPTY_WITHIN_S = 3.0
BREAKS = 0.25
BREAK_S = (1.5, 3.5)

CURSORS = {"gemini": Recalled.CURSOR_AT_START, "opencode": Recalled.CURSOR_AT_START}
"""In a text from the history; elsewhere at its end."""

KEEPS_PROMPTS = frozenset({"claude"})
"""Agents that may submit a prompt and keep it in the box: Claude Code does so when the Enter comes in the instant in which a turn
ends, with no hark about (`python -m tests.campaigns.storm.left`)."""
LEAVES_WITHIN_S = 1.5
STAYS_S = 0.6
ERASES = 10
"""Backspaces beyond the length of the text."""


class Typist(threading.Thread):
    """`prompts` are those that they have submitted, in order."""

    def __init__(self, agent: Delivering, human: Human, dice: Random, *, of_any_script: bool = False) -> None:
        super().__init__(name="typist", daemon=True)
        self.prompts: list[Prompt] = []
        self.kept: list[str] = []
        """Those that had reached the model, and that the person found in the box afterwards and erased."""
        self.keys = 0
        self.log: list[str] = []
        """Every act, with its time: what a trace begins with."""
        self.failure: BaseException | None = None
        self.before_prompt: Callable[[], None] = lambda: None
        """For a person who has to tidy up after others."""
        self._agent = agent
        self._human = human
        self._dice = dice
        self._composer = Composer(dice, of_any_script=of_any_script)
        self._cursor = CURSORS.get(agent.launch.kind, Recalled.CURSOR_AT_END)
        self._is_over = threading.Event()

    def stop(self, deadline_s: float) -> None:
        """When the prompt that is being written has been submitted."""
        self._is_over.set()
        self.join(deadline_s)
        if self.is_alive():
            raise TimeoutError(f"the person was still typing after {deadline_s} s")
        if self.failure:
            raise self.failure

    def run(self) -> None:
        try:
            while not self._is_over.is_set():
                self.before_prompt()
                self.write_prompt()
                self._rest()
                self._erase_kept(self.prompts[-1])
        except BaseException as failure:  # noqa: BLE001 told to whoever stops them
            self.failure = failure

    def write_prompt(self) -> None:
        wants_recall = bool(self.prompts) and self._dice.random() < RECALLS
        self.write(
            self._composer.compose(len(self.prompts), wants_recall and self._has_arrived() and self._sees_empty_box())
        )

    def write(self, acts: list[Act]) -> None:
        """And submit it."""
        for act in acts:
            self.do(act)
        time.sleep(self._dice.uniform(*BEFORE_ENTER_S))
        self.prompts.append(prompt_of(acts, self._cursor))
        self.do(Key("Enter"))

    def do(self, act: Act) -> None:
        self.log.append(f"{datetime.now(UTC).isoformat()} {act}")
        match act:
            case Pause(seconds=seconds):
                time.sleep(seconds)
                return
            case Type(character=character):
                self._human.type(character, keys_per_second=self._dice.uniform(SLOWEST, FASTEST))
            case Key(name=name):
                self._press(name)
            case Recall():
                self._press("Up")
                self._see_recalled()
            case Paste(text=text):
                self._human.paste(text)
        self.keys += 1

    def _press(self, name: str) -> None:
        self._human.press(name)
        time.sleep(1 / self._dice.uniform(SLOWEST, FASTEST))

    def _rest(self) -> None:
        """The box is empty then, and stays so for a moment; now and then for longer."""
        is_break = self._dice.random() < BREAKS
        self._is_over.wait(self._dice.uniform(*(BREAK_S if is_break else BETWEEN_PROMPTS_S)))

    def _see_recalled(self) -> None:
        """The person does not type on before they see the text that they have asked for, and that it stays: a message that is on its way
        may stand in the box for a moment."""
        has_empty_box = MARKS[self._agent.launch.kind].has_empty_box
        since = began = time.monotonic()
        while (now := time.monotonic()) < since + STAYS_S and now < began + EMPTY_WITHIN_S:
            since = now if has_empty_box(self._agent.screen()) else since
            time.sleep(0.02)

    def _erase_kept(self, prompt: Prompt) -> None:
        """Erase a prompt that stands in the box although it was submitted. One that has not reached the model stays: that is damage."""
        if self._agent.launch.kind not in KEEPS_PROMPTS:
            return
        [found] = re.findall(TAG, prompt.text)
        has_empty_box = MARKS[self._agent.launch.kind].has_empty_box
        now = began = time.monotonic()
        filled_at = began  # while a message is delivered the box shows that, and not what is kept
        while now < began + LEAVES_WITHIN_S and now < filled_at + STAYS_S:
            time.sleep(0.05)
            now = time.monotonic()
            filled_at = filled_at if has_empty_box(self._agent.screen()) else now
        if found not in self._box() or not any(found in text for text in self._agent.stand_in.submitted()):
            return
        self.kept.append(prompt.text)
        for _ in range(len(prompt.text) + ERASES):
            self._human.press("Backspace")
            time.sleep(0.005)
        self._sees_empty_box()

    def _box(self) -> str:
        """What stands between the last two rules of the screen."""
        return f"\n{self._agent.screen().text}".rpartition(f"\n{RULE}")[0].rpartition(f"\n{RULE}")[2]

    def _has_arrived(self) -> bool:
        """Whether the last prompt has reached the model: while it waits, Up would fetch it back, with no hark about."""
        [found] = re.findall(TAG, self.prompts[-1].text)
        return any(found in text for text in self._agent.stand_in.submitted())

    def _sees_empty_box(self) -> bool:
        """Where something waits for the agent's attention, Up would fetch it back instead of the history."""
        ends_at = time.monotonic() + EMPTY_WITHIN_S
        marks = MARKS[self._agent.launch.kind]
        while time.monotonic() < ends_at:
            screen = self._agent.screen()
            if marks.has_empty_box(screen) and not marks.is_busy(screen) and "queued" not in screen.text.casefold():
                return True
            time.sleep(0.05)
        return False
