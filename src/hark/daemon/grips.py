"""Takes a grip on a session's pane: by its airlock, by tmux on adopted panes."""

from pathlib import Path

from hark.agents.kinds import AgentKind
from hark.daemon.panes import Panes
from hark.model.session import Session
from hark.terminal.airlocks import Airlock, AirlockFacts, Refused
from hark.terminal.grip import HOLD_S, Grip, HeldByAirlock, HeldByTmux
from hark.terminal.keyhold import KeyHold


async def take_grip(panes: Panes, session: Session, kind: AgentKind, foreground: str) -> Grip | None:
    """None when the keys cannot be held at this moment: somebody is in the middle of a key sequence."""
    server = panes.of(session.pane)
    if session.airlock is None:
        hold = await KeyHold.begin(server, session.pane, HOLD_S)
        return HeldByTmux(server, session.pane, hold, foreground) if hold else None
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        held = await airlock.hold(HOLD_S, kind.replay_gap_ms, kind.replay_enter_gap_ms)
    except Refused:
        await airlock.close()
        return None
    return HeldByAirlock(server, session.pane, airlock, held)


async def airlock_facts(session: Session) -> AirlockFacts | None:
    if session.airlock is None:
        return None
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        return await airlock.facts()
    finally:
        await airlock.close()
