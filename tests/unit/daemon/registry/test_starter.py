"""A session is on record before its pane is made, and a start that fails leaves no session behind."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from hark.daemon.panes import Panes
from hark.daemon.registry.kept_starts import KeptStarts
from hark.daemon.registry.launcher import Launcher
from hark.daemon.registry.starter import Defaults, Start, Starter, with_path
from hark.model.errors import HarkError
from hark.model.session import Pane, SessionState
from tests.integration.contract.samples import refused
from tests.unit.daemon.faulty import Parts
from tests.unit.delivery.screens import KINDS

SOCKET = "/tmp/own"


class Tmux:
    """A tmux server that makes panes, or fails as a test wants, and shows what is on record in that moment."""

    socket = SOCKET

    def __init__(self, parts: Parts, failure: HarkError | None = None) -> None:
        self.parts = parts
        self.failure = failure
        self.on_record: list[str] = []
        self.panes: list[tuple[Pane, str]] = []

    def server(self, socket: str) -> Any:
        return self

    def of(self, pane: Pane) -> Any:
        return self

    async def watch(self, pane: Pane) -> bool:
        return True

    async def create(self, name: str, *given: str, may_start: bool = False) -> Pane:
        self.on_record = [str(session.state) for session in await self.parts.store.sessions()]
        pane = Pane(socket=SOCKET, pane_id="%1", pid=7)
        self.panes.append((pane, " ".join(given)))
        if self.failure:
            raise self.failure
        return pane

    async def started(self) -> list[tuple[Pane, str]]:
        return self.panes

    def __getattr__(self, name: str) -> Any:
        async def ignore(*_: object, **__: object) -> list[Any]:
            return [SimpleNamespace(lines=[]), SimpleNamespace(lines=[])]

        return ignore


def starter(parts: Parts, tmux: Tmux, directory: Path) -> Starter:
    launcher = Launcher(directory / "a", directory / "n", directory / "h", has_native=False, has_hooks=False)
    parts.sessions._panes = cast(Panes, tmux)
    kept, defaults = KeptStarts(directory / "s"), Defaults(socket=SOCKET)
    return Starter(parts.sessions, cast(Panes, tmux), KINDS, launcher, kept, defaults, parts.live)


def start(directory: Path, name: str | None = "worker") -> Start:
    return Start(command=[sys.executable, "-c", "pass"], environment={}, name=name, directory=str(directory))


async def test_the_session_is_on_record_before_its_pane_is_made(tmp_path: Path) -> None:
    async with Parts() as parts:
        tmux = Tmux(parts)

        session = await starter(parts, tmux, tmp_path).start(start(tmp_path))

        assert tmux.on_record == [SessionState.STARTING]
        assert (session.state, session.name, session.pane.pane_id) == (SessionState.RUNNING, "worker", "%1")
        assert session.airlock is not None
        assert session.airlock in tmux.panes[0][1]


async def test_a_pane_that_cannot_be_made_leaves_no_session(tmp_path: Path) -> None:
    async with Parts() as parts:
        tmux = Tmux(parts, HarkError("tmux-failed", "no room"))

        with refused("tmux-failed"):
            await starter(parts, tmux, tmp_path).start(start(tmp_path))

        assert await parts.store.sessions() == []


async def test_a_tmux_that_does_not_answer_may_still_have_made_the_pane(tmp_path: Path) -> None:
    async with Parts() as parts:
        tmux = Tmux(parts, HarkError("tmux-timeout", "no answer"))
        starting = starter(parts, tmux, tmp_path)
        with refused("tmux-timeout"):
            await starting.start(start(tmp_path))
        assert [session.state for session in parts.sessions.unfinished()] == [SessionState.STARTING]

        (unfinished,) = parts.sessions.unfinished()
        tmux.panes = [
            (Pane(socket=SOCKET, pane_id="%1", pid=7), f"airlock --socket /run/airlocks/{unfinished.id}.sock")
        ]
        await starting.settle_unfinished()

        (session,) = parts.sessions.running()
        assert (session.id, session.pane.pane_id) == (unfinished.id, "%1")


async def test_a_start_of_which_no_pane_is_left_is_taken_off_the_record(tmp_path: Path) -> None:
    async with Parts() as parts:
        tmux = Tmux(parts, HarkError("tmux-timeout", "no answer"))
        starting = starter(parts, tmux, tmp_path)
        with refused("tmux-timeout"):
            await starting.start(start(tmp_path))
        tmux.panes = []

        await starting.settle_unfinished()

        assert await parts.store.sessions() == []


async def test_a_name_that_a_running_session_has_is_refused_before_anything_starts(tmp_path: Path) -> None:
    async with Parts() as parts:
        tmux = Tmux(parts)
        starting = starter(parts, tmux, tmp_path)
        await starting.start(start(tmp_path))

        with refused("name-taken"):
            await starting.start(start(tmp_path))

        assert len(tmux.panes) == 1


async def test_a_program_that_is_not_there_is_refused_before_anything_starts(tmp_path: Path) -> None:
    async with Parts() as parts:
        tmux = Tmux(parts)

        with refused("request-invalid"):
            await starter(parts, tmux, tmp_path).start(
                Start(command=["/no/such/agent"], environment={}, directory=str(tmp_path))
            )

        assert (tmux.panes, await parts.store.sessions()) == ([], [])


def test_an_environment_without_a_path_gets_the_daemons_and_nothing_else() -> None:
    assert set(with_path({"A": "1"})) == {"A", "PATH"}
    assert with_path({"PATH": "/own"}) == {"PATH": "/own"}
