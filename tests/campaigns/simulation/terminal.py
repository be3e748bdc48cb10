"""A terminal with a clock of its own, on which an agent, a typist and a carrier meet.

Time passes only here. What the agent does to itself and what the typist does are events with a time; a carrier's step takes
a moment, and whatever is due in that moment happens within it. The agent may read late: what is written to it waits in its line
meanwhile. The screen is late too: a change of the agent is drawn up to `lag_ms` later, and a carrier is told what is drawn, not
what is.

With a key hold the typist's keys wait until the carrier has ended, or two seconds are over; then they follow in order.
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import Any, ClassVar, NamedTuple

from hark.delivery.carriers.rest import AtHold, PastHold, age_of_last_key
from hark.delivery.carriers.steps import (
    Answer,
    AskTaken,
    AskUnread,
    Begin,
    CloseEditor,
    DropDraft,
    EditorOpened,
    LeaveUndo,
    Look,
    LookAgain,
    NoteInterrupt,
    OpenEditor,
    Paste,
    Press,
    PressEnter,
    PressStop,
    SaveDraft,
    SearchHistory,
    Seen,
    Stage,
    Step,
)
from hark.delivery.carriers.undo import Undo, leaves_draft_out
from hark.delivery.screen.box import read_box, undisputed
from hark.delivery.screen.capture import Screen
from hark.terminal.holds.grip import HELD_BEFORE_S
from tests.campaigns.simulation.agent import Agent, View
from tests.campaigns.simulation.flavour import Flavour
from tests.campaigns.simulation.layout import Units
from tests.campaigns.simulation.line import Line
from tests.campaigns.simulation.picture import draw, wrapped
from tests.campaigns.simulation.trace import Trace

HOLD_MS = 2000.0
HOLD_BY_TMUX_MS = 1800.0
REPLAY_MS = 2.0
SOON_MS = 90.0
"""An agent that reads late draws what it has read at once."""
ENTER_GAP_MS = 60.0

HARMS = ("approved", "denied", "interrupted", "quit", "completed", "opened another view")
"""What no key of an undo may do, although nobody looks before it is pressed."""

Action = tuple[str, str]
"""`key` or `paste`, and which."""


HEARD_AFTER_MS = 200.0
"""From an Enter to the hook that tells of it."""


class Known(NamedTuple):
    """What was known when a key of ours was written; the agent may read it later."""

    drawn_at: float
    """How old the screen was that was drawn then."""
    looked_at: float
    """How old the screen was that the carrier had seen last."""
    is_protected: bool
    """No dialog could have opened since the key of ours before it."""


class Undone(NamedTuple):
    leaves_draft_out: bool
    is_dialog_known: bool
    """A look showed a dialog, and there was a step after it in which the undo could be changed."""
    ended_at: float
    met_dialog: bool = False
    box: Units = ()
    """What it has left in the box."""


class Terminal:
    def __init__(self, flavour: Flavour, random: Random, trace: Trace | None = None) -> None:
        self.flavour = flavour
        self.agent = Agent(flavour)
        self.line = Line()
        self.now = 0.0
        self.record: str | None = None
        self.has_begun = False
        self.is_staged = False
        self.may_begin = self.may_stage = True
        self.is_held = False
        self.undo: Undo | None = None
        self.undo_at = -10_000.0
        """When the last write of an undo was written."""
        """What the holder of the keys runs when the daemon dies; None: none was left."""
        self.is_undoing = False
        self.is_after_enter = False
        self.was_undone = False
        """Before the Enter, in the last hold."""
        self.undone: Undone | None = None
        """The last undo that was run, until another one is left."""
        self.has_overrun = False
        """A hold was over before its carrier."""
        self.human_at = -10_000.0
        """When the typist's last key was let through; the agent may read it later."""
        self._typed_at = -10_000.0
        """When the typist's last key was pressed, held or not."""
        self.dialog_at = -10_000.0
        self.wrongs: list[str] = []
        self.races: list[str] = []
        self.payload = ""
        self.hark_inputs = 0
        self._random = random.random
        self._trace = trace
        self._events: list[tuple[float, int, str, Any]] = []
        self._order = 0
        self._waiting: deque[Action] = deque()
        self._hold = 0
        self._held_at = self.held_until = 0.0
        self._past: PastHold | None = None
        self._hark_at = -10_000.0
        self._is_editor_closing = False
        self._replayed_until = 0.0
        """A key that comes by itself keeps its distance from what was written before it."""
        view = self.agent.view(0.0)
        self._frames: deque[tuple[float, float, View]] = deque([(0.0, 0.0, view)])
        self._view = view
        self._drawn_until = 0.0
        self._looked_at: tuple[float, float, View] | None = None
        self._seen_before: tuple[float, float, View] | None = None
        """What was looked at before the step that is done now."""
        self._screens: dict[View, Screen] = {}

    def redraw(self) -> None:
        """The screen shows what is there, with nothing late; what happens in this very moment comes after it."""
        self._view = self.agent.view(self.now)
        self._frames = deque([(self.now, self.now - 1, self._view)])

    def at(self, time: float, kind: str, what: Any = None) -> None:
        self._order += 1
        heappush(self._events, (time, self._order, kind, what))

    def advance(self, until: float) -> None:
        while self._events and self._events[0][0] <= until:
            time, _, kind, what = heappop(self._events)
            self.now = max(self.now, time)
            self._happen(kind, what)
        self.now = max(self.now, until)

    def finish(self, quiet_ms: float = 0.0) -> None:
        """Until nothing is due any more."""
        while self._events:
            self.advance(self._events[0][0])
        self.advance(self.now + quiet_ms)

    def hold(self) -> None:
        """Keys that were let through before it may be unread, or read and not drawn. While an undo is run nobody else gets a hold."""
        self.wait_undone()
        self.has_overrun = False
        self.undo, self.is_after_enter, self.was_undone = None, False, False
        self.is_held = True
        self._hold += 1
        self._held_at = self.now
        self.held_until = self.now + (HOLD_BY_TMUX_MS if self.flavour.is_adopted else HOLD_MS)
        self.at(self.held_until, "hold over", self._hold)

    def at_hold(self) -> AtHold:
        """The airlock knows when it let the last key through; tmux knows the second of the last key that was pressed."""
        if not self.flavour.is_adopted:
            return AtHold((self.now - max(self.human_at, self.undo_at)) / 1000, self.line.has_unread)
        last_at_s = int(max(self._typed_at, self.undo_at) // 1000)
        age_s = age_of_last_key(self.now / 1000, last_at_s, self._past)
        return AtHold(age_s, self.line.has_unread)

    @property
    def is_draft_the_humans(self) -> bool:
        """The undo has brought the draft back, as far as hark knows, and the human has typed since. tmux knows only the second of the
        last key, and that a key may have been held before."""
        undone = self.undone
        if undone is None or undone.leaves_draft_out:
            return False
        if not self.flavour.is_adopted:
            return self.human_at >= undone.ended_at
        return self._typed_at >= 0 and self._typed_at // 1000 >= undone.ended_at // 1000 - HELD_BEFORE_S

    def release(self) -> None:
        self.is_held = False
        self._past = PastHold(self._held_at / 1000, self.now / 1000)
        self._replayed_until = self.now + ENTER_GAP_MS
        if self._waiting:
            self.at(self.now + self._gap(), "replay")

    def die(self) -> None:
        """The daemon was killed: what it left is undone and what it held is let go, an editor that waits for it ends with nothing
        changed."""
        if self.agent.is_editor_open and not self._is_editor_closing:
            self.at(self.now + 1, "editor fails")
        self.end_hold()

    def end_hold(self) -> None:
        """Whoever holds the keys runs the undo, and lets them go. Nobody waits for it."""
        if not self.is_held or self.is_undoing:
            return
        self.was_undone = self.undo is not None and not self.is_after_enter
        self.is_undoing = True
        if self.undo is not None:
            is_known = self._seen_before is not None and self._seen_before[2].front == "dialog"
            self.undone = Undone(leaves_draft_out(self.undo), is_known, self.now)
        self.at(self.now, "undo", self.undo or ())

    def wait_undone(self) -> None:
        while self.is_undoing:
            self.advance(self._events[0][0])

    def _step_undo(self, left: Undo) -> None:
        if self.undone and self.agent.has_dialog:
            self.undone = self.undone._replace(met_dialog=True)
        if not left:
            self.is_undoing = False
            if self.undone:
                self.undone = self.undone._replace(ended_at=self.now, box=self.agent.buffer.units)
            self.release()
            return
        if not self.line.is_read or self.line.has_unread:
            self.at(self.now + 5.0, "undo", left)
            return
        write, *rest = left
        self.undo_at = self.now
        before = len(self.agent.done)
        for key in write.keys:
            self.agent.press(key, "hark", self.now)
        if write.paste:
            self.agent.paste(write.paste, "hark", self.now)
        harms = [effect for _, effect in self.agent.done[before:] if effect in HARMS]
        self.wrongs += [f"the undo: {effect}" for effect in harms]
        if write.keys or write.paste:
            self._changed("undo", f"{write.keys[:3]} x {len(write.keys)}" if write.keys else f"paste {write.paste!r}")
        self.at(self.now + max(1.0, write.then_wait_s * 1000), "undo", tuple(rest))

    # -- what happens by itself

    def _happen(self, kind: str, what: Any) -> None:
        match kind:
            case "human":
                self._typed_at = self.now
                if self.is_held or self._waiting or self.now < self._replayed_until:
                    if not self.is_held and not self._waiting:
                        self.at(self._replayed_until, "replay")
                    self._waiting.append(what)
                    self._note("human", f"{what[0]} {what[1]!r} is held")
                else:
                    self._human(what)
            case "replay":
                self._replay()
            case "hold over":
                if self.is_held and what == self._hold:
                    self.has_overrun = True
                    self._note("terminal", "the hold is over")
                    self.end_hold()
            case "undo":
                self._step_undo(what)
            case "dialog":
                self._open_dialog(what)
            case "dialog closes":
                self.agent.close_dialog()
                self._changed("agent", "the dialog closes")
            case "editor closes" | "editor fails":
                self._is_editor_closing = False
                if self.agent.has_typed_ahead:
                    self.human_at = self.now
                self.agent.close_editor(what, self.now, is_failed=kind == "editor fails")
                self._changed("agent", f"takes {what!r} from its editor")
            case "prints":
                self.agent.print(what)
                self._changed("agent", f"prints {what!r}")
            case "reads":
                (self.line.read if what else self._stop_reading)()
            case "tick":
                self._changed("agent", "is idle")

    def _human(self, action: Action) -> None:
        """How soon an Enter has followed on a paste, an agent knows by when they came."""
        kind, what = action
        came_at = self.human_at = self.now

        def act() -> None:
            (self.agent.paste if kind == "paste" else self.agent.press)(what, "human", came_at)
            self._changed("human", f"{kind} {what!r}")

        self.line.write(act)

    def _stop_reading(self) -> None:
        self.line.is_read = False
        self._note("agent", "reads nothing")

    def _replay(self) -> None:
        if self.is_held or not self._waiting:
            return
        action = self._waiting.popleft()
        self._human(action)
        self._past = PastHold(self._held_at / 1000, self.now / 1000)
        self._replayed_until = self.now + ENTER_GAP_MS
        if self._waiting:
            self.at(self.now + self._gap(), "replay")

    def _gap(self) -> float:
        return ENTER_GAP_MS if self._waiting[0][1] == "Enter" else REPLAY_MS

    def _open_dialog(self, closes_after: float) -> None:
        rested = self.agent.last_input_at + self.flavour.dialog_waits_ms
        if self.now < rested or self.agent.is_editor_open or not self.line.is_read:
            self.at(max(rested, self.now + 50), "dialog", closes_after)
            return
        self.agent.open_dialog()
        self.dialog_at = self.now
        self.at(self.now + closes_after, "dialog closes")
        self._changed("agent", "opens a dialog")

    def _changed(self, who: str, what: str) -> None:
        view = self.agent.view(self.now)
        self._note(who, what)
        if view == self._view:
            return
        if view.is_busy and not self._view.is_busy:
            self.at(self.agent.busy_until, "tick")
        self._view = view
        lag_ms = min(self.flavour.lag_ms, SOON_MS) if self.line.is_late else self.flavour.lag_ms
        self._drawn_until = max(self._drawn_until, self.now + self._random() * lag_ms)
        self._frames.append((self._drawn_until, self.now, view))

    def _note(self, who: str, what: str) -> None:
        if self._trace is not None:
            self._trace.note(self.now, who, what, self.agent)

    # -- what a carrier asks for

    def answer(self, step: Step) -> Answer:
        self._seen_before = self._looked_at
        answer = self._answers[type(step)](self, step)
        if self._trace is not None:
            self._trace.answer(self.now, step, answer, self.agent)
        return answer

    def _pass(self) -> None:
        self.advance(self.now + 0.2 + self._random() * self.flavour.step_ms)

    def _frame(self) -> tuple[float, float, View]:
        while len(self._frames) > 1 and self._frames[1][0] <= self.now:
            self._frames.popleft()
        return self._frames[0]

    def drawn(self) -> Screen:
        view = self._frame()[2]
        screen = self._screens.get(view)
        if screen is None:
            screen = self._screens[view] = draw(view, self.agent.transcript, self.flavour)
        return screen

    @property
    def shows_box(self) -> bool:
        return self._frame()[2].front == "box" and read_box(self.drawn(), self.flavour.look) is not None

    def _look(self, _: Any = None) -> Seen:
        self._pass()
        seen = Seen(self.drawn(), self.now / 1000)
        self._looked_at = self._frame()
        return seen

    def _look_again(self, step: LookAgain) -> Seen:
        until = self.now + step.within_s * 1000
        while self._frame() == self._looked_at and self.now < until:
            due = [until]
            if len(self._frames) > 1:
                due.append(self._frames[1][0])
            if self._events:
                due.append(self._events[0][0])
            self.advance(min(due))
        return self._look()

    def _may_press(self) -> bool:
        self._pass()
        return self.is_held and not self.is_undoing

    def _leave(self, then: Undo | None) -> None:
        """In the same instant as what was just written."""
        if then is not None:
            self.undo, self.undone = then, None

    def _press(self, step: Press) -> bool:
        """In one go, but the agent takes a moment for each."""
        if not self._may_press():
            return False
        before = self._hark_at
        for key in step.keys:
            self.advance(self.now + 0.3)
            # One burst: a dialog that its first key has met unseen, the others meet too.
            self._hark_at = before
            self._hark(lambda key=key: self.agent.press(key, "hark", self.now), f"key {key!r}")  # type: ignore[misc]
        self._leave(step.then)
        return True

    def _paste(self, step: Paste) -> bool:
        if not self._may_press():
            return False
        self._hark(lambda: self.agent.paste(step.text, "hark", self.now), f"paste {step.text!r}")
        self._leave(step.then)
        return True

    def _press_enter(self, step: PressEnter) -> bool:
        if not self._may_press():
            return False
        screen = self.drawn()
        if (screen.cursor_x, screen.cursor_y) != (step.screen.cursor_x, step.screen.cursor_y):
            return False
        if step.proof and not screen.contains(step.proof):
            return False
        self._hark(lambda: self.agent.press("Enter", "hark", self.now), "Enter")
        self.undo, self.is_after_enter, self.undone = step.then, True, None
        return True

    def _leave_undo(self, step: LeaveUndo) -> bool:
        if not self._may_press():
            return False
        self.undo, self.undone = step.writes, None
        return True

    def _note_interrupt(self, _: NoteInterrupt) -> bool:
        self._pass()
        return True

    def _press_stop(self, step: PressStop) -> bool:
        if not self._may_press():
            return False
        screen = self.drawn()
        if (screen.cursor_x, screen.cursor_y) != (step.screen.cursor_x, step.screen.cursor_y):
            return False
        self._hark(lambda: self.agent.press(step.key, "hark", self.now), "stop")
        return True

    def _hark(self, act: Callable[[], None], what: str) -> None:
        """Written now, and done when the agent reads it."""
        self.hark_inputs += 1
        known_at = self._frame()[1]
        looked_at = self._looked_at[1] if self._looked_at else 0.0
        # An agent that waits for a pause in the input protects only what follows soon on other keys of ours.
        is_protected = self.now - self._hark_at < self.flavour.dialog_waits_ms
        self.line.write(lambda: self._do(act, what, Known(known_at, looked_at, is_protected)))
        self._hark_at = self.now

    def _do(self, act: Callable[[], None], what: str, known: Known) -> None:
        """What went wrong is a race if it came too late to be known: for a checked Enter a dialog that was not drawn, for
        other keys whatever came after the last look."""
        before, prompts = len(self.agent.done), len(self.agent.prompts)
        act()
        self._changed("hark", what)
        for _, effect in self.agent.done[before:]:
            if effect == "newline" or (what == "stop" and effect == "interrupted"):
                continue
            is_race = self._came_unknown(known, is_checked=what in ("Enter", "stop"))
            is_race = is_race or (effect == "escaped an idle box" and self.agent.busy_until >= known.drawn_at)
            (self.races if is_race else self.wrongs).append(f"{what}: {effect}")
        for prompt in self.agent.prompts[prompts:]:
            if prompt.text != self.payload.strip():
                is_race = self.human_at > known.looked_at or self._looks_like_ours(prompt.text)
                (self.races if is_race else self.wrongs).append(f"{what} submitted {prompt.text!r}")

    def _looks_like_ours(self, text: str) -> bool:
        """A blank, a newline or a mark that was typed into our text, or stood in the box before it, is not to be seen."""
        is_from_human = self.human_at > self._hark_at or text.startswith(self.payload.strip())
        return is_from_human and undisputed(text) == undisputed(self.payload)

    def _came_unknown(self, known: Known, *, is_checked: bool) -> bool:
        opened_unseen = self.dialog_at > (known.drawn_at if is_checked else known.looked_at) and not known.is_protected
        return opened_unseen or self.human_at > known.looked_at

    def _open_editor(self, step: OpenEditor) -> Answer:
        if not self._may_press():
            return False
        self.hark_inputs += 1
        until = self.now + step.within_s * 1000
        while not self.line.is_read and self.now < until:
            self.advance(min(until, self._events[0][0]))
        if not self.line.is_read:
            self.line.write(self._open_unexpected_editor)
            return False
        if not self.agent.open_editor(self.now):
            self.advance(until)
            return False
        self._changed("hark", "opens the editor")
        self.advance(max(self._drawn_until, self.now + 20 + self._random() * self.flavour.lag_ms))
        return EditorOpened(self.agent.buffer.text)

    def _open_unexpected_editor(self) -> None:
        """Nobody waits for it any more: it ends with nothing changed."""
        if self.agent.open_editor(self.now):
            self._is_editor_closing = True
            self._changed("hark", "opens the editor late")
            self.at(self.now + 20, "editor fails")

    def _close_editor(self, step: CloseEditor) -> bool:
        self._pass()
        self._is_editor_closing = True
        self.at(self.now + self._random() * self.flavour.lag_ms, "editor closes", step.text)
        return True

    def _save_draft(self, step: SaveDraft) -> bool:
        self._pass()
        self.record = step.text
        return True

    def _drop_draft(self, _: DropDraft) -> bool:
        self._pass()
        self.record = None
        return True

    def _begin(self, _: Begin) -> bool:
        self._pass()
        self.has_begun = self.has_begun or self.may_begin
        return self.may_begin

    def _stage(self, _: Stage) -> bool:
        self._pass()
        self.is_staged = self.is_staged or self.may_stage
        return self.may_stage

    def _ask_unread(self, _: AskUnread) -> bool:
        self._pass()
        return self.line.has_unread

    def _ask_taken(self, _: AskTaken) -> bool:
        """Its hook is heard some time after the Enter. Only an agent that keeps what it took tells here: of the others the box tells."""
        self._pass()
        taken = self.flavour.keeps_submitted and any(prompt.who == "hark" for prompt in self.agent.prompts)
        return taken and self.now - self.agent.submitted_at >= HEARD_AFTER_MS

    def _search(self, step: SearchHistory) -> bool:
        self._pass()
        lines = wrapped(self.agent.transcript[: self._frame()[2].lines], self.flavour.columns)
        return step.words in "".join(line.strip() for line in [*lines, *self.drawn().rows.plain])

    _answers: ClassVar[dict[type, Callable[["Terminal", Any], Answer]]] = {
        Look: _look,
        LookAgain: _look_again,
        Press: _press,
        OpenEditor: _open_editor,
        CloseEditor: _close_editor,
        SaveDraft: _save_draft,
        DropDraft: _drop_draft,
        Begin: _begin,
        Paste: _paste,
        Stage: _stage,
        LeaveUndo: _leave_undo,
        PressEnter: _press_enter,
        NoteInterrupt: _note_interrupt,
        PressStop: _press_stop,
        AskTaken: _ask_taken,
        AskUnread: _ask_unread,
        SearchHistory: _search,
    }
