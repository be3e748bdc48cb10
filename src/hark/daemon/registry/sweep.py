"""Goes round all running sessions, for each tmux server in a task of its own: a server that does not answer does not keep the sessions
of other servers waiting."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial

from hark.daemon.process.isolation import Isolation
from hark.daemon.registry.sessions import Sessions
from hark.model.session import Session

Look = Callable[[Session], Awaitable[None]]


def by_server(sessions: list[Session]) -> dict[str, list[Session]]:
    found: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        found[session.pane.socket].append(session)
    return found


async def go_round(sessions: Sessions, look: Look, period_s: float, what: str = "round") -> None:
    """Look at all running sessions every `period_s` seconds, for ever. A server whose last round is not over when the next one begins is
    left out of the next one. A session whose look fails is left out for a while; the others are not. `what` names the round in the
    log."""
    isolation = Isolation(what)
    under_way: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        while True:
            for socket, there in by_server(sessions.running()).items():
                if socket not in under_way:
                    under_way[socket] = tasks.create_task(_look_at_all(there, look, isolation))
                    under_way[socket].add_done_callback(lambda _, socket=socket: under_way.pop(socket))  # type: ignore[misc]
            await asyncio.sleep(period_s)


async def _look_at_all(sessions: list[Session], look: Look, isolation: Isolation) -> None:
    for session in sessions:
        await isolation.run(session.id, partial(look, session))
