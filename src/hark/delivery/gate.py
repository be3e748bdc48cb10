"""The gate: whether a delivery to this session may start now, and if not, the reason. Reasons are checked in the order of
`HoldReason`.

The gate decides on facts alone and does not read the text on an agent's screen. Where the agent has hooks, its own word says
whether a dialog is open. Otherwise the carrier itself proves that there is no dialog and no draft: a carrier holds the message
when the box is not there or not empty.
"""

from msgspec import Struct

from hark.model.message import HoldReason

COURTESY_PAUSE_S = 0.3
COURTESY_LONGEST_S = 2.0
UNBEGUN_PAUSE_S = 5.0
"""How long the human must have pressed no key before hark types a first prompt to an agent that loses keys while it begins."""
READ_WITHIN_S = 0.5
"""How long to wait before looking again at a program with unread input: a healthy program reads its keys at once."""
STOPPED = "the agent is suspended; `fg` in its shell brings it back"
NOT_BEGUN = "the agent has not begun with the previous message"
RESUMING = "the agent has not resumed its conversation yet"
NOT_READ = "the program has not read what was written to it"

SHELLS = frozenset(
    {"sh", "bash", "zsh", "fish", "dash", "ksh", "tcsh", "csh", "nu", "xonsh", "elvish", "pwsh", "login"}
)


class PaneState(Struct, frozen=True, kw_only=True):
    is_there: bool
    """True if the pane exists and runs the process that we know."""
    is_stopped: bool = False
    """True if the agent is suspended (Ctrl-Z)."""
    foreground: str = ""
    in_mode: bool = False
    last_key_at_s: float | None = None
    """When a terminal that shows the pane last sent something, in whole seconds on tmux's clock."""
    is_line_mode: bool = False
    """True if the terminal collects whole lines: then the program does not read single keys, so there is no input box."""
    has_unread: bool = False
    """True if the program has not read everything that was written to it: then its screen is older than those writes."""
    do_not_disturb: bool = False
    can_carry_drafts: bool = False
    """True if a draft can be carried exactly while the human's keys are held: then typing is no obstacle, and waiting for a pause is a
    courtesy."""
    has_airlock: bool = False
    last_key_age_s: float | None = None
    """The age of the human's last key in seconds, where it is known exactly."""
    is_waiting: bool = False
    """True if the agent itself has said that it asks for permission."""
    is_resuming: bool = False
    """True if the agent has not shown the conversation yet that it resumes, and would lose keys."""
    waited_s: float = 0.0
    """How long the message has already waited for a pause, in seconds."""


class Hold(Struct, frozen=True):
    reason: HoldReason
    detail: str
    ends_in_s: float | None = None
    """In how many seconds the hold may end by the passing of time alone; None if an event must end the hold."""
    is_for_hook: bool = False
    """True if an event of the agent's turn ends the hold: then changes on its screen do not matter."""
    is_refused: bool = False
    """True if the agent did not take the text of this message: the attempt counts against the message."""


def check_gate(state: PaneState, now_s: float, human_pause_s: float) -> Hold | None:
    """Return why the delivery may not start now, or None if it may. Where drafts cannot be carried, the human's terminal must have been
    quiet for `human_pause_s`."""
    if not state.is_there:
        return Hold(HoldReason.SESSION_GONE, "its pane is gone")
    if not state.has_airlock and state.foreground.lstrip("-") in SHELLS:
        return Hold(HoldReason.AGENT_NOT_RUNNING, f"{state.foreground} is in the foreground, not the agent")
    if state.is_stopped:
        return Hold(HoldReason.AGENT_NOT_RUNNING, STOPPED)
    if state.do_not_disturb:
        return Hold(HoldReason.DO_NOT_DISTURB, "held by `hark hold`")
    if state.in_mode and not state.has_airlock:
        return Hold(HoldReason.COPY_MODE, "a human is in tmux's copy mode")
    if (pause_in := _pause_in(state, now_s, human_pause_s)) > 0:
        return Hold(HoldReason.HUMAN_TYPING, "waiting for a pause in a human's typing", pause_in)
    if state.is_waiting:
        return Hold(HoldReason.DIALOG, "the agent waits for a human's permission")
    if state.is_resuming:
        return Hold(HoldReason.BUSY, RESUMING, READ_WITHIN_S)
    if state.is_line_mode:
        return Hold(HoldReason.BUSY, "the program is not reading keys")
    if state.has_unread:
        return Hold(HoldReason.BUSY, NOT_READ, READ_WITHIN_S)
    return None


def check_unbegun(state: PaneState, now_s: float) -> Hold | None:
    """Return why the first prompt of a conversation may not be typed now to an agent that loses keys while it begins one, or None if it
    may. Beginning a conversation may take longer than keys are held, so hark waits until a human who types has paused or has
    submitted the first prompt themselves."""
    age_s = _key_age_s(state, now_s)
    if age_s is None or age_s >= UNBEGUN_PAUSE_S:
        return None
    detail = "no conversation has begun, and the agent loses keys while it begins one: waiting for a longer pause"
    return Hold(HoldReason.HUMAN_TYPING, detail, UNBEGUN_PAUSE_S - age_s)


def _pause_in(state: PaneState, now_s: float, human_pause_s: float) -> float:
    """Return how many seconds are left until the human has paused, or until the message has waited long enough."""
    pause_s = COURTESY_PAUSE_S if state.can_carry_drafts else human_pause_s
    age_s = _key_age_s(state, now_s)
    if age_s is None or age_s >= pause_s or not pause_s:
        return 0.0
    left_s = pause_s - age_s
    if not state.can_carry_drafts:
        return left_s
    return max(0.0, min(left_s, COURTESY_LONGEST_S - state.waited_s))


def _key_age_s(state: PaneState, now_s: float) -> float | None:
    """Return the age of the human's last key, or None if it is not known. tmux gives whole seconds, so the key may have come up to one
    second later than tmux says. A clock that was set back counts as unknown, or it would hold messages for ever."""
    if state.last_key_age_s is not None or state.last_key_at_s is None:
        return state.last_key_age_s
    age_s = now_s - state.last_key_at_s
    return age_s - 1 if age_s >= 0 else None
