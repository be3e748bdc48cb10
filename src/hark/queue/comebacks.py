"""Decides whether and when hark starts an agent again that has ended by itself.

An agent has failed if it ended with an exit status other than 0, or was killed by a signal. It has not failed if somebody told it to end:
by closing its pane, by ending its tmux server, or with Ctrl-C, which ends a program with SIGINT or with the exit status 130.

The first pause before a start is one second, and each further failure doubles it, up to five minutes. An agent that has run longer than
the longest pause has run well: its next failure counts as the first one.
"""

import signal as signals

from msgspec import Struct

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 300.0
RUNS_WELL_S = LONGEST_PAUSE_S
"""An agent that has run for at least this long has run well."""
_MOST_DOUBLINGS = 20
_BY_CTRL_C = 128 + signals.SIGINT


class Ending(Struct, frozen=True, kw_only=True):
    """How an agent has ended. Either `exit_code` or `signal` is known, or neither is."""

    exit_code: int | None = None
    signal: int | None = None
    """The number of the signal that has killed the agent."""
    was_told: bool = False
    """True if somebody told the agent to end."""
    with_airlock: bool = False
    """True if the agent was killed together with its airlock."""


KILLED_WITH_AIRLOCK = Ending(signal=signals.SIGKILL, with_airlock=True)
"""The ending of an agent whose airlock ended without a word: somebody has killed the airlock, and the agent with it."""


class Leave(Struct, frozen=True):
    """Leave the session gone."""


class StartAgain(Struct, frozen=True, kw_only=True):
    """Start the agent again after a pause."""

    pause_s: float
    failures: int
    """How often the agent has failed in a row."""


class GiveUp(Struct, frozen=True, kw_only=True):
    """Leave the session gone, and tell a human that the agent keeps failing."""

    failures: int


Decision = Leave | StartAgain | GiveUp


def is_failure(ending: Ending) -> bool:
    """Return True if the agent ended by itself, and failed."""
    if ending.was_told or ending.signal == signals.SIGINT or ending.exit_code == _BY_CTRL_C:
        return False
    return bool(ending.exit_code) or ending.signal is not None


def decide(ending: Ending, *, ran_s: float, failures: int, most: int) -> Decision:
    """Decide what to do after an agent has ended that ran for `ran_s` seconds and had failed `failures` times in a row before. `most` is
    how often in a row hark starts it again; 0 sets no limit."""
    if not is_failure(ending):
        return Leave()
    failed = 1 if ran_s >= RUNS_WELL_S else failures + 1
    if 0 < most < failed:
        return GiveUp(failures=failed)
    return StartAgain(pause_s=pause_s(failed), failures=failed)


def pause_s(failures: int) -> float:
    """Return how many seconds to wait before the next start, after so many failures in a row."""
    return float(min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failures - 1, _MOST_DOUBLINGS)))


def describe(ending: Ending) -> str:
    """Say in plain words how the agent has ended; empty if it is not known, or if somebody told it to end."""
    if ending.was_told:
        return ""
    if ending.with_airlock:
        return "its airlock was killed"
    if ending.signal is not None:
        return f"its agent was killed by {signal_name(ending.signal)}"
    return "" if ending.exit_code is None else f"its agent ended with exit status {ending.exit_code}"


def signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:
        return f"signal {number}"
