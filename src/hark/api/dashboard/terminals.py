"""The live terminals of one page: it attaches to panes, and each has a task that sends what the pane shows."""

import asyncio
import contextlib
import struct
from collections.abc import Awaitable, Callable

from starlette.websockets import WebSocketDisconnect

from hark.api.dashboard import frames
from hark.api.dashboard.access import Viewer
from hark.daemon.process.clock import wall_clock
from hark.daemon.service import Service
from hark.daemon.viewing.control import Holder, PaneControl
from hark.daemon.viewing.watch import Changed, Ended, Piece, Shot, Viewing
from hark.model.errors import HarkError

MOST_TERMINALS = 64
SNAPSHOT, OUTPUT = 1, 2
_HEAD = struct.Struct(">BIQ")

SendFrame = Callable[[frames.ServerFrame], Awaitable[None]]
SendBytes = Callable[[bytes], Awaitable[None]]


class Attachment:
    """One terminal of a page."""

    def __init__(self, terminal: int, session_id: str, control: PaneControl, viewing: Viewing) -> None:
        self.terminal = terminal
        self.session_id = session_id
        self.control = control
        self.viewing = viewing
        self.size = (0, 0)
        self.pump: asyncio.Task[None] | None = None


class Terminals:
    def __init__(self, hark: Service, viewer: Viewer, send: SendFrame, send_bytes: SendBytes) -> None:
        self._hark = hark
        self._viewer = viewer
        self._send = send
        self._send_bytes = send_bytes
        self._attached: dict[int, Attachment] = {}

    @property
    def _browser_id(self) -> str:
        return self._viewer.browser.id if self._viewer.browser else "program"

    async def take(self, frame: frames.TerminalFrame, tasks: asyncio.TaskGroup) -> None:
        if isinstance(frame, frames.Attach):
            await self._attach(frame, tasks)
            return
        one = self._attached.get(frame.terminal)
        if one is None:
            if isinstance(frame, frames.Detach | frames.Received | frames.LeaveKeyboard | frames.LeaveSize):
                return
            raise HarkError("terminal-not-attached", f"terminal {frame.terminal} is not attached", "attach it first")
        match frame:
            case frames.Detach():
                self._detach(one)
            case frames.Received(seq=seq):
                one.viewing.received(seq)
            case frames.TakeSize(columns=columns, rows=rows):
                await one.control.take_size(one.viewing, self._browser_id, columns, rows)
            case frames.LeaveSize():
                await one.control.leave_size(one.viewing)
            case frames.TakeKeyboard():
                user, now = self._viewer.user, wall_clock()
                holder = Holder(viewing=one.viewing, browser_id=self._browser_id, user=user, since=now)
                one.control.take_keyboard(holder)
            case frames.LeaveKeyboard():
                one.control.leave_keyboard(one.viewing)
            case frames.Keys(data=data, is_binary=is_binary):
                keys = _key_bytes(data, is_binary=is_binary)
                tasks.create_task(self._press(one, keys))
            case frames.HistoryRequest():
                await self._send_history(one, frame)

    async def _press(self, one: Attachment, keys: bytes) -> None:
        """Press the keys, in a task of its own: while keys wait, the page can do other things. The keys themselves stay in order."""
        try:
            await one.control.press(one.viewing, keys)
        except HarkError as refusal:
            words = {"code": refusal.code, "detail": refusal.detail, "hint": refusal.hint}
            with contextlib.suppress(WebSocketDisconnect):
                await self._send(frames.RefusedFrame(re="keys", terminal=one.terminal, **words))

    async def _attach(self, frame: frames.Attach, tasks: asyncio.TaskGroup) -> None:
        if frame.terminal in self._attached:
            self._detach(self._attached[frame.terminal])
        if len(self._attached) >= MOST_TERMINALS:
            raise HarkError("loop-limit", f"a page may attach {MOST_TERMINALS} terminals", "detach some")
        session = self._hark.sessions.find(frame.session)
        control, viewing = await self._hark.terminal_views.open(session, frame.history)
        one = Attachment(frame.terminal, session.id, control, viewing)
        self._attached[frame.terminal] = one
        is_resumed = viewing.resume(frame.stream, frame.after)
        one.pump = tasks.create_task(self._pump(one, is_resumed=is_resumed))

    async def _pump(self, one: Attachment, *, is_resumed: bool) -> None:
        """Send what the pane shows until the terminal is detached, the pane is gone, or the page has gone."""
        with contextlib.suppress(WebSocketDisconnect):
            if is_resumed:
                await self._send_resumed(one)
            while True:
                news = await one.viewing.news()
                match news:
                    case Piece(position=position, data=data):
                        await self._send_bytes(_HEAD.pack(OUTPUT, one.terminal, position) + data)
                    case Shot():
                        await self._send_shot(one, news)
                    case Changed():
                        await self._send(self._viewers(one))
                    case Ended(reason=reason):
                        await self._send(frames.Ended(terminal=one.terminal, reason=reason))
                        break
        one.viewing.close()
        if self._attached.get(one.terminal) is one:
            del self._attached[one.terminal]

    async def _send_resumed(self, one: Attachment) -> None:
        """Say that the terminal goes on where it was. If even its size cannot be found out, it gets the bad news like everybody else."""
        try:
            await self._send_attached(one, await one.control.watch.shoot(0), is_resumed=True)
        except HarkError as failure:
            one.control.watch.end(failure.detail)

    async def _send_shot(self, one: Attachment, shot: Shot) -> None:
        if one.size == (0, 0):
            await self._send_attached(one, shot, is_resumed=False)
        elif one.size != (shot.columns, shot.rows):
            resized = frames.Resized(terminal=one.terminal, columns=shot.columns, rows=shot.rows, stream=shot.stream)
            await self._send(resized)
        one.size = (shot.columns, shot.rows)
        await self._send_bytes(_HEAD.pack(SNAPSHOT, one.terminal, shot.position) + shot.data)

    async def _send_attached(self, one: Attachment, shot: Shot, *, is_resumed: bool) -> None:
        one.size = (shot.columns, shot.rows)
        now = self._viewers(one)
        await self._send(
            frames.Attached(
                terminal=one.terminal,
                session_id=one.session_id,
                stream=shot.stream,
                columns=shot.columns,
                rows=shot.rows,
                history=shot.history,
                viewers=now.viewers,
                keyboard=now.keyboard,
                sized_by=now.sized_by,
                is_resumed=is_resumed,
            )
        )

    def _viewers(self, one: Attachment) -> frames.Viewers:
        holder, sized = one.control.keyboard, one.control.sized_by
        keyboard: frames.KeyboardInfo | None = None
        if holder:
            is_you = holder.viewing is one.viewing
            keyboard = frames.KeyboardInfo(
                browser_id=holder.browser_id, user=holder.user, is_you=is_you, since=holder.since
            )
        return frames.Viewers(
            terminal=one.terminal,
            viewers=len(one.control.watch.viewings),
            keyboard=keyboard,
            sized_by=sized[1] if sized else None,
        )

    async def _send_history(self, one: Attachment, frame: frames.HistoryRequest) -> None:
        pane = one.control.watch.pane
        first, total, text = await self._hark.panes.of(pane).scrollback(pane, frame.before, frame.lines)
        await self._send(
            frames.History(terminal=one.terminal, id=frame.id, first=first, total=total, text="\r\n".join(text))
        )

    def _detach(self, one: Attachment) -> None:
        del self._attached[one.terminal]
        one.viewing.close()
        if one.pump:
            one.pump.cancel()

    def close(self) -> None:
        for one in list(self._attached.values()):
            self._detach(one)


def _key_bytes(data: str, *, is_binary: bool) -> bytes:
    try:
        return data.encode("latin-1" if is_binary else "utf-8")
    except UnicodeEncodeError as wrong:
        raise HarkError("request-invalid", f"these are no keys: {wrong.reason}", "docs/dashboard.md") from wrong
