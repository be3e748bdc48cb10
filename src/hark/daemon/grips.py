"""Takes a grip on a session's pane: by its airlock, by tmux on adopted panes.

A grip is there when the agent has drawn the key that the human pressed last before it. A moment earlier the screen shows
the cursor where it was, and some agents hand over a draft without that key, which is lost then.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from hark.agents.kinds import AgentKind
from hark.daemon.clock import Clock
from hark.daemon.panes import Panes, line_facts
from hark.model.session import Session
from hark.terminal.airlocks import STOPPED, Airlock, AirlockFacts, Refused, Successor
from hark.terminal.grip import HOLD_S, Grip, HeldByAirlock, HeldByTmux
from hark.terminal.keyhold import KeyHold

HOLD_BY_TMUX_S = 1.8
"""Where nobody of us is left to end it, a timer's shell does it with a few tmux commands: two seconds in all."""
DRAWN_WITHIN_S = 0.4
"""Nothing may be drawn at all: a key may have no effect."""
RESTED_S = 0.05
"""An agent that is printing anyway has hardly drawn a key that is younger."""
QUIET_S = 0.016
UNWATCHED_REST_S = 0.1
"""The same where it is not known when the last key was."""
POLL_S = 0.004
OF_A_DAEMON = ("HARK_", "XDG_", "HOME", "TMUX_TMPDIR")
"""How the variables begin by which a daemon finds its settings, its state and its tmux servers."""


async def take_grip(panes: Panes, session: Session, kind: AgentKind, foreground: str) -> Grip | None:
    """None when the keys cannot be held at this moment: somebody is in the middle of a key sequence."""
    server = panes.of(session.pane)
    if session.airlock is None:
        hold = await KeyHold.begin(server, session.pane, HOLD_BY_TMUX_S, kind.adopted_enter_gap_ms / 1000)
        if hold is None:
            return None
        await until_quiet(panes, session)
        return HeldByTmux(server, session.pane, hold, foreground)
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        held, is_taken_over = await airlock.hold(HOLD_S, kind.replay_gap_ms, kind.replay_enter_gap_ms, _successor())
    except Refused:
        await airlock.close()
        return None
    if not is_taken_over:
        await until_drawn(airlock)
    return HeldByAirlock(server, session.pane, airlock, held, is_taken_over=is_taken_over)


def _successor() -> Successor | None:
    """A daemon like this one; none where somebody else sees to it."""
    if "serve" not in sys.orig_argv or "INVOCATION_ID" in os.environ:
        return None
    words = without_descriptors([sys.executable, *sys.orig_argv[1:]])
    return Successor(words, {name: value for name, value in os.environ.items() if name.startswith(OF_A_DAEMON)})


def without_descriptors(words: list[str]) -> list[str]:
    """A command line without the options that name descriptors of this very process."""
    kept = list(words)
    for option in ("--ready-fd", "--lock-fds"):
        if option in kept:
            at = kept.index(option)
            del kept[at : at + 2]
    return kept


async def until_drawn(airlock: Airlock) -> None:
    """Until the agent has read the last key and printed after it. Of the keys that are held meanwhile it knows nothing."""
    first = now = await airlock.facts()
    if first.last_key_age_s is None:
        return
    loop = asyncio.get_running_loop()
    pressed_at = loop.time() - first.last_key_age_s
    has_printed = first.last_output_age_s is not None and first.last_output_age_s < first.last_key_age_s
    while (age_s := loop.time() - pressed_at) < DRAWN_WITHIN_S:
        has_printed = has_printed or now.output_bytes > first.output_bytes
        is_quiet = now.last_output_age_s is None or now.last_output_age_s >= QUIET_S
        if has_printed and is_quiet and age_s >= RESTED_S and not now.unread_bytes:
            return
        await asyncio.sleep(POLL_S)
        now = await airlock.facts()


async def until_quiet(panes: Panes, session: Session) -> None:
    """tmux knows the second of the last key, and what the pane prints."""
    facts = await panes.of(session.pane).pane_facts(session.pane)
    last_key_at = facts.last_key_at(session.pane.pane_id)
    if last_key_at is None or time.time() - last_key_at >= 1 + DRAWN_WITHIN_S:
        return
    for _ in range(round(DRAWN_WITHIN_S / UNWATCHED_REST_S)):
        count = panes.printed_count(session.pane)
        await asyncio.sleep(UNWATCHED_REST_S)
        if panes.printed_count(session.pane) == count:
            return


async def airlock_facts(session: Session) -> AirlockFacts | None:
    if session.airlock is None:
        return None
    airlock = await Airlock.connect(Path(session.airlock))
    try:
        return STOPPED if airlock.is_stopped() else await airlock.facts()
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
