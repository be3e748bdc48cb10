"""Sessions whose start was not finished: the daemon was killed between tmux and the store, or tmux did not answer in time.

A session is recorded as `starting` before its pane is made. The command of the pane names the session's airlock, so a pane
that was made all the same is found by it, whatever has happened since.
"""

from collections.abc import Iterable

from hark.daemon.panes import Panes
from hark.model.errors import HarkError
from hark.model.session import Pane, Session

_NO_SERVER = ("tmux-gone", "tmux-missing")


async def find_pane(panes: Panes, session: Session) -> Pane | None:
    """The pane that was made for it; None if there is none. Raises when that cannot be known now."""
    try:
        started = await panes.server(session.pane.socket).started()
    except HarkError as failure:
        if failure.code in _NO_SERVER:
            return None
        raise
    return pane_of(session, started)


def pane_of(session: Session, started: Iterable[tuple[Pane, str]]) -> Pane | None:
    """Finds the pane of a session among all panes and the commands that they were started with."""
    mark = f"airlocks/{session.id}.sock"
    return next((pane for pane, command in started if mark in command), None)
