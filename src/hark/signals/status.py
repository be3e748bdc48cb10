"""Decides which of several witnesses hark believes about what an agent is doing now.

The agent's own announcement (a command, its record, a marker) is stronger than what hark concludes from the agent's hooks, and that is
stronger than what a model has guessed from the agent's screen. A weaker witness does not replace what a stronger one has said at the
same time or later. A guess replaces only a guess, the status `working`, or no status at all.
"""

from datetime import datetime

from msgspec import Struct

from hark.model.signal import SignalSource, SignalState

_STRENGTH = {
    SignalSource.COMMAND: 3,
    SignalSource.RECORD: 3,
    SignalSource.TERMINAL: 3,
    SignalSource.HOOK: 2,
    SignalSource.INFERRED: 1,
}


class Status(Struct, frozen=True):
    """The last announced state and who said it when; the state is None if nothing is known."""

    state: SignalState | None = None
    source: SignalSource | None = None
    at: datetime | None = None


def may_replace(now: Status, source: SignalSource, at: datetime) -> bool:
    """True if a new announcement of this source may replace the status. `at` is when the announcement was true, not when it reached
    hark."""
    if now.state is None or now.source is None or now.at is None:
        return True
    if source is SignalSource.INFERRED:
        return now.source is SignalSource.INFERRED or now.state is SignalState.WORKING
    return _STRENGTH[source] >= _STRENGTH[now.source] or at > now.at


def may_clear(now: Status, at: datetime) -> bool:
    """True if an event at that time (the agent took a prompt, a permission was answered) ends the status that was said before."""
    return now.state is not None and now.at is not None and at >= now.at


def is_repeated(now: Status, state: SignalState, source: SignalSource) -> bool:
    """True if a hook says a state that is known already: the agent has just asked for input itself, and then its dialog opens."""
    return source is SignalSource.HOOK and now.state is state
