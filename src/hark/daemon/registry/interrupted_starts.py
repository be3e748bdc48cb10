"""Finds the panes of sessions whose start was not finished, because the daemon was killed after it called tmux and before it wrote to
the store, or because tmux did not answer in time.

A session is recorded as `starting` before its pane is made. The pane's command names the session's airlock, so a pane that was made
in spite of the failure is found by that command.
"""

from collections.abc import Iterable

from hark.daemon.panes import Panes
from hark.model.errors import HarkError
from hark.model.session import Pane, Session

_NO_SERVER = ("tmux-gone", "tmux-missing")


async def find_pane(panes: Panes, session: Session) -> Pane | None:
    """Return the pane that was made for the session; None if there is none. Raise a HarkError if that cannot be known now."""
    try:
        started = await panes.server(session.pane.socket).started()
    except HarkError as failure:
        if failure.code in _NO_SERVER:
            return None
        raise
    return pane_of(session, started)


def pane_of(session: Session, started: Iterable[tuple[Pane, str]]) -> Pane | None:
    """Find the pane of a session among all panes and the commands that they were started with."""
    mark = f"airlocks/{session.id}.sock"
    return next((pane for pane, command in started if mark in command), None)
