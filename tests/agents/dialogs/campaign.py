"""Many tries on one agent after another, drawn from a seed, aimed where they may hurt, and counted."""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager

import msgspec

from tests.agents.dialogs.subject import Subject
from tests.agents.dialogs.trial import Outcome, Plan, Sender, submit, try_once

# What a careless delivery would answer a dialog with, and what people write.
TEXTS = ("1", "y", "yes", "2\n1", "3", "n", "p", "a", "The build on main is green again.", "first\n\nthird", "1\n\ny")
WORDS = ("and then", "look at this first,\nthen", "half a thought")
AIMED = 0.6
"""The share of tries that send so that the dialog opens about when Enter is due."""
SPREAD_S = 0.12
BY_MESSAGE = 0.3


class Aim:
    """What was seen so far of how long things take: an aim needs both."""

    def __init__(self) -> None:
        self._opens = [0.3]
        self._stages = {True: [0.2], False: [0.1]}

    def learn(self, outcome: Outcome) -> None:
        # What a delivery has delayed says nothing about the next one.
        if outcome.opened == "before":
            self._opens.append(outcome.opened_after_s - outcome.plan.busy_s)
        if outcome.staged_after_s is not None:
            self._stages[outcome.plan.draft is not None].append(outcome.staged_after_s)

    def dialog_after_s(self, busy_s: float) -> float:
        return busy_s + statistics.median(self._opens[-20:])

    def miss_s(self, outcome: Outcome) -> float:
        """By how much the dialog came later than Enter was due."""
        due_s = outcome.sent_after_s + self.enter_after_s(outcome.plan.draft is not None)
        return outcome.opened_after_s - due_s

    def enter_after_s(self, has_draft: bool) -> float:
        return statistics.median(self._stages[has_draft][-20:])


class Tally(msgspec.Struct):
    kind: str
    seed: int
    answers: Counter[str] = msgspec.field(default_factory=Counter)
    messages: Counter[str] = msgspec.field(default_factory=Counter)
    drafts: Counter[str] = msgspec.field(default_factory=Counter)
    opened: Counter[str] = msgspec.field(default_factory=Counter)
    near: int = 0
    """How often the dialog opened within a tenth of a second of the moment when Enter was due."""

    def add(self, outcome: Outcome, miss_s: float) -> None:
        self.near += abs(miss_s) < 0.1
        self.answers[outcome.answer] += 1
        self.messages[outcome.message] += 1
        self.drafts[outcome.draft] += 1
        self.opened[outcome.opened] += 1

    @property
    def tries(self) -> int:
        return self.answers.total()

    @property
    def faults(self) -> int:
        bad = ("lost", "doubled", "changed")
        touched = self.tries - self.answers["untouched"] - self.answers["not asked"]
        return touched + self.drafts["harmed"] + sum(self.messages[word] for word in bad)


class Question(msgspec.Struct, frozen=True):
    name: str
    """What the agent will ask for."""
    busy_s: float
    has_draft: bool
    """Whether the human goes on to type the next prompt meanwhile."""
    is_by_message: bool
    """The message itself makes the agent ask: then the dialog opens while the draft goes back into the box."""
    prompt: str
    """The human's."""


class Campaign:
    def __init__(
        self,
        kind: str,
        tries: int,
        seed: int,
        open_subject: Callable[[], AbstractContextManager[Subject]],
        sender: Sender | None = None,
    ) -> None:
        self.tally = Tally(kind, seed)
        self._tries = tries
        self._chance = random.Random(f"{kind} {seed}")
        self._open_subject = open_subject
        self._sender = sender or Sender()
        self._aim = Aim()
        self._names = (f"made-{number}" for number in itertools.count(1))

    def run(self) -> Generator[Outcome, None, None]:
        """A try that went wrong is followed by a new agent: the old one may be anywhere."""
        while self.tally.tries < self._tries:
            with self._open_subject() as subject:
                for outcome in self._run_on(subject):
                    self.tally.add(outcome, self._aim.miss_s(outcome))
                    self._aim.learn(outcome)
                    yield outcome
                    if outcome.is_fault or self.tally.tries >= self._tries:
                        break

    def _run_on(self, subject: Subject) -> Iterator[Outcome]:
        question, submitted_at = self._draw_question(subject), None
        while True:
            begun_at = self._begin(subject, question, submitted_at)
            following = self._draw_question(subject)
            plan = self._draw_plan(subject, question, following.prompt if question.has_draft else None)
            outcome, submitted_at = try_once(subject, question.name, plan, begun_at, self._sender), None
            if outcome.draft == "exact":
                got, submitted_at = submit(subject, self._sender.patience_s)
                outcome = outcome if got == plan.draft else harmed(outcome, got)
            yield outcome
            question = following

    def _begin(self, subject: Subject, question: Question, submitted_at: float | None) -> float:
        """When the agent has begun to work on the prompt; or, where the message will ask, when it is idle."""
        if question.is_by_message:
            subject.wait_idle()
            return time.time()
        if submitted_at is None:
            subject.wait_empty()
            subject.paste(question.prompt)
            _, submitted_at = submit(subject, self._sender.patience_s)
        return submitted_at

    def _draw_question(self, subject: Subject) -> Question:
        chance, name = self._chance, next(self._names)
        has_draft, is_by_message, words = chance.random() < 0.5, chance.random() < BY_MESSAGE, chance.choice(WORDS)
        if is_by_message:
            return Question(name, round(chance.uniform(0, 0.5), 1), has_draft, True, f"{words} nothing for {name}")
        has_draft = has_draft and subject.marks.has_box_in_turn
        busy_s = round(chance.uniform(1.4, 2.2) if has_draft else chance.uniform(0.8, 1.6), 1)
        return Question(name, busy_s, has_draft, False, f"{words} {subject.ask(name, busy_s)}")

    def _draw_plan(self, subject: Subject, question: Question, draft: str | None) -> Plan:
        chance, dialog_after_s = self._chance, self._aim.dialog_after_s(question.busy_s)
        at_enter_s = dialog_after_s - self._aim.enter_after_s(draft is not None)
        is_aimed, text = chance.random() < AIMED, chance.choice(TEXTS)
        near, anywhere = at_enter_s + chance.uniform(-SPREAD_S, SPREAD_S), chance.uniform(0.2, dialog_after_s + 0.6)
        if question.is_by_message:
            near, anywhere = 0.0, 0.0
            text += "\n" + subject.ask(question.name, question.busy_s)
        return Plan(
            busy_s=question.busy_s,
            send_after_s=near if is_aimed else anywhere,
            linger_s=chance.uniform(0.0, 0.4),
            text=text,
            draft=draft,
        )


def harmed(outcome: Outcome, got: str) -> Outcome:
    return msgspec.structs.replace(outcome, draft="harmed", story=f"the draft came as {got!r}\n{outcome.story}")
