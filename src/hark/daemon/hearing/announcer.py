"""Tells people what agents announce, by the attached terminals, the desktop or a webhook: each signal at most once.

The announcer hears of a signal once, when the signal has become durable: a daemon that starts tells nobody about earlier signals. A
slow terminal, desktop or webhook gets a signal late or not at all; nothing waits for it.
"""

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial

import msgspec
from msgspec import Struct

from hark.daemon.core import Core
from hark.daemon.hearing.http_post import post
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.session.live import Part
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId
from hark.model.signal import SignalState
from hark.signals.telling import is_quiet, is_wanted, parse_hours, parse_rules, parse_ways, terminal_bytes, wording

MOST_WAITING = 200
DEADLINE_S = 10.0


class News(Struct, frozen=True, kw_only=True):
    session_id: SessionId
    session: str
    state: SignalState
    text: str
    source: str
    nudge_seq: int
    at: datetime

    @property
    def words(self) -> str:
        return wording(self.session, self.state, self.text)


class ToldSignal(Part):
    """The number of the last signal of one session that people were told about."""

    nudge_seq = 0


class Announcer:
    def __init__(self, core: Core, local_time: Callable[[], datetime]) -> None:
        self._sessions = core.sessions
        self._live = core.live
        self._panes = core.panes
        self._rules = parse_rules(core.config.notify)
        self._ways = parse_ways(core.config.notify_by)
        self._quiet = parse_hours(core.config.notify_quiet)
        self._webhook = core.config.notify_webhook
        self._local_time = local_time
        self._waiting: asyncio.Queue[News] = asyncio.Queue(MOST_WAITING)
        self._isolation = Isolation("announcer", rests=False)

    def on_event(self, event: Event) -> None:
        if event.kind is not EventKind.SIGNAL or not self._ways or event.session_id is None:
            return
        try:
            news = self._news(event, event.session_id)
        except HarkError:
            return
        last = self._live.of(news.session_id).part(ToldSignal)
        if last.nudge_seq >= news.nudge_seq or self._waiting.full():
            return
        last.nudge_seq = news.nudge_seq
        if is_wanted(self._rules, news.state, news.session) and not is_quiet(self._quiet, self._local_time().time()):
            self._waiting.put_nowait(news)

    async def run(self) -> None:
        while True:
            news = await self._waiting.get()
            for way in self._ways:
                await self._isolation.run(way, partial(self._tell_in_time, way, news))

    async def _tell_in_time(self, way: str, news: News) -> None:
        try:
            async with asyncio.timeout(DEADLINE_S):
                await self._tell(way, news)
        except (OSError, TimeoutError, HarkError) as failure:
            logger.warning(
                "a notification failed", extra={"way": way, "session": news.session, "detail": repr(failure)}
            )

    async def _tell(self, way: str, news: News) -> None:
        if way == "desktop":
            await _tell_desktop(news.words)
        elif way == "webhook":
            if self._webhook:
                await post(self._webhook, msgspec.json.encode(news), {}, DEADLINE_S)
        else:
            await self._tell_terminals(terminal_bytes(way, news.words))

    async def _tell_terminals(self, data: bytes) -> None:
        """Write to all attached terminals. A tmux server that does not answer does not keep the terminals of another server waiting."""
        for socket in {session.pane.socket for session in self._sessions.running()}:
            await self._isolation.run(socket, partial(self._tell_server, socket, data))

    async def _tell_server(self, socket: str, data: bytes) -> None:
        facts = await self._panes.server(socket).facts()
        for client in {client.name for client in facts.clients if client.name.startswith("/dev/")}:
            with contextlib.suppress(OSError):
                _write(client, data)

    def _news(self, event: Event, session_id: SessionId) -> News:
        return News(
            session_id=session_id,
            session=self._sessions.get(session_id).name,
            state=SignalState(event.data["state"]),
            text=event.data["text"],
            source=event.data.get("source", ""),
            nudge_seq=event.data["nudge_seq"],
            at=event.at,
        )


def _write(terminal: str, data: bytes) -> None:
    descriptor = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


async def _tell_desktop(words: str) -> None:
    command = _desktop_command(words)
    if command is None:
        return
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await process.wait()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise


_APPLE_SCRIPT = ("on run words", 'display notification (item 1 of words) with title "hark"', "end run")
"""The AppleScript that shows a notification. The words to show are an argument of the script, never a part of it."""


def _desktop_command(words: str) -> list[str] | None:
    if sys.platform == "darwin":
        return ["osascript", *(word for line in _APPLE_SCRIPT for word in ("-e", line)), "--", words]
    program = shutil.which("notify-send")
    return [program, "--app-name=hark", "--", "hark", words] if program else None
