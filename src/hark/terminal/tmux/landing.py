"""The session to which a human is moved who has landed in the hidden session: by `prefix )`, by a plain `tmux attach`, or because a
session ended.

tmux cannot hide a session. But tmux tells control clients at once when a client has changed its session, and the daemon
moves that client on, to where it would be if there were no hidden session. PURE: the answers of tmux are passed in.
"""

from collections.abc import Sequence

from msgspec import Struct

from hark.terminal.tmux.expansion import Format
from hark.terminal.tmux.orphans import HIDDEN_SESSION

SESSIONS_FORMAT = Format("#{session_id} #{session_activity} #{session_attached} #{session_name}")
LAST_FORMAT = Format("#{client_control_mode} #{client_last_session}")


class TmuxSession(Struct, frozen=True):
    id: str
    activity_at: int
    is_attached: bool
    name: str


def parse_sessions(lines: Sequence[str]) -> list[TmuxSession]:
    """Return the sessions in tmux's own order, in which `prefix )` goes through them."""
    parts = (line.split(" ", 3) for line in lines)
    return [TmuxSession(id, int(activity), attached != "0", name) for id, activity, attached, name in parts]


def way_on(sessions: Sequence[TmuxSession], came_from: str) -> list[str]:
    """Return the ids of the sessions to switch to, one after the other; the human stays in the last one. The list is empty if there
    is no other session.

    A human who came from another session was going through the list of sessions, and goes on in the same direction. The session that
    the human came from is visited first, so that tmux remembers it as the "last session"."""
    others = [session for session in sessions if session.name != HIDDEN_SESSION]
    if not others:
        return []
    before = next((session for session in others if session.name == came_from), None)
    if before is None:
        return [max(others, key=lambda session: (not session.is_attached, session.activity_at)).id]
    hidden = next((at for at, session in enumerate(sessions) if session.name == HIDDEN_SESSION), len(others))
    following, preceding = others[hidden % len(others)], others[hidden - 1]
    there = following if following is not before else preceding
    return [before.id] if there is before else [before.id, there.id]
