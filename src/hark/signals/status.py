"""Which of several witnesses is believed about what an agent is up to now.

The agent's own announcement (a command, its record, a marker) is stronger than what its hooks let us conclude, and that is
stronger than what a model has guessed from its screen. A weaker witness changes nothing that a stronger one has said later
than what the weaker saw; and a guess changes nothing but a guess, or nothing at all.
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
    """What was said last, and by whom; no state where nothing is known."""

    state: SignalState | None = None
    source: SignalSource | None = None
    at: datetime | None = None


def may_replace(now: Status, source: SignalSource, at: datetime) -> bool:
    """`at`: when that was so, not when it reached us."""
    if now.state is None or now.source is None or now.at is None:
        return True
    if source is SignalSource.INFERRED:
        return now.source is SignalSource.INFERRED or now.state is SignalState.WORKING
    return _STRENGTH[source] >= _STRENGTH[now.source] or at > now.at


def may_clear(now: Status, at: datetime) -> bool:
    """Whether something that has happened then (a prompt was taken, a permission answered) ends what was said before."""
    return now.state is not None and now.at is not None and at >= now.at


def is_repeated(now: Status, state: SignalState, source: SignalSource) -> bool:
    """A hook that says what is known already is no news: the agent has just asked for input, and its dialog opens."""
    return source is SignalSource.HOOK and now.state is state
