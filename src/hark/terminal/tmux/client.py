"""One connection to one tmux server: `tmux -C` attached to a hidden session of ours, over plain pipes.

Commands are pipelined and answered in order. Every call has a deadline; a late answer is dropped, the order is kept.
The hidden session is never an agent's (attaching sends a focus event into programs and spoils activity times), does not
count for window sizes, and destroys itself when its last client is gone, so that a killed daemon leaves nothing behind.
"""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable
from typing import cast

from hark.model.errors import HarkError
from hark.terminal.tmux.commands import Line, command, line
from hark.terminal.tmux.control import ControlParser, Exited, Notice, Output, Reply
from hark.terminal.tmux.orphans import (
    HIDDEN_SESSION,
    end_orphans,
    hidden_program,
    may_have_orphans,
    which_version,
    who_is_attached,
)

FLAGS = "no-output,ignore-size"
OUTPUT_FLAGS = "ignore-size,pause-after=1"
"""The flags of a client that is told what panes print. If it does not read for a second, tmux pauses what it tells, and never the pane."""

# A hook ends the session, not the option destroy-unattached: with that option tmux (up to 3.7 at least) can crash when a control client
# ends in the moment in which another client disconnects, and takes all agents with it (tmux pull request 5497).
_END_WITH_LAST_CLIENT = command(
    "set-hook",
    "-t",
    f"={HIDDEN_SESSION}:",
    "client-detached",
    f"if-shell -F -t ={HIDDEN_SESSION}: '#{{==:#{{session_attached}},0}}' 'kill-session -t ={HIDDEN_SESSION}'",
)


class Call:
    def __init__(self, line: Line, answer: asyncio.Future[list[Reply]]) -> None:
        self.line = line
        self.answer = answer
        self.on_answered: Callable[[], None] | None = None
        """The function to call when the whole line is answered, before anything is read that came after the answer."""
        self.replies: list[Reply] = []

    def take(self, reply: Reply) -> bool:
        """Add a reply; return True if the whole line is answered now."""
        self.replies.append(reply)
        if not (reply.is_error or len(self.replies) == self.line.replies):
            return False
        if not self.answer.done():
            self.answer.set_result(self.replies)
        if self.on_answered:
            self.on_answered()
        return True


class ControlClient(asyncio.SubprocessProtocol):
    def __init__(
        self,
        on_notice: Callable[[Notice], None],
        on_lost: Callable[[], None],
        on_output: Callable[[Output], None] | None = None,
    ) -> None:
        """With `on_output`, the client is told what the panes of the hidden session print."""
        self._parser = ControlParser()
        self._calls: deque[Call] = deque()
        self._on_notice = on_notice
        self._on_lost = on_lost
        self._on_output = on_output
        self._errors = b""
        self._attached = asyncio.get_running_loop().create_future()
        self._ended = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None

    @classmethod
    async def connect(
        cls,
        tmux: list[str],
        environment: dict[str, str],
        on_notice: Callable[[Notice], None],
        on_lost: Callable[[], None],
        deadline_s: float,
        on_output: Callable[[Output], None] | None = None,
    ) -> "ControlClient":
        """Attach to the server, and end the control clients that earlier daemons left behind. `tmux` is the program with the options that
        choose the server."""
        loop = asyncio.get_running_loop()
        flags = OUTPUT_FLAGS if on_output else FLAGS
        hidden = ["new-session", "-A", "-s", HIDDEN_SESSION, "-x", "80", "-y", "24", "-f", flags, hidden_program()]
        try:
            _, client = await loop.subprocess_exec(
                lambda: cls(on_notice, on_lost, on_output),
                *tmux,
                "-C",
                *hidden,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError) as missing:
            raise tmux_missing(tmux[0]) from missing
        try:
            await asyncio.wait_for(asyncio.shield(client._attached), deadline_s)
            await client.run(line(_END_WITH_LAST_CLIENT), deadline_s)
            [version] = await client.run(which_version(), deadline_s)
            [clients] = await client.run(who_is_attached(), deadline_s)
            attached = frozenset(map(int, clients.lines))
            if may_have_orphans(b"".join(version.lines).decode(), attached):
                await end_orphans(tmux[tmux.index("-S") + 1], attached)
        except TimeoutError:
            client._attached.cancel()
            await client.close()
            raise HarkError(
                "tmux-timeout",
                f"tmux did not answer within {deadline_s:g} s",
                "try again when the machine is less busy",
            ) from None
        except HarkError:
            await client.close()
            raise
        return client

    @property
    def is_lost(self) -> bool:
        return self._ended.done()

    @property
    def is_busy(self) -> bool:
        """True while an answer is awaited."""
        return bool(self._calls)

    async def run(
        self, line: Line, deadline_s: float = 5.0, on_answered: Callable[[], None] | None = None
    ) -> list[Reply]:
        """Return the replies of the line's commands. Raise `tmux-failed` with tmux's own words if one of the commands failed.
        `on_answered` is called before any output is told that came after the answer."""
        if self.is_lost or self._transport is None:
            raise tmux_gone()
        call = Call(line, asyncio.get_running_loop().create_future())
        call.on_answered = on_answered
        self._calls.append(call)
        stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        stdin.write(line.text.encode() + b"\n")
        try:
            replies = await asyncio.wait_for(call.answer, deadline_s)
        except TimeoutError:
            raise HarkError(
                "tmux-timeout",
                f"tmux did not answer within {deadline_s:g} s",
                "try again when the machine is less busy",
            ) from None
        if replies[-1].is_error:
            words = b" ".join(replies[-1].lines).decode("utf-8", "replace")
            raise HarkError("tmux-failed", f"tmux says: {words}", "`hark ls` shows which panes are still there")
        return replies

    async def close(self) -> None:
        """Close our end of the pipe, which makes tmux detach us, and wait until our client process has ended."""
        if self._transport is None:
            return
        if stdin := self._transport.get_pipe_transport(0):
            stdin.close()
        try:
            await asyncio.wait_for(asyncio.shield(self._ended), 2.0)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()
            await self._ended
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._errors += data[:1000]
            return
        for event in self._parser.receive(data):
            match event:
                case Reply():
                    self._take(event)
                case Output():
                    if self._on_output:
                        self._on_output(event)
                case Notice():
                    self._on_notice(event)
                case Exited():
                    self._fail_calls()

    def connection_lost(self, error: Exception | None) -> None:
        """Fail all open calls and call `on_lost`: the client process has ended, and everything that it wrote was read."""
        assert self._transport is not None
        self._transport.close()
        if not self._attached.done():
            words = self._errors.decode("utf-8", "replace").strip() or "tmux ended at once"
            self._attached.set_exception(
                HarkError("tmux-gone", f"no connection to tmux: {words}", "check that the tmux server still runs")
            )
        self._ended.set_result(None)
        self._fail_calls()
        self._on_lost()

    def _take(self, reply: Reply) -> None:
        if not reply.is_ours:
            self._take_attach(reply)
        elif self._calls and self._calls[0].take(reply):
            self._calls.popleft()

    def _take_attach(self, reply: Reply) -> None:
        if self._attached.done():
            return
        if reply.is_error:
            self._errors += b" ".join(reply.lines)
        else:
            self._attached.set_result(None)

    def _fail_calls(self) -> None:
        while self._calls:
            answer = self._calls.popleft().answer
            if not answer.done():
                answer.set_exception(tmux_gone())


def tmux_gone() -> HarkError:
    return HarkError("tmux-gone", "the tmux server is gone", "start the agent again with `hark new`")


def tmux_missing(program: str) -> HarkError:
    return HarkError(
        "tmux-missing",
        f"{program}: command not found",
        "install tmux 3.3 or newer: apt-get install tmux, or brew install tmux",
    )


_KEPT = frozenset(
    ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TMUX_TMPDIR", "TZ", "USER", "XDG_CONFIG_HOME")
)


def clean_environment() -> dict[str, str]:
    """Return the few variables of our environment that tmux gets. A server that we start gives its environment to every pane, and an
    agent must see the variables of whoever started it, not the daemon's."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    return kept | {"TERM": os.environ.get("TERM", "xterm-256color")}
