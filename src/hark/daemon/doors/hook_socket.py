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

from msgspec.structs import replace

from hark.agents.decoders import Report, decode
from hark.agents.registry import find_agent
from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.hook_connection import NO_REPORT, HookConnection, Refused
from hark.daemon.doors.hook_reports import HookCall, HookOrigin, Hooks
from hark.daemon.process.log import logger
from hark.daemon.questions.policing import Denied, Policing
from hark.daemon.questions.waiting_hook import WaitingHook
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
STAY = b"wait\n"
"""The answer to a hook that shall wait for its real answer."""
MOST_ASKING = 64
"""The largest number of hooks that wait for the answers to questions; further hooks end at once, and the dialogs stay."""
MOST_WAITING = 128
"""The largest number of reports of one session that are not handled yet; an agent runs no more than a few dozen hooks at once."""
MOST_SILENT = 256
"""The largest number of connections that have not yet said who they are."""


class Line(Part):
    """The events of one session in order, each with the session as it was at that time."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Session, HookCall, HookConnection | None]] = deque()

    @property
    def is_at_work(self) -> bool:
        return bool(self.waiting)


class HookDoor:
    def __init__(
        self,
        path: Path,
        live: LiveSessions,
        hooks: Hooks,
        handovers: Handovers,
        policing: Policing,
        *,
        takes_answers: bool,
    ) -> None:
        """`takes_answers` is True if the hook that tells of a question may wait for the answer."""
        self._live = live
        self._socket = OwnSocket(path, BACKLOG)
        self._listener: socket.socket | None = None
        self._hooks = hooks
        self._handovers = handovers
        self._policing = policing
        self._takes_answers = takes_answers
        self._asking = 0
        self._silent: dict[HookConnection, float] = {}
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
                accepted, _ = listener.accept()
            except BlockingIOError:
                return
            except OSError as full:
                logger.warning("no hook can connect", extra={"detail": str(full)})
                loop = asyncio.get_running_loop()
                loop.remove_reader(listener)
                loop.call_later(FULL_S, self._let_in_again, listener)
                return
            accepted.setblocking(False)
            self._listen(HookConnection(accepted))

    def _let_in_again(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:
            asyncio.get_running_loop().add_reader(listener, self._let_in, listener)

    def _listen(self, connection: HookConnection) -> None:
        """Read what the connection has sent so far, and handle the report if it is whole."""
        try:
            is_whole = connection.read()
            if is_whole:
                self._know(connection)
                self._take(connection)
            elif connection not in self._silent:
                self._wait_for(connection)
        except NO_REPORT:
            self._turn_away(connection)
        except Exception:  # noqa: BLE001 a supervisor: the next hook is served all the same
            logger.exception("hook failed")
            self._turn_away(connection)

    def _wait_for(self, connection: HookConnection) -> None:
        loop = asyncio.get_running_loop()
        if len(self._silent) >= MOST_SILENT:
            self._turn_away(next(iter(self._silent)))
        self._silent[connection] = loop.time()
        loop.add_reader(connection.socket, self._listen, connection)

    def _know(self, connection: HookConnection) -> None:
        """Stop waiting for the connection to say who it is."""
        if self._silent.pop(connection, None) is not None:
            asyncio.get_running_loop().remove_reader(connection.socket)

    def _turn_away(self, connection: HookConnection) -> None:
        self.refused += 1
        self._know(connection)
        connection.close()

    def _send_away(self, before_s: float) -> None:
        for connection in [connection for connection, since_s in self._silent.items() if since_s <= before_s]:
            self._turn_away(connection)

    def _take(self, connection: HookConnection) -> None:
        agent, event, emitted_at, session_id, tmux, pane_id = connection.words()
        self._check_line(SessionId(session_id))
        report = decode(agent, event, connection.payload())
        call = HookCall(agent, event, datetime.fromtimestamp(float(emitted_at), UTC), report)
        origin = HookOrigin(session_id or None, tmux.partition(",")[0] or None, pane_id or None)
        session = self._hooks.admit(call, origin, connection.ancestors())
        if session and event == WAIT:
            self._begin(self._keep_waiting(session, connection))
            return
        if session and self._may_wait(agent, report):
            waiting = WaitingHook(event, connection.payload())
            # The agent's own dialog is open by now, and the hook waits beside it.
            connection.answer(STAY)
            self._put(session, replace(call, waiting=waiting), None)
            self._begin(self._keep_asking(connection, waiting))
            return
        if session and (denied := self._policing.deny_before(session, event, connection.payload())):
            self._put(session, call, None)
            self._begin(self._deny(session, denied, connection))
            return
        is_answered = session is None or report.said not in BOUNDARIES
        if is_answered:
            # The agent need not wait until the report is written down.
            connection.answer(NOTHING)
            connection.close()
        if session:
            self._put(session, call, None if is_answered else connection)

    def _may_wait(self, agent: str, report: Report) -> bool:
        is_asked = report.asked is not None and report.takes_answers and find_agent(agent).asks_beside
        return is_asked and self._takes_answers and self._asking < MOST_ASKING

    async def _deny(self, session: Session, denied: Denied, connection: HookConnection) -> None:
        """Let a hook deny the tool that is about to run, and record that if the hook prints it."""
        try:
            async with asyncio.timeout(REPORT_WITHIN_S):
                await connection.give(denied.words)
                if await connection.next_byte() == b"+":
                    await self._policing.record(session, denied)
        except TimeoutError:
            logger.info("a hook did not say whether it denies", extra={"session": session.name})
        finally:
            connection.close()

    async def _keep_asking(self, connection: HookConnection, waiting: WaitingHook) -> None:
        """Keep a hook waiting until there is an answer for it, until there can be none any more, or until the hook is gone."""
        is_printed = False
        self._asking += 1
        gone = asyncio.ensure_future(connection.next_byte())
        try:
            await asyncio.wait((gone, waiting.offered), return_when=asyncio.FIRST_COMPLETED)
            if not gone.done() and waiting.offered.result():
                await connection.give(waiting.offered.result())
                is_printed = await gone == b"+"
            elif not gone.done():
                connection.answer(NOTHING)
        finally:
            self._asking -= 1
            waiting.end(is_printed=is_printed)
            gone.cancel()
            # The event loop must let go of the descriptor before it is closed: after that its number may be that of another connection.
            await asyncio.wait((gone,))
            connection.close()

    def _check_line(self, session_id: SessionId) -> None:
        line = self._live.find(session_id, Line)
        if line and len(line.waiting) >= MOST_WAITING:
            raise Refused

    def _put(self, session: Session, call: HookCall, connection: HookConnection | None) -> None:
        """Put an event at the end of its session's line."""
        self._check_line(session.id)
        waiting = self._live.of(session.id).part(Line).waiting
        waiting.append((session, call, connection))
        if len(waiting) == 1:
            self._begin(self._serve(waiting))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        assert self._tasks is not None
        self._tasks.create_task(work)

    async def _serve(self, waiting: deque[tuple[Session, HookCall, HookConnection | None]]) -> None:
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
            for _, _, connection in waiting:
                connection.close() if connection else None
            waiting.clear()

    async def _serve_one(self, session: Session, call: HookCall, connection: HookConnection | None) -> None:
        hand = Handing(connection) if connection else None
        try:
            await self._hooks.take_in(session, call, hand)
        except HarkError as failure:
            logger.warning("hook failed", extra={"code": failure.code, "detail": failure.detail})
        except Exception:  # noqa: BLE001 a supervisor: the next hook is served all the same
            logger.exception("hook failed")
        finally:
            if connection and hand and not hand.has_answered:
                connection.answer(NOTHING)
            if connection:
                connection.close()

    async def _keep_waiting(self, session: Session, connection: HookConnection) -> None:
        """Keep a hook waiting until there is a message for it, or until the hook is gone."""
        waiter = self._handovers.begin_waiting(session)
        if waiter is None:
            connection.answer(NOTHING)
            connection.close()
            return
        is_printed = False
        gone = asyncio.ensure_future(connection.next_byte())
        try:
            await asyncio.wait((gone, waiter.offered), return_when=asyncio.FIRST_COMPLETED)
            if waiter.offered.done() and not gone.done():
                await connection.give(waiter.offered.result())
                is_printed = await gone == b"+"
        finally:
            self._handovers.end_waiting(session, waiter, is_printed=is_printed)
            gone.cancel()
            # The event loop must let go of the descriptor before it is closed: after that its number may be that of another connection.
            await asyncio.wait((gone,))
            connection.close()


class Handing:
    """Hands one hook the text that it prints."""

    def __init__(self, connection: HookConnection) -> None:
        self._connection = connection
        self.has_answered = False

    async def __call__(self, answer: bytes) -> bool:
        """Give the hook the answer, and return True if it prints the answer. A hook that has neither said so nor ended in time may still
        print it; then True is returned too, and what the agent does next tells."""
        self.has_answered = True
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                await self._connection.give(answer)
                return await self._connection.next_byte() == b"+"
        except TimeoutError:
            return True
