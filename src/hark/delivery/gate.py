"""The gate: may a delivery to this session start now, and if not, why not. Reasons in the order of `HoldReason`.

It decides on facts alone, with no look at an agent's screen text: whether a dialog is open or a draft is in the box is
proven by the carrier itself, which holds back when the box is not there or not empty.
"""

from msgspec import Struct

from hark.model.message import HoldReason

SHELLS = frozenset(
    {"sh", "bash", "zsh", "fish", "dash", "ksh", "tcsh", "csh", "nu", "xonsh", "elvish", "pwsh", "login"}
)


class PaneState(Struct, frozen=True, kw_only=True):
    is_there: bool
    """The pane, with the process that we know."""
    foreground: str = ""
    in_mode: bool = False
    last_key_at_s: float | None = None
    """When something last came from a terminal that shows the pane; whole seconds on tmux's clock."""
    is_line_mode: bool = False
    """The terminal collects whole lines: the program is not reading keys, so there is no input box."""
    do_not_disturb: bool = False


class Hold(Struct, frozen=True):
    reason: HoldReason
    detail: str
    ends_in_s: float | None = None
    """When it may end by the passing of time alone; otherwise an event must end it."""


def check_gate(state: PaneState, now_s: float, human_pause_s: float) -> Hold | None:
    """None: the delivery may start. Without a key hold a human's terminal must have been quiet for `human_pause_s`."""
    if not state.is_there:
        return Hold(HoldReason.SESSION_GONE, "its pane is gone")
    if state.foreground.lstrip("-") in SHELLS:
        return Hold(HoldReason.AGENT_NOT_RUNNING, f"{state.foreground} is in the foreground, not the agent")
    if state.do_not_disturb:
        return Hold(HoldReason.DO_NOT_DISTURB, "held by `hark hold`")
    if state.in_mode:
        return Hold(HoldReason.COPY_MODE, "a human is in tmux's copy mode")
    if state.last_key_at_s is not None and (quiet_in := _quiet_in(state.last_key_at_s, now_s, human_pause_s)) > 0:
        return Hold(HoldReason.HUMAN_TYPING, "a human has just pressed a key", quiet_in)
    if state.is_line_mode:
        return Hold(HoldReason.BUSY, "the program is not reading keys")
    return None


def _quiet_in(last_key_at_s: float, now_s: float, human_pause_s: float) -> float:
    """tmux gives whole seconds: the key may have come up to one second later than it says. A clock that was set back must
    not hold for ever."""
    longest = 1 + human_pause_s if human_pause_s else 0.0
    left = last_key_at_s + longest - now_s
    return left if left <= longest else 0.0
