"""Whatever the screen shows, Enter is pressed only on our own text, and every delivery ends."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hark.delivery.carriers.empty_box import deliver, resume
from hark.delivery.carriers.steps import Answer, PressEnter, Step, Submitted
from hark.delivery.screen.box import BoxLook, holds_text, mentions, read_box, shows_placeholder
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO
from tests.unit.delivery.scripted import (
    AFTER_OURS,
    COLLAPSED,
    DIALOG,
    DIALOG_AFTER_OURS,
    DRAFT,
    EMPTY,
    HALF_OF_OURS,
    MESSAGE_ID,
    OTHER_COLLAPSED,
    OURS,
    OURS_AND_A_LETTER,
    TEXT,
    ScriptedTerminal,
)

SHOWS_ALL = replace(DEMO, placeholder=None)
SCREENS = st.sampled_from([EMPTY, EMPTY, OURS, OURS, OURS, AFTER_OURS, HALF_OF_OURS, OURS_AND_A_LETTER, DRAFT]) | (
    st.sampled_from([DIALOG, DIALOG_AFTER_OURS, COLLAPSED, OTHER_COLLAPSED, replace(OURS, in_mode=True)])
)


class WatchedTerminal(ScriptedTerminal):
    """Fails at the first Enter that its last screen does not justify."""

    def __init__(
        self, look: BoxLook, screens: list[Screen], enters: list[bool], is_in_history: bool, is_box_ours: bool = False
    ) -> None:
        """`is_box_ours`: it was seen empty while the keys were held, so our header alone tells."""
        super().__init__(screens, enters=enters, is_in_history=is_in_history)
        self.look = look
        self.is_box_ours = is_box_ours
        self.is_pressed = False

    def answer(self, step: Step) -> Answer:
        if isinstance(step, PressEnter):
            assert step.screen is self.seen
            self.check_enter(step.screen)
            self.is_pressed = True
        return super().answer(step)

    def check_enter(self, seen: Screen) -> None:
        box = read_box(seen, self.look)
        assert box is not None
        if self.is_box_ours:
            assert mentions(box, MESSAGE_ID) or shows_placeholder(box, self.look)
        else:
            assert holds_text(box, TEXT)


SCRIPTS = st.lists(SCREENS, min_size=1, max_size=12)
ENTERS = st.lists(st.booleans(), max_size=4)
SETTLES = st.sampled_from([0.0, 0.15])


@settings(max_examples=500)
@given(SCRIPTS, ENTERS, SETTLES)
def test_a_delivery_presses_enter_only_on_a_box_with_our_header(
    screens: list[Screen], enters: list[bool], settle_s: float
) -> None:
    terminal = WatchedTerminal(SHOWS_ALL, [EMPTY, *screens], enters, False, is_box_ours=True)

    outcome = terminal.play(deliver(TEXT, MESSAGE_ID, SHOWS_ALL, settle_s))

    assert terminal.is_pressed or not isinstance(outcome, Submitted)


@settings(max_examples=500)
@given(SCRIPTS, ENTERS, SETTLES, st.booleans(), st.booleans())
def test_a_resumed_delivery_presses_enter_only_on_our_text(
    screens: list[Screen], enters: list[bool], settle_s: float, is_in_history: bool, was_staged: bool
) -> None:
    terminal = WatchedTerminal(SHOWS_ALL, screens, enters, is_in_history)

    outcome = terminal.play(resume(TEXT, MESSAGE_ID, SHOWS_ALL, settle_s, was_staged))

    assert terminal.is_pressed or is_in_history or not isinstance(outcome, Submitted)


@settings(max_examples=500)
@given(SCRIPTS, ENTERS, SETTLES)
def test_a_stand_in_or_our_header_is_needed_for_an_enter(
    screens: list[Screen], enters: list[bool], settle_s: float
) -> None:
    terminal = WatchedTerminal(DEMO, [EMPTY, *screens], enters, False, is_box_ours=True)

    terminal.play(deliver(TEXT, MESSAGE_ID, DEMO, settle_s))


@settings(max_examples=500)
@given(SCRIPTS, ENTERS, SETTLES, st.booleans())
def test_a_resumed_delivery_never_trusts_a_stand_in(
    screens: list[Screen], enters: list[bool], settle_s: float, was_staged: bool
) -> None:
    terminal = WatchedTerminal(DEMO, screens, enters, False)

    terminal.play(resume(TEXT, MESSAGE_ID, DEMO, settle_s, was_staged))
