"""The pane that was made for a session is found by its airlock, after a start that was not finished."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from hark.daemon.panes import Panes
from hark.daemon.registry.interrupted_starts import find_pane, pane_of
from hark.model.errors import HarkError
from hark.model.session import Pane
from tests.integration.contract.samples import make_session, refused

OTHER = Pane(socket="/s", pane_id="%1", pid=1)
MADE = Pane(socket="/s", pane_id="%2", pid=2)
COMMANDS = [
    (OTHER, "airlock --socket /run/airlocks/other.sock -- claude"),
    (MADE, "airlock --socket /run/airlocks/s1.sock -- claude"),
]


def panes(failure: HarkError | None = None) -> Panes:
    async def started() -> list[tuple[Pane, str]]:
        if failure:
            raise failure
        return COMMANDS

    return cast(Panes, SimpleNamespace(server=lambda socket: SimpleNamespace(started=started)))


async def test_the_pane_whose_command_names_the_sessions_airlock_is_found() -> None:
    assert await find_pane(panes(), make_session("s1")) == MADE


def test_without_such_a_pane_there_is_none() -> None:
    assert pane_of(make_session("s2"), COMMANDS) is None
    assert pane_of(make_session("s1"), []) is None


async def test_without_a_tmux_server_there_is_none_either() -> None:
    assert await find_pane(panes(HarkError("tmux-gone", "no server")), make_session("s1")) is None


async def test_a_server_that_does_not_answer_proves_nothing() -> None:
    with refused("tmux-failed"):
        await find_pane(panes(HarkError("tmux-failed", "no answer")), make_session("s1"))
