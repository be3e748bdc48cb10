"""All panes that somebody looks at now. A pane is watched while it has viewers, and a little longer, so that a viewer whose connection
broke can go on."""

import asyncio
import contextlib
from collections.abc import Coroutine

from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.daemon.viewing.control import PaneControl
from hark.daemon.viewing.watch import PaneWatch, Viewing
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.session import Pane, Session, SessionState
from hark.terminal.viewing.feed import Feed, FeedListeners

LINGER_S = 30.0


class TerminalViews:
    def __init__(self, panes: Panes) -> None:
        self._panes = panes
        self._feeds: dict[str, Feed] = {}
        self._controls: dict[Pane, PaneControl] = {}
        self._sessions: dict[str, Pane] = {}
        self._opening = asyncio.Lock()
        self._lingering: dict[Pane, asyncio.TimerHandle] = {}
        self._work: set[asyncio.Task[None]] = set()

    async def open(self, session: Session, history: int) -> tuple[PaneControl, Viewing]:
        """Begin to look at the session's pane."""
        if session.state is not SessionState.RUNNING:
            raise HarkError("pane-not-found", f"session {session.name} is gone", "`hark ls` shows the ones that run")
        async with self._opening:
            control = self._controls.get(session.pane) or await self._begin(session)
        if timer := self._lingering.pop(session.pane, None):
            timer.cancel()
        viewing = Viewing(control.watch, history, self._leave)
        control.watch.viewings.add(viewing)
        control.watch.tell_change()
        viewing.has_change = False
        return control, viewing

    async def _begin(self, session: Session) -> PaneControl:
        pane = session.pane
        server = self._panes.of(pane)
        watch = PaneWatch(pane, self._feed(pane.socket), self._panes)
        control = PaneControl(watch, server, has_airlock=session.airlock is not None)
        # The pane is listened to from here on, so that no output is missed between the link and the first picture.
        self._controls[pane] = control
        try:
            await watch.begin()
        except BaseException:
            del self._controls[pane]
            raise
        self._sessions[session.id] = pane
        return control

    def _feed(self, socket: str) -> Feed:
        if socket not in self._feeds:
            listeners = FeedListeners(
                on_output=lambda pane_id, data: self._on_output(socket, pane_id, data),
                on_layout=lambda window_id: self._on_layout(socket, window_id),
                on_paused=lambda pane_id: self._on_paused(socket, pane_id),
                on_clients=lambda: self._on_clients(socket),
                on_lost=lambda: self._on_lost(socket),
            )
            self._feeds[socket] = Feed(self._panes.server(socket), listeners)
        return self._feeds[socket]

    def on_event(self, event: Event) -> None:
        """End the views of a session that is gone."""
        if event.kind in (EventKind.SESSION_GONE, EventKind.SESSION_FORGOTTEN) and event.session_id in self._sessions:
            control = self._controls.get(self._sessions[event.session_id])
            if control:
                control.watch.end("the session is gone")

    def _of(self, socket: str) -> list[PaneControl]:
        return [control for pane, control in self._controls.items() if pane.socket == socket]

    def _on_output(self, socket: str, pane_id: str, data: bytes) -> None:
        for control in self._of(socket):
            if control.watch.pane.pane_id == pane_id:
                control.watch.take(data)

    def _on_layout(self, socket: str, window_id: str) -> None:
        for control in self._of(socket):
            if control.watch.window_id == window_id:
                control.watch.break_stream()

    def _on_paused(self, socket: str, pane_id: str) -> None:
        for control in self._of(socket):
            if control.watch.pane.pane_id == pane_id:
                control.watch.break_stream()

    def _on_clients(self, socket: str) -> None:
        for control in self._of(socket):
            if control.sized_by:
                self._do(control.yield_size())

    def _on_lost(self, socket: str) -> None:
        """Forget a connection that is lost. Viewers attach again, and that makes a new one."""
        self._feeds.pop(socket, None)
        for control in self._of(socket):
            control.watch.end("the connection to tmux is lost")
            self._controls.pop(control.watch.pane, None)

    def _leave(self, viewing: Viewing) -> None:
        watch = viewing.watch
        watch.viewings.discard(viewing)
        control = self._controls.get(watch.pane)
        if control is None or control.watch is not watch:
            return
        control.leave_keyboard(viewing)
        self._do(control.leave_size(viewing))
        watch.tell_change()
        if not watch.viewings:
            loop = asyncio.get_running_loop()
            self._lingering[watch.pane] = loop.call_later(LINGER_S, lambda: self._do(self._end(watch.pane)))

    async def _end(self, pane: Pane) -> None:
        self._lingering.pop(pane, None)
        async with self._opening:
            control = self._controls.get(pane)
            if control and not control.watch.viewings:
                del self._controls[pane]
                self._sessions = {one: other for one, other in self._sessions.items() if other != pane}
                await self._feeds[pane.socket].unlink(control.watch.window_id)

    def _do(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(_logged(work))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def close(self) -> None:
        """Give back all sizes, and end all connections, because the daemon stops."""
        for timer in self._lingering.values():
            timer.cancel()
        for control in list(self._controls.values()):
            control.watch.end("the daemon stops")
            with contextlib.suppress(HarkError):
                await control.leave_size()
        await asyncio.gather(*self._work)
        for feed in list(self._feeds.values()):
            await feed.close()


async def _logged(work: Coroutine[None, None, None]) -> None:
    try:
        await work
    except HarkError as failure:
        logger.info("a terminal could not be left as it was", extra={"code": failure.code, "detail": failure.detail})
