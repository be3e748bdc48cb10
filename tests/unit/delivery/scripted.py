"""A terminal that plays a script: every look shows the next screen, the last one stays. Time passes only in LookAgain."""

from collections.abc import Generator, Sequence
from typing import TypeVar

from hark.delivery.carriers.steps import (
    Answer,
    AskTaken,
    AskUnread,
    Begin,
    LeaveUndo,
    Look,
    LookAgain,
    Paste,
    Press,
    PressEnter,
    SearchHistory,
    Seen,
    Stage,
    Step,
)
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import screen, tall

MESSAGE_ID = "0123456789ab"
TEXT = f"[Input from: ann via hark send · {MESSAGE_ID}]\nhello there"
TOO_MANY_STEPS = 1000


def box(*rows: str, footer: str = "idle", transcript: str = "an earlier answer") -> Screen:
    """The demo agent's screen with these rows in its box."""
    prompted = [f"{'  ' if index else '❯ '}{row}" for index, row in enumerate(rows)]
    rule = "─" * 60
    return tall(screen("\n".join([transcript, rule, *prompted, rule, f"  demo agent · {footer}"]), columns=60))


EMPTY = box("‸")
OURS = box(TEXT.split("\n")[0], "hello there‸")
OURS_AND_A_LETTER = box(TEXT.split("\n")[0], "hello therex‸")
HALF_OF_OURS = box(TEXT.split("\n")[0][:20] + "‸")
DRAFT = box("half a thought‸")
DIALOG = screen(f"an earlier answer\n{'─' * 60}\n Run rm?\n ‸❯ 1. Yes\n   2. No\n  demo agent · waiting", 60)
DIALOG_AFTER_OURS = screen(f"> {TEXT}\n{'─' * 60}\n Run rm?\n ‸❯ 1. Yes\n   2. No\n  demo agent · waiting", 60)
COLLAPSED = box("[Pasted text #1 +1 lines]‸")
OTHER_COLLAPSED = box("[Pasted text #2 +9 lines]‸")
AFTER_OURS = box("‸", transcript=f"> {TEXT}", footer="busy")

T = TypeVar("T")


class ScriptedTerminal:
    def __init__(
        self,
        screens: Sequence[Screen],
        *,
        may_begin: bool = True,
        may_stage: bool = True,
        enters: Sequence[bool] = (),
        is_in_history: bool = False,
        is_taken: bool = False,
        look_takes_s: float = 0.1,
    ) -> None:
        """`enters`: whether each Enter in turn is pressed; those that follow are."""
        self._screens = list(screens)
        self._enters = list(enters)
        self._may_begin = may_begin
        self._may_stage = may_stage
        self._is_in_history = is_in_history
        self._is_taken = is_taken
        self._look_takes_s = look_takes_s
        self._now_s = 100.0
        self.steps: list[Step] = []
        self.seen: Screen | None = None

    def play(self, delivery: Generator[Step, Answer, T]) -> T:
        try:
            step = next(delivery)
            while len(self.steps) < TOO_MANY_STEPS:
                self.steps.append(step)
                step = delivery.send(self.answer(step))
        except StopIteration as end:
            outcome: T = end.value
            return outcome
        raise AssertionError(f"no end after {TOO_MANY_STEPS} steps")

    def answer(self, step: Step) -> Answer:
        match step:
            case Look():
                return self._look()
            case LookAgain(within_s=within_s):
                self._now_s += min(within_s, self._look_takes_s)
                return self._look()
            case Begin():
                return self._may_begin
            case Stage():
                return self._may_stage
            case Paste() | Press() | LeaveUndo():
                return True
            case AskUnread():
                return False
            case AskTaken():
                return self._is_taken
            case PressEnter():
                return self._enters.pop(0) if self._enters else True
            case SearchHistory():
                return self._is_in_history
            case _:
                raise AssertionError(f"this carrier has no business with {step}")

    @property
    def kinds(self) -> list[str]:
        """What was asked of it; looks and undos are left out."""
        return [
            type(step).__name__
            for step in self.steps
            if not isinstance(step, Look | LookAgain | AskTaken | AskUnread | LeaveUndo)
        ]

    def _look(self) -> Seen:
        self.seen = self._screens.pop(0) if len(self._screens) > 1 else self._screens[0]
        return Seen(self.seen, self._now_s)
