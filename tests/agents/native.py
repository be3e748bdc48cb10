"""A real agent that is started as hark starts it for the native channel, and a client of that channel beside it."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from hark.agents.codex.native import SOCKET
from hark.agents.native.access import Facts, keep_secret
from hark.agents.native.channel import NativeChannel, Outcome, State
from hark.agents.native.find import find_channel
from hark.agents.native.launch import start
from hark.agents.native.pane_view import PaneView
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from tests.agents.launch import LAUNCHES
from tests.agents.running import COLUMNS, DEADLINE_S, ROWS, Agent, end_processes, end_tree
from tests.support.stand_in import StandIn
from tests.support.terminals import PrivateTmux, wait_until

Value = TypeVar("Value")
SESSION = "5e551011"
PASSWORD = "a password of this test"
CALL_DEADLINE_S = 60.0


@contextmanager
def native(kind: str, **options: object) -> Iterator[tuple[Agent, Path]]:
    """The agent, and the directory by which its channel is found."""
    with ExitStack() as owned:
        made = tempfile.TemporaryDirectory(prefix="hkn", dir="/tmp", ignore_cleanup_errors=True)
        root = Path(owned.enter_context(made)).resolve()
        door = root / "door"
        door.mkdir(mode=0o700)
        stand_in = owned.enter_context(StandIn())
        launch = LAUNCHES[kind](root, stand_in.url, **options)
        begun = start(kind, launch.command, launch.environment, door, PASSWORD)
        environment = launch.environment | begun.environment | {"HARK_SESSION": SESSION}
        launch = msgspec.structs.replace(launch, command=list(begun.words), environment=environment)
        if begun.secret:
            keep_secret(door, begun.secret)
        owned.callback(end_processes, root)
        tmux = owned.enter_context(PrivateTmux())
        pane = tmux.new(launch.words(), COLUMNS, ROWS)
        owned.callback(end_tree, int(tmux.read(pane, "#{pane_pid}")))
        agent = Agent(launch, pane, tmux, stand_in)
        agent.wait_ready()
        owned.callback(tidy, os.path.realpath(door / SOCKET))
        yield agent, door


def tidy(socket: str) -> None:
    """What Codex leaves in its own temporary directory when everything is killed at once."""
    for path in (socket, f"{socket}.lock"):
        Path(path).unlink(missing_ok=True)


class Client:
    """A channel in an event loop of its own, so that a test can wait for it as it waits for everything else."""

    def __init__(self, agent: Agent, door: Path) -> None:
        self._agent = agent
        self._door = door
        self.events: list[Heard] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def find(self) -> NativeChannel | None:
        return self.run(find_channel(self._facts()))

    def open(self) -> None:
        found = wait_until(lambda: [one for one in [self.find()] if one], DEADLINE_S, "the channel", self._screen)
        self.channel = found[0]
        self._listening = asyncio.run_coroutine_threadsafe(self._listen(), self._loop)

    def close(self) -> None:
        self._listening.cancel()
        self.run(self.channel.close())

    def deliver(self, message_id: str, text: str, **options: Any) -> Outcome:
        return self.run(self.channel.deliver([MessageId(message_id)], text, **options))

    def state(self) -> State:
        return self.run(self.channel.state())

    def interrupt(self) -> bool:
        return self.run(self.channel.interrupt())

    def said(self, message_id: str) -> list[Said]:
        return [event.said for event in list(self.events) if message_id in event.message_ids]

    def wait_said(self, message_id: str, *expected: Said) -> None:
        wait_until(
            lambda: self.said(message_id) == list(expected),
            DEADLINE_S,
            f"{expected} of {message_id}",
            lambda: self.events,
        )

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_DEADLINE_S)

    async def _listen(self) -> None:
        async for event in self.channel.events():
            self.events.append(event)

    def _facts(self) -> Facts:
        return Facts(
            kind=self._agent.launch.kind,
            session_id=SESSION,
            door=self._door,
            pane_pid=int(self._agent.tmux.read(self._agent.pane, "#{pane_pid}")),
            pane=self._pane,
        )

    async def _pane(self) -> PaneView:
        screen = await asyncio.to_thread(self._agent.screen)
        return PaneView(title=screen.title, rows=screen.rows)

    def _screen(self) -> str:
        return self._agent.screen().text
