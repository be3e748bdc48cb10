from collections.abc import Callable

from hark.delivery.carriers.steps import Held, Look, LookAgain, NoteInterrupt, PressStop, Seen
from hark.delivery.carriers.submit import ASK_EVERY_S
from hark.delivery.screen.capture import Screen
from hark.delivery.stop_turn import NothingRuns, Pressed, StopKeys, given_back, press_stop, wait_for_end
from hark.model.ids import MessageId
from hark.model.message import HoldReason
from tests.unit.delivery.screens import DEMO, screen

ONCE = StopKeys()
TWICE = StopKeys(key=("Escape", "Escape"))
BUSY, IDLE = "  demo agent · busy", "  demo agent · idle"


RULE = "─" * 60


def is_running(shown: Screen) -> bool:
    return any(row.startswith(BUSY) for row in shown.rows.plain)


def demo_screen(draft: str | None, footer: str = IDLE) -> Screen:
    """None: a dialog stands where the box was."""
    box = [f"❯ {draft}‸", RULE] if draft is not None else [" Run rm?", " ‸❯ 1. Yes", "   2. No"]
    return screen("\n".join(["an answer", RULE, *box, footer]), columns=60)


def test_the_key_is_pressed_when_a_box_and_a_running_turn_are_in_view() -> None:
    shown = demo_screen("draft", footer=BUSY)
    stopping = press_stop(DEMO, ONCE, is_running)

    assert next(stopping) == Look()
    assert stopping.send(Seen(shown, 0.0)) == NoteInterrupt()
    assert stopping.send(True) == PressStop("Escape", shown)
    assert ended(stopping, True) == Pressed(shown)


def test_nothing_is_pressed_into_an_idle_agent() -> None:
    stopping = press_stop(DEMO, ONCE, is_running)
    next(stopping)

    assert ended(stopping, Seen(demo_screen("", footer=IDLE), 0.0)) == NothingRuns()


def test_nothing_is_pressed_into_a_dialog() -> None:
    stopping = press_stop(DEMO, ONCE, is_running)
    next(stopping)

    outcome = ended(stopping, Seen(demo_screen(None, footer=BUSY), 0.0))

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.DIALOG


def test_nothing_is_pressed_that_is_not_on_record() -> None:
    stopping = press_stop(DEMO, ONCE, is_running)
    next(stopping)
    stopping.send(Seen(demo_screen("", footer=BUSY), 0.0))

    assert isinstance(ended(stopping, False), Held)


def test_a_screen_that_moved_is_looked_at_again_and_not_for_ever() -> None:
    outcome, pressed = play(ONCE, lambda keys: BUSY, is_pressed=False)

    assert isinstance(outcome, Held)
    assert 1 < pressed < 10


def test_a_second_key_is_kept_from_an_agent_that_has_stopped_at_the_first() -> None:
    outcome, pressed = play(TWICE, lambda keys: IDLE if keys else BUSY)

    assert isinstance(outcome, Pressed)
    assert pressed == 1


def test_a_second_key_is_pressed_where_the_first_was_not_enough() -> None:
    assert play(TWICE, lambda keys: BUSY)[1] == 2


def test_the_end_is_proven_by_the_box_without_a_turn() -> None:
    waiting = wait_for_end(DEMO, is_running, 1.0)
    next(waiting)
    assert waiting.send(Seen(demo_screen("", footer=BUSY), 0.0)) == LookAgain(ASK_EVERY_S)
    assert waiting.send(Seen(demo_screen(None, footer=IDLE), 0.1)) == LookAgain(ASK_EVERY_S)

    assert ended(waiting, Seen(demo_screen("", footer=IDLE), 0.4)) is not None


def test_what_comes_back_a_moment_after_the_end_is_waited_for() -> None:
    waiting = wait_for_end(DEMO, is_running, 1.0, settle_s=0.5)
    next(waiting)
    assert waiting.send(Seen(demo_screen("", footer=IDLE), 0.0)) == LookAgain(0.5)
    assert waiting.send(Seen(demo_screen("back again", footer=IDLE), 0.2)) == LookAgain(0.3)

    assert ended(waiting, Seen(demo_screen("back again", footer=IDLE), 0.5)) == demo_screen("back again", footer=IDLE)


def test_an_end_that_does_not_come_in_time_is_not_claimed() -> None:
    waiting = wait_for_end(DEMO, is_running, 1.0)
    next(waiting)

    assert ended(waiting, Seen(demo_screen("", footer=BUSY), 0.0), Seen(demo_screen("", footer=BUSY), 1.1)) is None


def test_what_was_given_back_is_known_by_its_id() -> None:
    ours, other = MessageId("0123456789ab"), MessageId("ba9876543210")
    shown = demo_screen(f"[Input from: ann via hark send · {ours}]", footer=IDLE)

    assert given_back(shown, DEMO, [ours, other]) == (ours,)
    assert given_back(demo_screen(None), DEMO, [ours]) == ()


def ended(generator: object, *answers: object) -> object:
    try:
        for answer in answers:
            generator.send(answer)  # type: ignore[attr-defined]
    except StopIteration as end:
        return end.value
    raise AssertionError("it goes on")


def play(keys: StopKeys, footer: Callable[[int], str], *, is_pressed: bool = True) -> tuple[object, int]:
    """What it ends with, and how often a key was asked for; `footer` by the number of keys so far."""
    stopping = press_stop(DEMO, keys, is_running)
    pressed, now_s = 0, 0.0
    try:
        step = next(stopping)
        while True:
            now_s += 0.1
            if isinstance(step, Look | LookAgain):
                step = stopping.send(Seen(demo_screen("", footer(pressed)), now_s))
            else:
                pressed += isinstance(step, PressStop)
                step = stopping.send(is_pressed or isinstance(step, NoteInterrupt))
    except StopIteration as end:
        return end.value, pressed
