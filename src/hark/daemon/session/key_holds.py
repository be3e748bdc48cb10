"""Takes a grip on a session's pane: by its airlock, by tmux on adopted panes. And what is known then of the human's keys."""

import time
from pathlib import Path

from hark.agents.kinds import AgentKind
from hark.daemon.panes import Panes, line_facts
from hark.daemon.process.clock import Clock
from hark.delivery.carriers.rest import AtHold, age_of_last_key
from hark.model.session import Session
from hark.terminal.holds.airlock_client import STOPPED, Airlock, AirlockFacts, Refused
from hark.terminal.holds.grip import HOLD_S, Grip, HeldByAirlock, HeldByTmux, undone_at
from hark.terminal.holds.key_hold import KeyHold

HOLD_BY_TMUX_S = 1.8
"""Where nobody of us is left to end it, a timer's shell does it with a few tmux commands: two seconds in all."""


async def take_grip(panes: Panes, session: Session, kind: AgentKind, foreground: str, label: str = "") -> Grip | None:
    """None when the keys cannot be held at this moment: somebody is in the middle of a key sequence. `label` is what the delivery is
    called, by which the next daemon asks what became of it."""
    server = panes.of(session.pane)
    if session.airlock is None:
        gaps_s = (kind.adopted_enter_gap_ms / 1000, kind.adopted_key_gap_ms / 1000)
        hold = await KeyHold.begin(server, session.pane, HOLD_BY_TMUX_S, gaps_s[0], label, gaps_s[1])
        if hold is None:
            return None
        return HeldByTmux(server, session.pane, hold, foreground)
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        gaps, after_enter_ms = (kind.replay_gap_ms, kind.replay_enter_gap_ms), kind.replay_after_enter_ms
        held = await airlock.hold(HOLD_S, *gaps, label, after_enter_ms=after_enter_ms)
    except Refused:
        await airlock.close()
        return None
    return HeldByAirlock(server, session.pane, airlock, held)


async def at_hold(panes: Panes, session: Session) -> AtHold:
    """To be asked when the hold has begun. The airlock knows when it let the last key through. tmux knows the second of the last key
    that was pressed, held or not: whoever types during the hold makes us wait, but for no longer than for a key right before it."""
    if airlock := await airlock_facts(session):
        return AtHold(airlock.passed_age_s, airlock.unread_bytes > 0)
    server, pane_id = panes.of(session.pane), session.pane.pane_id
    facts = await server.pane_facts(session.pane)
    has_unread = line_facts(facts.panes[pane_id]).unread_bytes > 0
    # The keys of an undo are drawn as late as those of a human.
    known = [at for at in (facts.last_key_at(pane_id), await undone_at(server, session.pane)) if at is not None]
    past = server.past_holds.get(pane_id)
    return AtHold(age_of_last_key(time.time(), max(known, default=None), past), has_unread)


async def airlock_facts(session: Session) -> AirlockFacts | None:
    if session.airlock is None:
        return None
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        return STOPPED if airlock.is_stopped() else await airlock.facts()
    finally:
        await airlock.close()


async def redraw(session: Session) -> None:
    """Makes the agent draw its screen anew, if it runs behind an airlock."""
    if session.airlock is None:
        return
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        await airlock.redraw()
    finally:
        await airlock.close()


async def has_unread(panes: Panes, session: Session) -> bool:
    """Whether the agent has not read all that was written to it."""
    if airlock := await airlock_facts(session):
        return airlock.unread_bytes > 0
    facts = await panes.of(session.pane).pane_facts(session.pane)
    return line_facts(facts.panes[session.pane.pane_id]).unread_bytes > 0


async def key_age_s(panes: Panes, session: Session, clock: Clock) -> float | None:
    """How long ago a human has pressed a key there; None when none is known."""
    if airlock := await airlock_facts(session):
        return airlock.last_key_age_s
    facts = await panes.of(session.pane).pane_facts(session.pane)
    last_at = facts.last_key_at(session.pane.pane_id)
    # tmux gives whole seconds.
    return None if last_at is None else clock().timestamp() - last_at - 1
