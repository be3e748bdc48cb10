"""Keeps the tmux servers that hold our sessions, and the output of their panes: one TmuxServer for each socket, one stream for each pane.

`wait_output` is how a delivery waits until a pane prints something. Prints are counted, so that nothing is missed that is printed
between a look at the screen and the wait for the next one.
"""

import asyncio
import fcntl
import os
import select
import struct
import termios
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hark.daemon.process.log import logger
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.streams import PaneStreams
from hark.terminal.tmux.facts import PaneFacts
from hark.terminal.tmux.server import TmuxServer

BLIND_LOOK_S = 0.02
"""Seconds between two looks at a pane that has no stream, because a human's own pipe-pane is in the way."""

TAIL = 4096

OutputListener = Callable[[bytes], None]


class PaneOutput:
    """What one pane has printed since we listen to it, and who waits for more."""

    def __init__(self) -> None:
        self.count = 0
        """The number of times that the pane has printed something."""
        self.printed_at_s: float | None = None
        self.waiters: set[asyncio.Event] = set()
        self.listeners: set[OutputListener] = set()
        self.tail = b""
        """The last bytes that the pane has printed, up to TAIL."""

    def wake(self) -> None:
        for event in self.waiters:
            event.set()

    def hand(self, data: bytes) -> None:
        for listener in tuple(self.listeners):
            listener(data)


@dataclass(frozen=True, kw_only=True)
class PaneListeners:
    """Who is told what panes do."""

    on_change: Callable[[str], None]
    """Called with the socket of a tmux server when its panes may have changed, or when the server is gone."""
    on_output: Callable[[Pane], None]
    """Called when a pane has printed something."""
    on_chunk: Callable[[Pane, bytes], None]
    """Called with every chunk that any pane prints, and with b"" when the pane's stream has ended: from then on output may be
    missing."""


class Panes:
    def __init__(
        self,
        pipes: Path,
        program: str,
        config: Sequence[str],
        own_config: Mapping[str, Sequence[str]],
        listeners: PaneListeners,
    ) -> None:
        """`config` names the configuration files that a tmux server is started with; `own_config` names those of particular servers, by
        their sockets."""
        self._program = program
        self._config = config
        self._own_config = own_config
        self._servers: dict[str, TmuxServer] = {}
        self._streams = PaneStreams(pipes, self._printed, self._stream_closed)
        self._outputs: dict[Pane, PaneOutput] = defaultdict(PaneOutput)
        self._listeners = listeners

    def open(self) -> None:
        self._streams.open()

    def keep(self) -> bool:
        """Listen again for the pipes of panes if the socket's file has vanished. Return True if it had."""
        return self._streams.keep()

    async def close(self) -> None:
        self._streams.close()
        for server in self._servers.values():
            await server.close()

    def server(self, socket: str) -> TmuxServer:
        if socket not in self._servers:
            config = self._own_config.get(socket, self._config)
            self._servers[socket] = TmuxServer(
                socket, lambda server: self._listeners.on_change(server.socket), self._program, config
            )
        return self._servers[socket]

    async def leave_unused(self, used: set[str], unused_s: float) -> None:
        """Disconnect from servers that have no session of ours: otherwise our connection would keep them alive."""
        for socket, server in list(self._servers.items()):
            if socket not in used:
                await server.leave_if_unused(unused_s)

    def of(self, pane: Pane) -> TmuxServer:
        return self.server(pane.socket)

    async def watch(self, pane: Pane) -> bool:
        """Start the pane's output stream. Return False if the pane cannot have one."""
        if self._streams.is_open(pane):
            return True
        try:
            is_streaming = await self._streams.attach(self.of(pane), pane)
        except HarkError as failure:
            logger.warning(
                "no output stream", extra={"pane": pane.pane_id, "code": failure.code, "detail": failure.detail}
            )
            return False
        if not is_streaming:
            logger.info(
                "the pane has another pipe: hark looks at its screen instead of reading its output",
                extra={"pane": pane.pane_id},
            )
        return is_streaming

    def is_streaming(self, pane: Pane) -> bool:
        return self._streams.is_open(pane)

    def printed_count(self, pane: Pane) -> int:
        return self._outputs[pane].count

    def quiet_s(self, pane: Pane) -> float | None:
        """Return how many seconds the pane has printed nothing, since we listen to it; None if we do not listen to it."""
        if not self._streams.is_open(pane):
            return None
        now_s = asyncio.get_running_loop().time()
        output = self._outputs[pane]
        if output.printed_at_s is None:
            output.printed_at_s = now_s
        return now_s - output.printed_at_s

    def tail(self, pane: Pane) -> bytes:
        """Return the last bytes that the pane has printed."""
        return self._outputs[pane].tail

    async def wait_output(self, pane: Pane, since: int, within_s: float) -> None:
        """Wait until the pane has printed something after its print count was `since`, for at most `within_s` seconds. Without a stream,
        wait for `BLIND_LOOK_S`."""
        if not self._streams.is_open(pane):
            await asyncio.sleep(min(within_s, BLIND_LOOK_S))
            return
        output = self._outputs[pane]
        if output.count != since:
            return
        event = asyncio.Event()
        output.waiters.add(event)
        try:
            async with asyncio.timeout(within_s):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            output.waiters.discard(event)

    def listen(self, pane: Pane, listener: OutputListener) -> Callable[[], None]:
        """Call `listener` with every chunk that the pane prints from now on, and with b"" when the stream ends. Return a function that
        ends the listening."""
        output = self._outputs[pane]
        output.listeners.add(listener)
        return lambda: output.listeners.discard(listener)

    def hang_up(self) -> None:
        """Tell all listeners that nothing more will come."""
        for output in list(self._outputs.values()):
            output.hand(b"")

    def forget(self, pane: Pane) -> None:
        """Tell the pane's listeners that nothing more will come, and forget all that is known about the pane."""
        self._outputs.pop(pane, PaneOutput()).hand(b"")
        if server := self._servers.get(pane.socket):
            server.past_holds.pop(pane.pane_id, None)

    def _printed(self, pane: Pane, data: bytes) -> None:
        output = self._outputs[pane]
        output.count += 1
        output.printed_at_s = asyncio.get_running_loop().time()
        output.wake()
        output.hand(data)
        output.tail = data[-TAIL:] if len(data) >= TAIL else (output.tail + data)[-TAIL:]
        self._listeners.on_chunk(pane, data)
        self._listeners.on_output(pane)

    def _stream_closed(self, pane: Pane) -> None:
        if output := self._outputs.get(pane):
            output.wake()
            output.hand(b"")
        self._listeners.on_chunk(pane, b"")
        self._listeners.on_change(pane.socket)


class LineFacts(NamedTuple):
    """What the kernel knows about a pane's terminal."""

    is_line_mode: bool = False
    """True if the terminal collects whole lines: then no program is reading keys."""
    unread_bytes: int = 0
    """The number of bytes that were written to the program and that it has not read yet."""


def line_facts(facts: PaneFacts) -> LineFacts:
    try:
        descriptor = os.open(facts.tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return LineFacts()
    try:
        # A worker of the kernel moves what was written to the reader's side; only a poll waits for that worker.
        select.select([descriptor], [], [], 0)
        unread: int = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0]
        return LineFacts(bool(termios.tcgetattr(descriptor)[3] & termios.ICANON), unread)
    except (OSError, termios.error):
        return LineFacts()
    finally:
        os.close(descriptor)
