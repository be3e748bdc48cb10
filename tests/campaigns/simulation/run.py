"""One run: a scenario played to its end, with as many attempts as a daemon would make, and everything checked on the way."""

from collections.abc import Callable, Generator
from random import Random
from typing import TypeVar

from msgspec import Struct

from hark.delivery.actions import KeyWork, UseKeys
from hark.delivery.after_attempt import what_becomes
from hark.delivery.carriers.empty_box import was_taken_out
from hark.delivery.carriers.rest import NOT_AT_REST
from hark.delivery.carriers.sentinel import is_marked
from hark.delivery.carriers.steps import (
    Answer,
    Delivery,
    DropDraft,
    Held,
    Outcome,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.delivery.carriers.submit import Job
from hark.delivery.carriers.undo_under_dialog import with_draft_out
from hark.delivery.judgement import Judged, Question, judge
from hark.delivery.next_step import next_step
from hark.model.message import HoldReason, Status
from tests.campaigns.simulation import properties
from tests.campaigns.simulation.carriers import PUT_BACK, REAL, Carriers
from tests.campaigns.simulation.layout import units_of
from tests.campaigns.simulation.properties import Before, before
from tests.campaigns.simulation.scenario import MESSAGE_ID, CarrierName, Scenario, draw_scenario
from tests.campaigns.simulation.terminal import Terminal
from tests.campaigns.simulation.trace import Trace
from tests.campaigns.simulation.view import look_at

MOST_STEPS = 500
MOST_ATTEMPTS = 4
RETRY_MS = 150.0
RESTART_MS = 500.0
"""No daemon is back sooner; by then the screen shows what its predecessor did."""
Returned = TypeVar("Returned", Outcome, bool)


class Result(Struct, frozen=True, kw_only=True):
    scenario: Scenario
    outcome: str
    """Of the last attempt."""
    is_received: bool
    is_compared: bool
    """With a run of the same typist without hark."""
    has_overrun: bool
    violations: tuple[str, ...]
    races: tuple[str, ...]


def run_seed(seed: int, carriers: Carriers = REAL, trace: Trace | None = None) -> Result:
    return run(draw_scenario(Random(seed), seed), carriers, trace)


def run(scenario: Scenario, carriers: Carriers = REAL, trace: Trace | None = None) -> Result:
    return Run(scenario, carriers, trace).play()


def set_up(scenario: Scenario, trace: Trace | None = None) -> Terminal:
    terminal = Terminal(scenario.flavour, Random(scenario.seed), trace)
    terminal.payload = scenario.payload
    terminal.may_begin = scenario.called_off_at != "begin"
    terminal.may_stage = scenario.called_off_at != "stage"
    agent = terminal.agent
    if scenario.stashed:
        agent.stash = (units_of(scenario.stashed), 0)
    if scenario.pasted:
        agent.paste(scenario.draft, "human", -1000.0)
    else:
        agent.buffer.set(scenario.units)
    agent.buffer.move(len(agent.buffer.units) - scenario.cursor)
    terminal.redraw()
    for time, action in scenario.script:
        terminal.at(time, "human", action)
    for index, time in enumerate(scenario.prints):
        terminal.at(time, "prints", f"output {index}")
    if scenario.deaf:
        terminal.at(scenario.deaf[0], "reads", False)
        terminal.at(sum(scenario.deaf), "reads", True)
    if scenario.dialog:
        terminal.at(scenario.dialog[0], "dialog", scenario.dialog[1])
    return terminal


class Run:
    def __init__(self, scenario: Scenario, carriers: Carriers, trace: Trace | None) -> None:
        self.scenario = scenario
        self.carriers = carriers
        self.trace = trace
        self.terminal = set_up(scenario, trace)
        self.violations: list[str] = []
        self.crash_in = scenario.crash_at
        self.has_crashed = False
        self.may_have_missed_it = False
        self.has_overrun = False
        self.is_clean = True
        """Nothing has happened after which the human's keys may go elsewhere."""

    @property
    def job(self) -> Job:
        """Of the attempt that begins now."""
        return Job(
            text=self.scenario.payload,
            message_id=MESSAGE_ID,
            look=self.scenario.flavour.look,
            settle_s=self.scenario.flavour.settle_s,
            lines=self.scenario.flavour.lines,
            held_for_s=(self.terminal.held_until - self.terminal.now) / 1000 - 0.1,
        )

    def play(self) -> Result:
        terminal = self.terminal
        terminal.advance(self.scenario.start_ms)
        outcome: Outcome | None = None
        for attempt in range(MOST_ATTEMPTS):
            outcome = self._attempt(outcome)
            if attempt == 0:
                terminal.advance(terminal.now + (RESTART_MS if self.has_crashed else RETRY_MS))
            else:
                terminal.finish(2000.0)
            if self._is_over(outcome):
                break
        terminal.finish(2000.0)
        self._put_back()
        terminal.finish(2000.0)
        self._check_end()
        return Result(
            scenario=self.scenario,
            outcome=type(outcome).__name__ if outcome else "Crashed",
            is_received=properties.count_received(terminal.agent) == 1,
            is_compared=self.is_clean,
            has_overrun=self.has_overrun,
            violations=tuple(self.violations + terminal.wrongs),
            races=tuple(terminal.races),
        )

    def _is_over(self, outcome: Outcome | None) -> bool:
        return isinstance(outcome, Submitted | Unproven) or self.scenario.called_off_at is not None

    def _attempt(self, last: Outcome | None) -> Outcome | None:
        """One attempt, as the daemon decides it: what became of the message in the last one, and what is to be done at the box."""
        self._note_outcome(last)
        self._drop_what_is_the_humans()
        match self._next_work():
            case KeyWork.RESUME:
                return self._resume()
            case KeyWork.PUT_BACK:
                self._put_back()
        if self._next_work() is not KeyWork.DELIVER:
            return Held(HoldReason.DRAFT, "a draft has to go back first")
        carrier = self._carrier()
        start = getattr(self.carriers, carrier)
        return self._carry(lambda job: start(job, self.scenario.flavour), is_taking=carrier != "none")

    def _note_outcome(self, last: Outcome | None) -> None:
        terminal, becomes = self.terminal, what_becomes(last) if last else None
        is_out = becomes is not None and becomes.status is Status.HELD and not becomes.is_in_box
        if is_out or self._was_undone():
            terminal.has_begun = terminal.is_staged = False
        elif becomes and becomes.is_in_box:
            terminal.has_begun = True

    def _next_work(self) -> KeyWork:
        action = next_step(look_at(self.terminal, self.scenario))
        assert isinstance(action, UseKeys)
        return action.work

    def _resume(self) -> Outcome | None:
        flavour, carrier, is_staged = self.scenario.flavour, self.scenario.carrier, self.terminal.is_staged
        is_out = self.terminal.record is not None

        def resume(job: Job) -> Delivery:
            resumed = self.carriers.resume(job, flavour, carrier, is_staged)
            return with_draft_out(resumed) if is_out else resumed

        return self._carry(resume, is_taking=False)

    def _was_undone(self) -> bool:
        terminal = self.terminal
        if not terminal.was_undone:
            return False
        is_touched = terminal.human_at >= terminal.undo_at
        was_blind = terminal.undone is not None and terminal.undone.leaves_draft_out
        question = was_taken_out(self.job, terminal.record, is_touched=is_touched, was_blind=was_blind)
        return bool(self._drive(question, before(terminal), is_taking=False))

    def _carrier(self) -> CarrierName:
        """A busy agent is not interrupted."""
        is_busy = self.terminal.now < self.terminal.agent.busy_until
        return "none" if self.scenario.carrier == "interrupt" and is_busy else self.scenario.carrier

    def _carry(self, deliver: Callable[[Job], Delivery], *, is_taking: bool) -> Outcome | None:
        """None: the daemon was killed meanwhile."""
        terminal = self.terminal
        if not self._hold():
            return None if self.has_crashed else Held(HoldReason.BUSY, NOT_AT_REST)
        start = before(terminal)
        outcome: Outcome | None = self._drive(deliver(self.job), start, is_taking=is_taking)
        if outcome is not None:
            is_draft_out = is_taking and terminal.record is not None
            outcome = self._judge(outcome, is_draft_out=is_draft_out)
        terminal.wait_undone()
        if isinstance(outcome, Stuck) and self._was_undone():
            outcome = Held(HoldReason.CALLED_OFF, "it was undone")
        if outcome is not None:
            self.violations += properties.check_outcome(terminal, start, outcome)
            if isinstance(outcome, Stuck | Unproven) or properties.is_beyond_exactness(start, self.scenario.carrier):
                self.is_clean = False
        self.may_have_missed_it |= properties.may_have_missed_it(terminal, start, outcome)
        self.violations += properties.check_draft(terminal, start, outcome)
        self.violations += properties.check_left_behind(terminal, start, outcome, self.scenario.carrier)
        self._end_hold(start)
        return outcome

    def _judge(self, outcome: Outcome, *, is_draft_out: bool) -> Outcome:
        """What became of the message, as the daemon judges it. The hold may be left to whoever has the keys: they wait until the agent
        reads, and run the undo."""
        terminal = self.terminal
        # Whoever has the keys here knows an undo after an Enter too, so the Enter makes no difference.
        judgement = judge(outcome, has_begun=terminal.has_begun, has_pressed_enter=False)
        try:
            question = next(judgement)
            while True:
                question = judgement.send(self._answer(question))
        except StopIteration as end:
            judged: Judged = end.value
        is_broken_off = what_becomes(judged.outcome).hold is not None and terminal.line.has_unread
        if not judged.is_left_to_holder and (is_draft_out or is_broken_off):
            terminal.end_hold()
        return judged.outcome

    def _answer(self, question: Question) -> bool:
        match question:
            case Question.WAS_UNDONE:
                return self._was_undone()
            case Question.HAS_UNREAD:
                return self.terminal.line.has_unread
            case Question.IS_LEFT_TO_HOLDER:
                self.terminal.end_hold()
                return True

    def _hold(self) -> bool:
        """Whether the screen shows all that the human has typed; otherwise the hold is over."""
        terminal = self.terminal
        terminal.hold()
        start = before(terminal)
        rest = self.carriers.rest(self.scenario.flavour.look, terminal.at_hold())
        if self._drive(rest, start, is_taking=False):
            return True
        terminal.release()
        return False

    def _end_hold(self, start: Before) -> None:
        terminal = self.terminal
        self.has_overrun = self.has_overrun or terminal.has_overrun
        if terminal.has_overrun or properties.is_disturbed(terminal, start):
            self.is_clean = False
        if terminal.is_held and not terminal.is_undoing:
            terminal.release()

    def _drop_what_is_the_humans(self) -> None:
        """A draft that an undo has brought back, and behind which the human has typed, goes off the record. Of a stash the screen tells
        whether the draft is still in it."""
        terminal = self.terminal
        if terminal.record is None or self.scenario.carrier == "stash" or not terminal.is_draft_the_humans:
            return
        if self._drive(is_marked(self.job.look, terminal.record), before(terminal), is_taking=False):
            return
        wrongs = terminal.races if properties.is_dialog_unknown(terminal) else self.violations
        wrongs += properties.check_dropped_for_touch(terminal)
        self._note("drops the record of a draft that is the human's again")
        terminal.record = None

    def _put_back(self) -> None:
        self._drop_what_is_the_humans()
        terminal = self.terminal
        if terminal.record is None:
            return
        put_back = PUT_BACK[self.scenario.carrier]
        if not self._hold():
            return
        start = before(terminal)
        is_back = self._drive(put_back(self.job, self.scenario.flavour, terminal.record), start, is_taking=False)
        if is_back:
            is_lost = terminal.record.strip() and not terminal.agent.buffer.text.strip()
            if is_lost and not self.scenario.script:
                self.violations.append(f"{terminal.record!r} was said to be back in an empty box")
            terminal.record = None
        self._end_hold(start)
        terminal.advance(terminal.now + 700)

    def _drive(self, delivery: Generator[Step, Answer, Returned], start: Before, *, is_taking: bool) -> Returned | None:
        terminal = self.terminal
        try:
            step = next(delivery)
            for _ in range(MOST_STEPS):
                answer = terminal.answer(step)
                if is_taking and isinstance(step, DropDraft):
                    self.violations += properties.check_dropped(terminal, start)
                if self._is_killed():
                    return None
                step = delivery.send(answer)
        except StopIteration as end:
            result: Returned = end.value
            self._note(f"ends: {result}")
            return result
        self.violations.append(f"no end after {MOST_STEPS} steps")
        return None

    def _is_killed(self) -> bool:
        if self.crash_in is None:
            return False
        self.crash_in -= 1
        if self.crash_in:
            return False
        self.crash_in = None
        self.has_crashed = True
        self.is_clean = False
        self.terminal.die()
        self._note("is killed")
        return True

    def _note(self, what: str) -> None:
        if self.trace is not None:
            self.trace.note(self.terminal.now, "carrier", what, self.terminal.agent)

    def _check_end(self) -> None:
        agent = self.terminal.agent
        known = self.terminal.races if self.may_have_missed_it else self.violations
        if (received := properties.count_received(agent)) > 1:
            known.append(f"received {received} times")
        if not self.scenario.script and properties.is_left_over(agent):
            known.append("it was received, and a second time it is in the box or the stash")
        twin = set_up(self.scenario)
        twin.finish(2000.0)
        if self._is_comparable(twin):
            self.violations += properties.check_twin(agent, twin.agent)
        elif self.has_crashed and not self.scenario.script and not self.scenario.dialog and not self.has_overrun:
            self._check_recovered()

    def _is_comparable(self, twin: Terminal) -> bool:
        """Keys that a dialog took in one of the worlds may have gone into the box in the other."""
        worlds = (self.terminal, twin)
        met = any(
            who == "human" and what != "newline" and what != "completed" for w in worlds for who, what in w.agent.done
        )
        return self.is_clean and not met and not (self.scenario.dialog and self.scenario.script)

    def _check_recovered(self) -> None:
        start = properties.Before(
            self.scenario.units, 0, self.scenario.draft, None, self.terminal.now, 0, 0, True, False
        )
        if not properties.is_safe(self.terminal, start):
            self.violations.append(f"after the crash the draft {start.text!r} is lost")
