"""Rounds over all running sessions, each tmux server by itself: one that does not answer keeps the sessions of no other waiting."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

from hark.daemon.log import logger
from hark.daemon.sessions import Sessions
from hark.model.session import Session

Look = Callable[[Session], Awaitable[None]]


def by_server(sessions: list[Session]) -> dict[str, list[Session]]:
    found: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        found[session.pane.socket].append(session)
    return found


async def go_round(sessions: Sessions, look: Look, period_s: float) -> None:
    """For ever. A server whose last round is not over when the next begins is left out of it."""
    under_way: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        while True:
            for socket, there in by_server(sessions.running()).items():
                if socket not in under_way:
                    under_way[socket] = tasks.create_task(_look_at_all(there, look))
                    under_way[socket].add_done_callback(lambda _, socket=socket: under_way.pop(socket))  # type: ignore[misc]
            await asyncio.sleep(period_s)


async def _look_at_all(sessions: list[Session], look: Look) -> None:
    for session in sessions:
        try:
            await look(session)
        except Exception:  # noqa: BLE001 a supervisor: one session that cannot be looked at is no reason to look at no other
            logger.exception("no look at a session", extra={"session": session.name})
