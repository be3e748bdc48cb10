"""Observes a session for the gate: what tmux, the airlock and the terminal line say about its pane at this moment."""

from hark.agents.kinds import AgentKind
from hark.daemon.delivering.carriers import Carriers
from hark.daemon.delivering.failures import GONE
from hark.daemon.delivering.key_holds import airlock_facts
from hark.daemon.panes import Panes, line_facts
from hark.delivery.carriers.choose import carries_at_once
from hark.delivery.gate import PaneState
from hark.model.errors import HarkError
from hark.model.session import Session, SessionState


async def observe_pane(panes: Panes, session: Session, kind: AgentKind, carriers: Carriers) -> PaneState:
    """Return the state of the session's pane that the gate asks for."""
    if session.state is SessionState.GONE:
        return PaneState(is_there=False)
    try:
        facts = await panes.of(session.pane).pane_facts(session.pane)
    except HarkError as failure:
        if failure.code not in GONE:
            raise
        return PaneState(is_there=False)
    pane = facts.panes.get(session.pane.pane_id)
    if pane is None or pane.is_dead or pane.pid != session.pane.pid:
        return PaneState(is_there=False)
    await panes.watch(session.pane)
    airlock = await airlock_facts(session)
    line = airlock or line_facts(pane)
    carriers.note_key(airlock.last_key_age_s if airlock else None)
    return PaneState(
        is_there=True,
        is_stopped=airlock is not None and airlock.is_stopped,
        foreground=pane.foreground,
        in_mode=pane.in_mode,
        last_key_at_s=facts.last_key_at(pane.pane_id),
        is_line_mode=line.is_line_mode,
        has_unread=line.unread_bytes > 0,
        do_not_disturb=session.do_not_disturb_since is not None,
        can_carry_drafts=carries_at_once(carriers.means(session, kind)),
        has_airlock=airlock is not None,
        last_key_age_s=airlock.last_key_age_s if airlock else None,
    )


async def is_stopped(session: Session) -> bool:
    """Return True if the session's agent is suspended. An airlock that does not answer counts as not suspended here; it is noticed
    when keys are to be pressed."""
    try:
        airlock = await airlock_facts(session)
    except HarkError:
        return False
    return airlock is not None and airlock.is_stopped
