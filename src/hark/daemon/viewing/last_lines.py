"""The last line that each agent has printed, for lists of sessions. Screens are looked at only while somebody looks at the list."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from hark.agents.kinds import Kinds
from hark.daemon.panes import Panes
from hark.daemon.registry.sessions import Sessions
from hark.delivery.screen.box import read_box
from hark.delivery.screen.capture import Screen
from hark.model.errors import HarkError
from hark.model.session import Session

EVERY_S = 2.0
LONGEST = 200
AT_A_TIME = 8
_FRAME = frozenset("─━═│┃║┌┐└┘╭╮╰╯├┤┬┴┼╔╗╚╝-_=|+*· ")


class Line(Struct, frozen=True):
    text: str = ""
    at: datetime | None = None
    """When the line was first seen; None if it was there before anybody looked."""


class LastLines:
    def __init__(self, sessions: Sessions, panes: Panes, kinds: Kinds, clock: Callable[[], datetime]) -> None:
        self._sessions = sessions
        self._panes = panes
        self._kinds = kinds
        self._clock = clock
        self._lines: dict[str, Line] = {}
        self._counts: dict[str, int] = {}
        self._listeners: set[Callable[[dict[str, Line]], None]] = set()
        self._wanted = asyncio.Event()

    def of(self, session_id: str) -> Line:
        return self._lines.get(session_id, Line())

    def listen(self, listener: Callable[[dict[str, Line]], None]) -> Callable[[], None]:
        """Call `listener` with the lines that have changed, until the returned function is called."""
        self._listeners.add(listener)
        self._wanted.set()

        def stop() -> None:
            self._listeners.discard(listener)
            if not self._listeners:
                self._wanted.clear()

        return stop

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            await self.look()
            await asyncio.sleep(EVERY_S)

    async def look(self) -> None:
        running = {session.id: session for session in self._sessions.running()}
        self._lines = {session_id: line for session_id, line in self._lines.items() if session_id in running}
        due = [session for session in running.values() if self._is_due(session)]
        slots = asyncio.Semaphore(AT_A_TIME)
        found = await asyncio.gather(*(self._read(session, slots) for session in due))
        now = self._clock()
        changed: dict[str, Line] = {
            session.id: Line(text, now if session.id in self._lines else None)
            for session, text in zip(due, found, strict=True)
            if text is not None and text != self.of(session.id).text
        }
        self._lines |= changed
        for listener in tuple(self._listeners) if changed else ():
            listener(changed)

    def _is_due(self, session: Session) -> bool:
        """Return True if the pane has printed since the last look, or if nobody tells whether it has."""
        count = self._panes.printed_count(session.pane)
        is_new = self._counts.get(session.id) != count
        self._counts[session.id] = count
        return is_new or not self._panes.is_streaming(session.pane)

    async def _read(self, session: Session, slots: asyncio.Semaphore) -> str | None:
        async with slots:
            try:
                screen = await self._panes.of(session.pane).screen(session.pane)
            except (HarkError, ValueError):
                return None
        return last_line(screen, self._top_of_box(session, screen))

    def _top_of_box(self, session: Session, screen: Screen) -> int | None:
        box = read_box(screen, self._kinds.get(session.agent).box)
        return box.top if box else None


def last_line(screen: Screen, box_top: int | None) -> str:
    """Return the last line of words above the input box, or on the whole screen if no box is in view."""
    rows = screen.rows.plain[:box_top]
    words = (row.strip() for row in reversed(rows) if not _FRAME.issuperset(row))
    line = next(words, "").strip("│┃║| ")
    return "".join(one for one in line if one.isprintable())[:LONGEST]
