"""The WebSocket `/live`: a snapshot and what follows, alerts, and live terminals, on one connection for each page.

Events are read from the store by each connection at its own pace, so a slow page loses nothing and keeps nobody waiting. Everything else
that is sent says how things are now, so what has not been sent yet can be replaced by what is newer: nothing is queued without a limit.
"""

import asyncio
import contextlib

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hark.api.calls.system import event_info
from hark.api.dashboard import frames
from hark.api.dashboard.access import Me, Viewer, me_info, viewer_of
from hark.api.dashboard.board import Board
from hark.api.dashboard.shapes import LastLine, Snapshot
from hark.api.dashboard.terminals import Terminals
from hark.api.service import service_of
from hark.daemon.process.clock import wall_clock
from hark.daemon.process.log import logger
from hark.daemon.service import Service
from hark.daemon.viewing.alerts import Listener, Looker, Page, Report
from hark.daemon.viewing.last_lines import Line
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.queue.reports.needs import is_working

HELLO_S = 30.0
"""Seconds within which a page must say hello."""
ROWS_EVERY_S = 0.05
"""Seconds between two looks for rows that have changed: a burst of events makes one new row."""
MOST_BEHIND = 20_000
"""How many events a page may have missed and still get them one by one; after more it gets a snapshot."""
LARGEST_FRAME = 1_000_000
_DECODER: msgspec.json.Decoder[frames.AnyClientFrame] = msgspec.json.Decoder(frames.AnyClientFrame)
REVOKED, SLOW = 4001, 4002


async def make_snapshot(hark: Service, board: Board, viewer: Viewer, me: Me) -> Snapshot:
    """Return what is there now. The seq is read first: what happens meanwhile may be in the rows already and is sent again, and nothing
    is left out."""
    seq = await hark.record.last_event_seq()
    seen = await hark.alerts.seen(viewer.user)
    rows = await board.all(viewer.user)
    working = sum(is_working(session, hark.turns.of(session.id)) for session in hark.sessions.running())
    return Snapshot(
        seq=seq,
        at=wall_clock(),
        instance=hark.instance,
        me=me,
        sessions=rows,
        working=working,
        away_after=seen.get("away", 0),
    )


class Connection:
    """One page's connection."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._hark = service_of(socket)
        self._board: Board = socket.app.state.board
        self._viewer = viewer_of(socket)
        self._me = me_info(socket)
        self._sending = asyncio.Lock()
        self._changed: set[str] = set()
        self._notes: dict[str, frames.ServerFrame] = {}
        self._lines: dict[str, LastLine] = {}
        self._stirred = asyncio.Event()
        self._seq = 0
        self._bye: tuple[str, int] | None = None
        looker = Looker(
            user=self._viewer.user,
            browser_id=self._me.browser_id,
            is_read_only=self._viewer.is_read_only,
        )
        self._page = Page(looker, Listener(on_acknowledged=self._on_acknowledged, on_presence=self._on_presence))
        self._terminals = Terminals(self._hark, self._viewer, self.send, self.send_bytes)

    async def run(self) -> None:
        async with asyncio.timeout(HELLO_S):
            hello = await self._receive()
        if not isinstance(hello, frames.Hello):
            raise HarkError("request-invalid", "the first frame must be hello", "docs/dashboard.md")
        after = await self._greet(hello)
        stops = [self._hark.alerts.join(self._page), self._hark.last_lines.listen(self._on_lines)]
        if self._viewer.browser:
            stops.append(self._hark.browsers.connect(self._viewer.browser.id, lambda: self._end("revoked", REVOKED)))
        try:
            async with asyncio.TaskGroup() as tasks:
                mine = [tasks.create_task(one) for one in (self._follow(after), self._tell_changes())]
                await self._listen(tasks)
                self._terminals.close()
                for task in mine:
                    task.cancel()
        finally:
            self._terminals.close()
            for stop in stops:
                stop()

    async def _greet(self, hello: frames.Hello) -> int:
        """Send the snapshot, or what the page has missed. Return the seq after which the page has to be told of events."""
        newest = await self._hark.record.last_event_seq()
        after = hello.after
        is_resumed = after is not None and newest - MOST_BEHIND <= after <= newest and await self._has_all(after)
        await self.send(frames.Welcome(me=self._me, seq=newest, is_resumed=is_resumed))
        if is_resumed and after is not None:
            for row in await self._board.all(self._viewer.user):
                await self.send(frames.SessionFrame(seq=newest, session=row))
            return after
        snapshot = await make_snapshot(self._hark, self._board, self._viewer, self._me)
        await self.send(frames.SnapshotFrame(snapshot=snapshot))
        return snapshot.seq

    async def _has_all(self, after: int) -> bool:
        """Return True if no event after `after` was forgotten since."""
        first = await self._hark.record.events(after=after, limit=1)
        oldest = await self._hark.record.events(after=0, limit=1)
        return not first or not oldest or oldest[0].seq <= after + 1

    async def _listen(self, tasks: asyncio.TaskGroup) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                try:
                    frame = await self._receive()
                except HarkError as refusal:
                    await self._refuse("", None, refusal)
                    continue
                await self._take(frame, tasks)

    async def _receive(self) -> frames.AnyClientFrame:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        data = message.get("text") or message.get("bytes") or b""
        try:
            if len(data) > LARGEST_FRAME:
                raise msgspec.DecodeError("the frame is too long")
            return _DECODER.decode(data)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
            raise HarkError("request-invalid", f"the frame is not valid: {wrong}", "docs/dashboard.md") from wrong

    async def _take(self, frame: frames.AnyClientFrame, tasks: asyncio.TaskGroup) -> None:
        terminal = getattr(frame, "terminal", None)
        try:
            if self._viewer.is_read_only and isinstance(frame, frames.WRITES):
                raise HarkError("read-only", "this link may only look", "run `hark dashboard` without --read-only")
            if isinstance(frame, frames.TerminalFrame):
                await self._terminals.take(frame, tasks)
            else:
                await self._take_note(frame)
        except HarkError as refusal:
            await self._refuse(str(type(frame).__struct_config__.tag), terminal, refusal)

    async def _take_note(self, frame: frames.AnyClientFrame) -> None:
        alerts = self._hark.alerts
        match frame:
            case frames.AcknowledgeFrame(subject=subject, seq=seq):
                await alerts.acknowledge(self._viewer.user, subject, seq)
                if message_id := subject.partition("message:")[2]:
                    message = await self._hark.mailbox.find(message_id)
                    self._on_changed(message.session_id)
            case frames.Claim(session_id=session_id, nudge_seq=nudge_seq):
                reason = await alerts.claim(self._page, session_id, nudge_seq)
                answer = frames.Claimed(session_id=session_id, nudge_seq=nudge_seq, is_yours=not reason, reason=reason)
                await self.send(answer)
            case frames.Notified():
                report = Report(
                    session_id=frame.session_id,
                    nudge_seq=frame.nudge_seq,
                    channel=frame.channel,
                    outcome=frame.outcome,
                    reason=frame.reason,
                )
                await alerts.report(self._page.looker, report)
            case frames.Presence():
                is_focused = frame.is_visible and frame.is_focused
                await alerts.look(self._page, is_focused=is_focused, session_id=frame.session_id)
            case frames.Ping(id=ping_id):
                await self.send(frames.Pong(id=ping_id))
            case _:
                raise HarkError("request-invalid", "hello was said already", "docs/dashboard.md")

    async def _refuse(self, to: str, terminal: int | None, error: HarkError) -> None:
        await self.send(
            frames.RefusedFrame(re=to, terminal=terminal, code=error.code, detail=error.detail, hint=error.hint)
        )

    async def _follow(self, after: int) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            async for event in self._hark.bus.follow(after):
                await self.send(frames.EventFrame(event=event_info(event)))
                self._seq = event.seq
                await self._note_event(event)
            self._end("stopping", 1001)

    async def _note_event(self, event: Event) -> None:
        if event.session_id is None:
            return
        if event.kind is EventKind.SESSION_FORGOTTEN:
            self._changed.discard(event.session_id)
            await self.send(frames.Forgotten(seq=event.seq, session_id=event.session_id))
        else:
            self._on_changed(event.session_id)

    async def _tell_changes(self) -> None:
        """Send what has changed: rows, last lines, acknowledgements, presence; and good-bye at the end."""
        with contextlib.suppress(WebSocketDisconnect):
            while self._bye is None:
                await self._stirred.wait()
                self._stirred.clear()
                await self._send_changes()
                if self._bye is None:
                    await asyncio.sleep(ROWS_EVERY_S)
            reason, code = self._bye
            await self.send(frames.Bye(reason=reason))
            async with self._sending:
                await self._socket.close(code, reason)

    async def _send_changes(self) -> None:
        changed, self._changed = self._changed, set()
        notes, self._notes = self._notes, {}
        lines, self._lines = self._lines, {}
        for note in notes.values():
            await self.send(note)
        for row in await self._board.of(sorted(changed), self._viewer.user):
            await self.send(frames.SessionFrame(seq=self._seq, session=row))
        if lines:
            await self.send(frames.Lines(lines=lines))

    def _on_changed(self, session_id: str) -> None:
        self._changed.add(session_id)
        self._stirred.set()

    def _on_acknowledged(self, subject: str, seq: int) -> None:
        self._notes[subject] = frames.AcknowledgedFrame(subject=subject, seq=seq)
        self._stirred.set()

    def _on_presence(self, others: int) -> None:
        self._notes["\0presence"] = frames.PresenceFrame(others_focused=others)
        self._stirred.set()

    def _on_lines(self, lines: dict[str, Line]) -> None:
        self._lines |= {session_id: LastLine(text=line.text, at=line.at) for session_id, line in lines.items()}
        self._stirred.set()

    def _end(self, reason: str, code: int) -> None:
        self._bye = self._bye or (reason, code)
        self._stirred.set()

    async def send(self, frame: frames.ServerFrame) -> None:
        text = msgspec.json.encode(frame).decode()
        async with self._sending:
            self._check_open()
            await self._socket.send_text(text)

    def _check_open(self) -> None:
        if self._socket.application_state is not WebSocketState.CONNECTED:
            raise WebSocketDisconnect(1006)

    async def send_bytes(self, data: bytes) -> None:
        async with self._sending:
            self._check_open()
            await self._socket.send_bytes(data)


async def follow_live(socket: WebSocket) -> None:
    if socket.scope.get("hark_caller") is not None:
        await socket.close(1008, "this connection is not for agents")
        return
    await socket.accept()
    try:
        await Connection(socket).run()
    except* (WebSocketDisconnect, TimeoutError):
        pass
    except* HarkError as refusals:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(1008, str(refusals.exceptions[0])[:120])
    except* Exception:  # noqa: BLE001 the border of the API: a page that trips over a mistake of ours harms nobody else
        logger.exception("a live connection failed")
