"""Rounds over sessions: a tmux server that does not answer keeps the sessions of no other waiting."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import cast

from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.sweep import go_round
from hark.model.ids import SessionId
from hark.model.session import Pane, Session

DEADLINE_S = 90.0


def session(name: str, socket: str) -> Session:
    return Session(
        id=SessionId(name),
        name=name,
        agent="demo",
        host="here",
        pane=Pane(socket=socket, pane_id="%1", pid=1),
        command=("demo",),
        directory="/",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


class Running:
    def __init__(self, *sessions: Session) -> None:
        self._sessions = list(sessions)

    def running(self) -> list[Session]:
        return self._sessions


async def looks_until(count: int, of: str, hangs: str) -> list[str]:
    """At whom it was looked until it was looked so often at one of them, while a look at another one does not end."""
    looked: list[str] = []
    is_enough = asyncio.Event()

    async def look(one: Session) -> None:
        looked.append(one.name)
        if looked.count(of) == count:
            is_enough.set()
        if one.name == hangs:
            await asyncio.get_running_loop().create_future()

    sessions = Running(session("frozen", "one"), session("behind it", "one"), session("free", "two"))
    rounds = asyncio.ensure_future(go_round(cast(Sessions, sessions), look, 0.001))
    async with asyncio.timeout(DEADLINE_S):
        await is_enough.wait()
    rounds.cancel()
    await asyncio.gather(rounds, return_exceptions=True)
    return looked


def test_sessions_of_other_servers_are_looked_at_again_and_again() -> None:
    looked = asyncio.run(looks_until(5, "free", hangs="frozen"))

    assert looked.count("frozen") == 1
    assert "behind it" not in looked


def test_a_server_that_answers_takes_part_in_the_next_round() -> None:
    looked = asyncio.run(looks_until(3, "behind it", hangs=""))

    assert looked.count("frozen") == 3
