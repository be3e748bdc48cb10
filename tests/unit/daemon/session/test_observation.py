"""What the gate is told about a session's pane: whether it is there, and what its terminal does."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.agents.kinds import load_kinds
from hark.daemon.delivering.carriers import Carriers
from hark.daemon.panes import Panes
from hark.daemon.session.observation import is_stopped, observe_pane
from hark.delivery.gate import PaneState
from hark.model.errors import HarkError
from hark.model.session import Pane, SessionState
from hark.terminal.tmux.facts import ClientFacts, PaneFacts, ServerFacts
from tests.integration.contract.samples import make_session, refused

KIND = load_kinds().get("claude")
SESSION = make_session("a")
PANE = PaneFacts(
    pane_id="%5",
    pid=4711,
    is_dead=False,
    in_mode=False,
    has_pipe=False,
    columns=80,
    rows=24,
    tty="/nowhere",
    session_id="$1",
    foreground="claude",
)


class Tmux:
    """Panes of a tmux server that says what a test wants."""

    def __init__(self, facts: ServerFacts | HarkError) -> None:
        self._facts = facts

    def of(self, pane: Pane) -> Any:
        return SimpleNamespace(pane_facts=self.pane_facts)

    async def pane_facts(self, pane: Pane) -> ServerFacts:
        if isinstance(self._facts, HarkError):
            raise self._facts
        return self._facts

    async def watch(self, pane: Pane) -> bool:
        return True

    def quiet_s(self, pane: Pane) -> float | None:
        return None


async def observe(facts: ServerFacts | HarkError, **fields: Any) -> PaneState:
    panes = cast(Panes, Tmux(facts))
    return await observe_pane(panes, make_session("a", **fields), KIND, Carriers(panes, 120.0))


def pane(**fields: Any) -> ServerFacts:
    known = {name: getattr(PANE, name) for name in PANE.__struct_fields__}
    return ServerFacts({"%5": PaneFacts(**(known | fields))}, [ClientFacts(name="tty", pane_id="%5", activity_at=7)])


async def test_a_pane_that_is_there_is_described() -> None:
    state = await observe(pane(in_mode=True))

    assert (state.is_there, state.foreground, state.in_mode, state.last_key_at_s) == (True, "claude", True, 7)
    assert (state.has_airlock, state.is_stopped, state.do_not_disturb) == (False, False, False)


@pytest.mark.parametrize(
    "facts",
    [
        ServerFacts({}, []),
        pane(is_dead=True),
        pane(pid=1),  # Another process has come into the pane.
        HarkError("pane-not-found", "no such pane"),
        HarkError("tmux-gone", "no server"),
    ],
    ids=["no pane", "dead", "another process", "not found", "no server"],
)
async def test_a_pane_that_is_gone_is_not_there(facts: ServerFacts | HarkError) -> None:
    assert await observe(facts) == PaneState(is_there=False)


async def test_nobody_asks_tmux_about_a_session_that_is_gone() -> None:
    assert await observe(HarkError("tmux-timeout", "asked"), state=SessionState.GONE) == PaneState(is_there=False)


async def test_a_server_that_does_not_answer_is_an_error_and_no_missing_pane() -> None:
    with refused("tmux-timeout"):
        await observe(HarkError("tmux-timeout", "no answer"))


async def test_the_terminal_line_tells_that_no_program_reads_keys() -> None:
    ours, theirs = os.openpty()
    try:
        os.write(ours, b"typed\n")
        state = await observe(pane(tty=os.ttyname(theirs)))
    finally:
        os.close(ours)
        os.close(theirs)

    assert (state.is_line_mode, state.has_unread) == (True, True)


async def test_a_session_without_an_airlock_is_not_known_to_be_suspended() -> None:
    assert not await is_stopped(SESSION)
    assert not await is_stopped(make_session("a", airlock="/nowhere/airlock.sock"))
