"""The unix socket on which agents' hooks report. It is a socket of its own, because `inside/hook.py` speaks a protocol of three lines and
not HTTP.

Each connection is one report. A hook connects and sends its report in one go, so nearly always the whole report is there when the
connection is accepted: it is read, answered and closed at once. Only a report that comes in pieces is waited for. Only a hook that may
be given a message stays connected until it has said that it will print the message, or has ended without a word. Both are certain: a
hook that has ended will not print any more.

A flood of reports harms only the session that makes it. The reports of each session stand in a line of their own, which has a limited
length: further reports are turned away before they cost anything. When too many connections have not yet said who they are, the one
that has been silent for the longest time is closed.
"""

import asyncio
import itertools
import socket
from collections import deque
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path

from hark.agents.decoders import decode
from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.hook_connection import NO_REPORT, Refused, Visit
from hark.daemon.doors.hook_reports import HookOrigin, Hooks, Told
from hark.daemon.process.log import logger
from hark.daemon.session.live import LiveSessions, Part
from hark.installing.hooks import WAIT
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.queue.handover import BOUNDARIES
from hark.sockets import OwnSocket

REPORT_WITHIN_S = 5.0
SWEEP_S = 1.0
ENDS_WITHIN_S = 60.0
"""How many seconds a hook may take to print its answer; every agent ends its hooks sooner."""
BACKLOG = 4096
"""How many connections may wait to be accepted. A hook that finds the backlog full tries again only for a moment, and is lost then,
whoever has filled the backlog."""
LET_IN_AT_ONCE = 64
"""How many connections are accepted before the rest of the daemon has a turn."""
SERVED_AT_ONCE = 16
"""How many events of one session are handled before the rest of the daemon has a turn."""
FULL_S = 0.5
"""How long to wait before accepting again if the process has no descriptor left."""
NOTHING = b"0\n"
MOST_WAITING = 128
"""The largest number of reports of one session that are not handled yet; an agent runs no more than a few dozen hooks at once."""
MOST_SILENT = 256
"""The largest number of connections that have not yet said who they are."""


class Line(Part):
    """The events of one session in order, each with the session as it was at that time."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Session, Told, Visit | None]] = deque()

    @property
    def is_at_work(self) -> bool:
        return bool(self.waiting)


class HookDoor:
    def __init__(self, path: Path, live: LiveSessions, hooks: Hooks, handovers: Handovers) -> None:
        self._live = live
        self._socket = OwnSocket(path, BACKLOG)
        self._listener: socket.socket | None = None
        self._hooks = hooks
        self._handovers = handovers
        self._silent: dict[Visit, float] = {}
        """The connections whose report is not whole yet, with the time since which they wait, the oldest first."""
        self._tasks: asyncio.TaskGroup | None = None
        self.refused = 0

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self._open()
        try:
            async with asyncio.TaskGroup() as self._tasks:
                while True:
                    await asyncio.sleep(SWEEP_S)
                    self._send_away(loop.time() - REPORT_WITHIN_S)
        finally:
            self._close()
            self._socket.remove()
            self._send_away(loop.time())

    def keep(self) -> bool:
        """Listen again if the socket's file has vanished. Return True if it had."""
        if self._listener is None or not self._socket.is_gone():
            return False
        self._close()
        self._open()
        return True

    def _open(self) -> None:
        self._listener = self._socket.listen()
        self._listener.setblocking(False)
        asyncio.get_running_loop().add_reader(self._listener, self._let_in, self._listener)

    def _close(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None

    def _let_in(self, listener: socket.socket) -> None:
        for _ in range(LET_IN_AT_ONCE):
            try:
                connection, _ = listener.accept()
            except BlockingIOError:
                return
            except OSError as full:
                logger.warning("no hook can connect", extra={"detail": str(full)})
                loop = asyncio.get_running_loop()
                loop.remove_reader(listener)
                loop.call_later(FULL_S, self._let_in_again, listener)
                return
            connection.setblocking(False)
            self._listen(Visit(connection))

    def _let_in_again(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:
            asyncio.get_running_loop().add_reader(listener, self._let_in, listener)

    def _listen(self, visit: Visit) -> None:
        """Read what the connection has sent so far, and handle the report if it is whole."""
        try:
            is_whole = visit.read()
            if is_whole:
                self._know(visit)
                self._take(visit)
            elif visit not in self._silent:
                self._wait_for(visit)
        except NO_REPORT:
            self._turn_away(visit)
        except Exception:  # noqa: BLE001 a supervisor: the next hook is served all the same
            logger.exception("hook failed")
            self._turn_away(visit)

    def _wait_for(self, visit: Visit) -> None:
        loop = asyncio.get_running_loop()
        if len(self._silent) >= MOST_SILENT:
            self._turn_away(next(iter(self._silent)))
        self._silent[visit] = loop.time()
        loop.add_reader(visit.connection, self._listen, visit)

    def _know(self, visit: Visit) -> None:
        """Stop waiting for the connection to say who it is."""
        if self._silent.pop(visit, None) is not None:
            asyncio.get_running_loop().remove_reader(visit.connection)

    def _turn_away(self, visit: Visit) -> None:
        self.refused += 1
        self._know(visit)
        visit.close()

    def _send_away(self, before_s: float) -> None:
        for visit in [visit for visit, since_s in self._silent.items() if since_s <= before_s]:
            self._turn_away(visit)

    def _take(self, visit: Visit) -> None:
        agent, event, emitted_at, session_id, tmux, pane_id = visit.words()
        self._check_line(SessionId(session_id))
        report = decode(agent, event, visit.payload())
        told = Told(agent, event, datetime.fromtimestamp(float(emitted_at), UTC), report)
        origin = HookOrigin(session_id or None, tmux.partition(",")[0] or None, pane_id or None)
        session = self._hooks.admit(told, origin, visit.ancestors())
        if session and event == WAIT:
            self._begin(self._keep_waiting(session, visit))
            return
        is_answered = session is None or report.said not in BOUNDARIES
        if is_answered:
            # The agent need not wait until the report is written down.
            visit.answer(NOTHING)
            visit.close()
        if session:
            self._put(session, told, None if is_answered else visit)

    def _check_line(self, session_id: SessionId) -> None:
        line = self._live.find(session_id, Line)
        if line and len(line.waiting) >= MOST_WAITING:
            raise Refused

    def _put(self, session: Session, told: Told, visit: Visit | None) -> None:
        """Put an event at the end of its session's line."""
        self._check_line(session.id)
        waiting = self._live.of(session.id).part(Line).waiting
        waiting.append((session, told, visit))
        if len(waiting) == 1:
            self._begin(self._serve(waiting))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        assert self._tasks is not None
        self._tasks.create_task(work)

    async def _serve(self, waiting: deque[tuple[Session, Told, Visit | None]]) -> None:
        """Handle the events of a session one after the other, in the order in which they came. The rest of the daemon gets a turn in
        between."""
        try:
            for number in itertools.count(1):
                await self._serve_one(*waiting[0])
                waiting.popleft()
                if not waiting:
                    break
                if number % SERVED_AT_ONCE == 0:
                    await asyncio.sleep(0)
        finally:
            for _, _, visit in waiting:
                visit.close() if visit else None
            waiting.clear()

    async def _serve_one(self, session: Session, told: Told, visit: Visit | None) -> None:
        hand = Handing(visit) if visit else None
        try:
            await self._hooks.heed(session, told, hand)
        except HarkError as failure:
            logger.warning("hook failed", extra={"code": failure.code, "detail": failure.detail})
        except Exception:  # noqa: BLE001 a supervisor: the next hook is served all the same
            logger.exception("hook failed")
        finally:
            if visit and hand and not hand.has_answered:
                visit.answer(NOTHING)
            if visit:
                visit.close()

    async def _keep_waiting(self, session: Session, visit: Visit) -> None:
        """Keep a hook waiting until there is a message for it, or until the hook is gone."""
        waiter = self._handovers.begin_waiting(session)
        if waiter is None:
            visit.answer(NOTHING)
            visit.close()
            return
        is_printed = False
        gone = asyncio.ensure_future(visit.next_byte())
        try:
            await asyncio.wait((gone, waiter.offered), return_when=asyncio.FIRST_COMPLETED)
            if waiter.offered.done() and not gone.done():
                await visit.give(waiter.offered.result())
                is_printed = await gone == b"+"
        finally:
            self._handovers.end_waiting(session, waiter, is_printed=is_printed)
            gone.cancel()
            # The event loop must let go of the descriptor before it is closed: after that its number may be that of another connection.
            await asyncio.wait((gone,))
            visit.close()


class Handing:
    """Hands one hook the text that it prints."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self.has_answered = False

    async def __call__(self, answer: bytes) -> bool:
        """Give the hook the answer, and return True if it prints the answer. A hook that has neither said so nor ended in time may still
        print it; then True is returned too, and what the agent does next tells."""
        self.has_answered = True
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                await self._visit.give(answer)
                return await self._visit.next_byte() == b"+"
        except TimeoutError:
            return True
