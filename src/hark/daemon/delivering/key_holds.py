"""Takes a grip on a session's pane, by its airlock or, on adopted panes, by tmux; and tells what is known of the human's keys."""

import time
from pathlib import Path

from hark.agents.kinds import AgentKind
from hark.daemon.panes import Panes, line_facts
from hark.daemon.process.clock import Clock
from hark.delivery.budget import HOLD_BY_TMUX_S, HOLD_S
from hark.delivery.carriers.rest import AtHold, age_of_last_key
from hark.model.session import Session
from hark.terminal.holds.airlock_client import STOPPED, Airlock, AirlockFacts, Refused
from hark.terminal.holds.grip import Grip, HeldByAirlock, HeldByTmux, undone_at
from hark.terminal.holds.key_hold import KeyHold

REPLAY_GAP_MS = 30.0
"""How long after each other the keys come out that were held during an answer."""


async def take_grip(panes: Panes, session: Session, kind: AgentKind, foreground: str, label: str = "") -> Grip | None:
    """Take a grip on the session's pane. Return None if the human's keys cannot be held at this moment, because somebody is in the
    middle of a key sequence. `label` is the name by which the next daemon asks what became of this delivery."""
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


async def take_answer_hold(panes: Panes, session: Session) -> "Airlock | KeyHold | None":
    """Hold the keys of the humans at a session's pane while somebody else answers the agent's dialog. What they press meanwhile for that
    dialog is dropped. Return None if the keys cannot be held at this moment."""
    if session.airlock is None:
        return await KeyHold.begin(panes.of(session.pane), session.pane, HOLD_BY_TMUX_S, drops_answers=True)
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        await airlock.hold(HOLD_S, REPLAY_GAP_MS, REPLAY_GAP_MS, drops_answers=True)
    except Refused:
        await airlock.close()
        return None
    return airlock


async def end_answer_hold(hold: "Airlock | KeyHold") -> None:
    """Let the keys go. An airlock ends the hold when the connection is closed."""
    if isinstance(hold, KeyHold):
        await hold.release()
    else:
        await hold.close()


async def at_hold(panes: Panes, session: Session) -> AtHold:
    """Return what is known of the human's keys right after a hold has begun. The airlock knows when it let the last key through. tmux
    knows only the second in which the last key was pressed, held or not: a human who types during the hold makes us wait, but no longer
    than for a key that was pressed right before the hold."""
    if airlock := await airlock_facts(session):
        return AtHold(airlock.passed_age_s, airlock.unread_bytes > 0)
    server, pane_id = panes.of(session.pane), session.pane.pane_id
    facts = await server.pane_facts(session.pane)
    has_unread = line_facts(facts.panes[pane_id]).unread_bytes > 0
    # The agent draws the keys of an undo as late as those of a human, so they count as well.
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
    """Make the agent redraw its screen, if it runs behind an airlock."""
    if session.airlock is None:
        return
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        await airlock.redraw()
    finally:
        await airlock.close()


async def has_unread(panes: Panes, session: Session) -> bool:
    """Return True if the agent has not read all that was written to it."""
    if airlock := await airlock_facts(session):
        return airlock.unread_bytes > 0
    facts = await panes.of(session.pane).pane_facts(session.pane)
    return line_facts(facts.panes[session.pane.pane_id]).unread_bytes > 0


async def key_age_s(panes: Panes, session: Session, clock: Clock) -> float | None:
    """Return how many seconds ago a human last pressed a key in the session's pane; None if no key is known."""
    if airlock := await airlock_facts(session):
        return airlock.last_key_age_s
    facts = await panes.of(session.pane).pane_facts(session.pane)
    last_at = facts.last_key_at(session.pane.pane_id)
    # tmux gives whole seconds: the key may have come up to one second later than it says.
    return None if last_at is None else clock().timestamp() - last_at - 1
