"""Reasons to hold, and their order."""

import pytest
from msgspec.structs import replace

from hark.delivery.gate import PaneState, check_gate, check_unbegun
from hark.model.message import HoldReason

NOW_S = 1000.0
PAUSE_S = 2.0


def state(
    is_there: bool = True,
    foreground: str = "claude",
    do_not_disturb: bool = False,
    in_mode: bool = False,
    last_key_at_s: float | None = None,
    is_line_mode: bool = False,
    has_unread: bool = False,
    is_resuming: bool = False,
) -> PaneState:
    return PaneState(
        is_there=is_there,
        foreground=foreground,
        do_not_disturb=do_not_disturb,
        in_mode=in_mode,
        last_key_at_s=last_key_at_s,
        is_line_mode=is_line_mode,
        has_unread=has_unread,
        is_resuming=is_resuming,
    )


REASONS = {
    "nothing in the way": (state(), None),
    "the pane is gone": (state(is_there=False), HoldReason.SESSION_GONE),
    "a shell": (state(foreground="bash"), HoldReason.AGENT_NOT_RUNNING),
    "a login shell": (state(foreground="-zsh"), HoldReason.AGENT_NOT_RUNNING),
    "a program whose name begins like a shell's": (state(foreground="bashful"), None),
    "an agent that is suspended": (replace(state(), is_stopped=True, has_airlock=True), HoldReason.AGENT_NOT_RUNNING),
    "held by the human": (state(do_not_disturb=True), HoldReason.DO_NOT_DISTURB),
    "copy mode": (state(in_mode=True), HoldReason.COPY_MODE),
    "a key just now": (state(last_key_at_s=NOW_S), HoldReason.HUMAN_TYPING),
    "a program that reads lines": (state(is_line_mode=True), HoldReason.BUSY),
    "an agent that has not shown its conversation yet": (state(is_resuming=True), HoldReason.BUSY),
    "a program that has not read its last keys": (state(has_unread=True), HoldReason.BUSY),
}


@pytest.mark.parametrize(("seen", "reason"), REASONS.values(), ids=REASONS.keys())
def test_each_fact_has_its_reason(seen: PaneState, reason: HoldReason | None) -> None:
    hold = check_gate(seen, NOW_S, PAUSE_S)

    assert (hold and hold.reason) == reason


def test_of_several_reasons_the_first_in_the_gates_order_is_given() -> None:
    given = []
    seen = state(False, "bash", True, True, NOW_S, True)
    for fact in ("is_there", "foreground", "do_not_disturb", "in_mode", "last_key_at_s", "is_line_mode"):
        hold = check_gate(seen, NOW_S, PAUSE_S)
        assert hold is not None
        given.append(hold.reason)
        seen = replace(seen, **{fact: getattr(state(), fact)})

    assert given == [
        HoldReason.SESSION_GONE,
        HoldReason.AGENT_NOT_RUNNING,
        HoldReason.DO_NOT_DISTURB,
        HoldReason.COPY_MODE,
        HoldReason.HUMAN_TYPING,
        HoldReason.BUSY,
    ]
    assert given == sorted(given, key=list(HoldReason).index)
    assert check_gate(seen, NOW_S, PAUSE_S) is None


# A key at 1000 may have been pressed at 1000.99, so with a pause of 2 s it is quiet at 1003.
QUIET = {
    "at the key": (1000.0, PAUSE_S, 3.0),
    "a moment before the end": (1002.75, PAUSE_S, 0.25),
    "at the end": (1003.0, PAUSE_S, None),
    "long after": (2000.0, PAUSE_S, None),
    "a clock set back holds no longer than a pause": (900.0, PAUSE_S, None),
    "no pause wanted": (1000.0, 0.0, None),
    "no pause wanted and a clock set back": (999.0, 0.0, None),
}


@pytest.mark.parametrize(("now_s", "pause_s", "ends_in_s"), QUIET.values(), ids=QUIET.keys())
def test_a_human_is_typing_until_the_pause_is_over(now_s: float, pause_s: float, ends_in_s: float | None) -> None:
    hold = check_gate(state(last_key_at_s=1000), now_s, pause_s)

    assert (hold and hold.ends_in_s) == ends_in_s
    assert hold is None or hold.reason is HoldReason.HUMAN_TYPING


# Where drafts can be carried, a pause is a courtesy: 0.3 s are enough, and after 2 s of waiting none is needed.
COURTESY = {
    "a key just now": (PaneState(is_there=True, can_carry_drafts=True, last_key_age_s=0.0), 0.3),
    "a moment before the end": (PaneState(is_there=True, can_carry_drafts=True, last_key_age_s=0.2), 0.1),
    "at the end": (PaneState(is_there=True, can_carry_drafts=True, last_key_age_s=0.3), None),
    "waited for a while": (PaneState(is_there=True, can_carry_drafts=True, last_key_age_s=0.0, waited_s=1.9), 0.1),
    "waited long enough": (PaneState(is_there=True, can_carry_drafts=True, last_key_age_s=0.0, waited_s=2.0), None),
    "tmux's whole seconds": (PaneState(is_there=True, can_carry_drafts=True, last_key_at_s=NOW_S - 1), 0.3),
    "drafts cannot be carried": (PaneState(is_there=True, last_key_age_s=0.5, waited_s=60.0), 1.5),
}


@pytest.mark.parametrize(("seen", "ends_in_s"), COURTESY.values(), ids=COURTESY.keys())
def test_a_pause_is_a_courtesy_where_drafts_can_be_carried(seen: PaneState, ends_in_s: float | None) -> None:
    hold = check_gate(seen, NOW_S, PAUSE_S)

    assert (hold and hold.ends_in_s) == (ends_in_s and pytest.approx(ends_in_s))


# While no conversation has begun, some agents lose keys that come while the first prompt is submitted.
UNBEGUN = {
    "a key just now": (PaneState(is_there=True, can_carry_drafts=True, last_key_age_s=0.0), 5.0),
    "a while ago, and waited long": (PaneState(is_there=True, last_key_age_s=4.0, waited_s=60.0), 1.0),
    "long ago": (PaneState(is_there=True, last_key_age_s=5.0), None),
    "nobody has typed": (PaneState(is_there=True), None),
    "tmux's whole seconds": (PaneState(is_there=True, last_key_at_s=NOW_S - 4), 2.0),
}


@pytest.mark.parametrize(("seen", "ends_in_s"), UNBEGUN.values(), ids=UNBEGUN.keys())
def test_a_first_prompt_waits_for_a_longer_pause(seen: PaneState, ends_in_s: float | None) -> None:
    hold = check_unbegun(seen, NOW_S)

    assert (hold and hold.ends_in_s) == (ends_in_s and pytest.approx(ends_in_s))
    assert hold is None or hold.reason is HoldReason.HUMAN_TYPING
