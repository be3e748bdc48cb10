"""One pane that somebody looks at: the newest of its output, and its viewers.

Each viewer reads the ring at its own pace. A viewer that is slower than the pane falls out of the ring and gets a new picture; the pane,
tmux and the other viewers do not notice. A viewer that has come back goes on where it was, if the ring still has that place.
"""

import asyncio
import secrets
from collections.abc import Callable

from msgspec import Struct, structs

from hark.daemon.panes import Panes
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.viewing.feed import Feed
from hark.terminal.viewing.pen import Pen, pen_after, unfinished_character
from hark.terminal.viewing.picture import paint
from hark.terminal.viewing.ring import Ring

RING = 2 * 1024 * 1024
WINDOW = 100_000
"""How many bytes may be on their way to a viewer that it has not acknowledged."""
FRAME = 32768
FRESH = 65536
"""A picture serves another viewer as long as the pane has printed no more than this since."""
PICTURE_EVERY_S = 0.2


class Shot(Struct, frozen=True, kw_only=True):
    """A picture, as bytes for a fresh terminal of that size, and the place of the stream from which the output goes on."""

    position: int
    data: bytes
    columns: int
    rows: int
    history: int
    stream: str
    asked: int
    """How many lines of history were asked for."""


class Piece(Struct, frozen=True):
    """Output, up to a position of the stream."""

    position: int
    data: bytes


class Ended(Struct, frozen=True):
    reason: str


class Changed(Struct, frozen=True):
    """Somebody has come or gone, or has taken or left the keyboard or the size."""


News = Shot | Piece | Ended | Changed


class PaneWatch:
    def __init__(self, pane: Pane, feed: Feed, panes: Panes) -> None:
        self.pane = pane
        self.window_id = ""
        self.stream = secrets.token_hex(8)
        self.ring = Ring(RING)
        self.viewings: set[Viewing] = set()
        self.ended: str | None = None
        self._feed = feed
        self._panes = panes
        self._shot: Shot | None = None
        self._shooting = asyncio.Lock()
        self._pen = Pen()
        self._tail = b""
        self._cut: tuple[int, Pen, bytes] = (0, Pen(), b"")

    async def begin(self) -> None:
        self.window_id = await self._feed.link(self.pane)
        # What the pane has printed before we listened decides how its next characters look.
        before = self._panes.tail(self.pane)
        self._pen, self._tail = pen_after(Pen(), before), before[-4:]

    def take(self, data: bytes) -> None:
        self.ring.add(data)
        self._pen = pen_after(self._pen, data)
        self._tail = (self._tail + data)[-4:]
        self.wake()

    def break_stream(self) -> None:
        """Give every viewer a new picture: output was lost, or the pane has another size."""
        self.stream, self._shot = secrets.token_hex(8), None
        for viewing in self.viewings:
            viewing.needs_picture = True
        self.wake()

    def end(self, reason: str) -> None:
        self.ended = self.ended or reason
        self.wake()

    def wake(self) -> None:
        for viewing in self.viewings:
            viewing.wake.set()

    def tell_change(self) -> None:
        for viewing in self.viewings:
            viewing.has_change = True
        self.wake()

    async def shoot(self, history: int) -> Shot:
        """Return a picture from which a viewer can go on."""
        async with self._shooting:
            shot = self._shot
            if shot and shot.asked == history and self._is_fresh(shot):
                return shot
            picture = await self._feed.picture(self.pane, history, self._on_cut)
            position, pen, unfinished = self._cut
            state = picture.state
            self._pen = structs.replace(self._pen, is_alternate=self._pen.is_alternate or bool(state["alternate_on"]))
            if shot and (shot.columns, shot.rows) != (state.columns, state.rows):
                self.break_stream()
            self._shot = Shot(
                position=position,
                data=paint(picture, pen, unfinished),
                columns=state.columns,
                rows=state.rows,
                history=state["history_size"],
                stream=self.stream,
                asked=history,
            )
            return self._shot

    def _is_fresh(self, shot: Shot) -> bool:
        return self.ring.has(shot.position) and self.ring.end - shot.position <= FRESH

    def _on_cut(self) -> None:
        self._cut = (self.ring.end, self._pen, unfinished_character(self._tail))


class Viewing:
    """One viewer of a pane. `news` returns, one after the other, what to show it."""

    def __init__(self, watch: PaneWatch, history: int, on_close: Callable[["Viewing"], None]) -> None:
        self.watch = watch
        self.wake = asyncio.Event()
        self.needs_picture = True
        self.has_change = False
        self._history = history
        self._position = 0
        self._received = 0
        self._shown_at_s = 0.0
        self._on_close = on_close
        self._is_closed = False

    def resume(self, stream: str | None, after: int | None) -> bool:
        """Go on after a position of the stream, if everything from there on is still known. Return True if so."""
        if after is None or stream != self.watch.stream or not self.watch.ring.has(after):
            return False
        self._position = self._received = after
        self.needs_picture = False
        return True

    def received(self, position: int) -> None:
        self._received = max(self._received, min(position, self._position))
        self.wake.set()

    async def news(self) -> News:
        while True:
            self.wake.clear()
            if self.has_change:
                self.has_change = False
                return Changed()
            # A viewer that has not taken in what it was sent gets nothing more, not even a picture.
            is_free = self._position - self._received < WINDOW
            if is_free and (self.needs_picture or not self.watch.ring.has(self._position)):
                return await self._picture()
            if is_free and self._position < self.watch.ring.end:
                data = self.watch.ring.read(self._position, FRAME)
                self._position += len(data)
                return Piece(self._position, data)
            if self.watch.ended is not None:
                return Ended(self.watch.ended)
            await self.wake.wait()

    async def _picture(self) -> News:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._shown_at_s + PICTURE_EVERY_S - loop.time()))
        self.needs_picture = False
        try:
            shot = await self.watch.shoot(self._history)
        except HarkError as failure:
            self.watch.end(failure.detail)
            return Ended(self.watch.ended or failure.detail)
        self._shown_at_s = loop.time()
        self._position = self._received = shot.position
        self.needs_picture = shot.stream != self.watch.stream
        return shot

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._on_close(self)
