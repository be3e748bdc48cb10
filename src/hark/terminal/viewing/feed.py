"""The output of the panes of one tmux server that somebody looks at, on a control connection of its own.

tmux tells a control client only about windows of its own session, and attaching to an agent's session would be noticed by the agent. So a
window is linked into our hidden session while somebody looks at it. On this one connection tmux queues output before it draws it, and
answers stand in the same queue: what came before the answer to `capture-pane` is in the picture, and what comes after it is not.

A linked window outlives the session that it belongs to. If a human ends that session meanwhile, the feed ends the window, as tmux would
have done. And a program that opens a window beside its own may get it in our hidden session: the feed moves it to where it belongs.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine

from msgspec import Struct

from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.tmux.client import ControlClient
from hark.terminal.tmux.commands import command, line
from hark.terminal.tmux.control import Notice, Output
from hark.terminal.tmux.expansion import Format
from hark.terminal.tmux.orphans import HIDDEN_SESSION
from hark.terminal.tmux.server import TmuxServer
from hark.terminal.viewing.picture import Picture, questions, read_picture

SIZE_MARK = "@hark-size"
"""The option of a window that says what its size and its `window-size` were before somebody took its size."""
_HIDDEN = f"={HIDDEN_SESSION}:"
_LINKED = Format("#{window_id} #{window_linked_sessions}")
_SIZED = Format(f"#{{window_id}} #{{{SIZE_MARK}}}")
_OWN = Format("#{window_id} #{window_linked}")
PICTURE_S = 10.0


class FeedListeners(Struct, frozen=True, kw_only=True):
    on_output: Callable[[str, bytes], None]
    """Called with the id of a pane and what it prints."""
    on_layout: Callable[[str], None]
    """Called with the id of a window whose size or layout has changed."""
    on_paused: Callable[[str], None]
    """Called with the id of a pane of which output was lost, because we read too slowly."""
    on_clients: Callable[[], None]
    """Called when a human's terminal has come, or has gone to another session."""
    on_lost: Callable[[], None]


class Feed:
    def __init__(self, server: TmuxServer, listeners: FeedListeners) -> None:
        self._server = server
        self._listeners = listeners
        self._client: ControlClient | None = None
        self._opening = asyncio.Lock()
        self._linking = asyncio.Lock()
        self._linked: dict[str, int] = {}
        self._own: set[str] = set()
        """The windows of the hidden session that are its own."""
        self._newest = ""
        """The pane that has printed last."""
        self._checks: set[asyncio.Task[None]] = set()

    async def _connected(self) -> ControlClient:
        async with self._opening:
            if self._client is None or self._client.is_lost:
                self._linked.clear()
                self._client = await self._server.open_output(self._on_output, self._on_notice, self._on_lost)
                await self._clean_up(self._client)
            return self._client

    async def _clean_up(self, client: ControlClient) -> None:
        """Undo what a daemon has left behind that was killed while somebody looked."""
        asked = line(command("list-windows", "-t", _HIDDEN, "-F", _OWN), command("list-windows", "-a", "-F", _SIZED))
        own, sized = await client.run(asked)
        for text in self._server.text(own):
            window_id, is_linked = text.split(" ")
            if is_linked != "1":
                self._own.add(window_id)
            else:
                await client.run(line(command("unlink-window", "-t", f"{_HIDDEN}{window_id}")))
        for text in dict.fromkeys(self._server.text(sized)):
            window_id, _, before = text.partition(" ")
            if before:
                await restore_size(self._server, window_id, before)

    async def link(self, pane: Pane) -> str:
        """Listen to the pane's window, and return the window's id."""
        async with self._linking:
            return await self._link(pane)

    async def _link(self, pane: Pane) -> str:
        client = await self._connected()
        [shown] = await client.run(
            line(command("display-message", "-p", "-t", pane.pane_id, Format("#{pane_pid} #{window_id}")))
        )
        pid, _, window_id = self._server.text(shown)[0].partition(" ")
        if pid != str(pane.pid):
            raise gone(pane)
        if window_id not in self._linked:
            await client.run(line(command("link-window", "-d", "-s", window_id, "-t", _HIDDEN)))
        self._linked[window_id] = self._linked.get(window_id, 0) + 1
        return window_id

    async def unlink(self, window_id: str) -> None:
        """Stop listening to a window, if nobody else listens to it."""
        left = self._linked.get(window_id, 0) - 1
        if left > 0:
            self._linked[window_id] = left
        elif self._linked.pop(window_id, None) and self._client and not self._client.is_lost:
            # Without -k tmux refuses to unlink a window that no other session has; such a window must end.
            await self._client.run(line(command("unlink-window", "-k", "-t", f"{_HIDDEN}{window_id}")))
        if not self._linked and self._client:
            client, self._client = self._client, None
            await client.close()

    async def picture(self, pane: Pane, history: int, on_cut: Callable[[], None]) -> Picture:
        """Return what the pane shows. `on_cut` is called after the last output that is in the picture, and before the first that is not."""
        client = await self._connected()
        go_on = command("refresh-client", "-A", f"{pane.pane_id}:continue")
        replies = await client.run(line(*questions(pane.pane_id, history), go_on), PICTURE_S, on_cut)
        picture = read_picture([reply.lines for reply in replies[:-1]])
        if picture.state["pane_pid"] != pane.pid or picture.state["pane_dead"]:
            raise gone(pane)
        return picture

    async def close(self) -> None:
        for check in tuple(self._checks):
            check.cancel()
        self._linked.clear()
        if self._client:
            await self._client.close()

    def _on_output(self, output: Output) -> None:
        self._newest = output.pane_id
        self._listeners.on_output(output.pane_id, output.data)

    def _on_notice(self, notice: Notice) -> None:
        match notice.name:
            case "layout-change":
                self._listeners.on_layout(notice.arguments.partition(" ")[0])
            case "pause":
                self._listeners.on_paused(notice.arguments)
            case "client-session-changed" | "client-detached" | "session-window-changed":
                self._listeners.on_clients()
            case "sessions-changed" | "unlinked-window-close" | "window-close":
                self._do(self._end_abandoned())
            case "window-add":
                self._do(self._send_home(notice.arguments))

    def _do(self, work: Coroutine[None, None, None]) -> None:
        check = asyncio.get_running_loop().create_task(work)
        self._checks.add(check)
        check.add_done_callback(self._checks.discard)

    async def _send_home(self, window_id: str) -> None:
        """Move a window that somebody has opened in our hidden session to the session of the pane that printed last."""
        if window_id in self._linked or window_id in self._own or self._linking.locked():
            return
        with contextlib.suppress(HarkError):
            home = await self._server.show_at_home(self._newest, Format("#{session_id}"))
            elsewhere = await self._server.show(window_id, Format("#{window_linked_sessions}"))
            if home and elsewhere == "1":
                await self._server.run(line(command("move-window", "-s", f"{_HIDDEN}{window_id}", "-t", f"{home}:")))

    def _on_lost(self) -> None:
        self._listeners.on_lost()

    async def _end_abandoned(self) -> None:
        """End the windows that only our link keeps alive."""
        if self._client is None or self._client.is_lost:
            return
        try:
            [listed] = await self._client.run(line(command("list-windows", "-t", _HIDDEN, "-F", _LINKED)))
            for text in self._server.text(listed):
                window_id, sessions = text.split(" ")
                if window_id in self._linked and sessions == "1":
                    await self._client.run(line(command("unlink-window", "-k", "-t", f"{_HIDDEN}{window_id}")))
        except HarkError:
            return


async def restore_size(server: TmuxServer, window_id: str, before: str) -> None:
    """Give a window the size and the option `window-size` that it had before somebody took its size."""
    columns, rows, *option = before.split(" ")
    back = [command("resize-window", "-t", window_id, "-x", columns, "-y", rows)]
    if option:
        back.append(command("set-option", "-w", "-t", window_id, "window-size", option[0]))
    else:
        back.append(command("set-option", "-w", "-u", "-t", window_id, "window-size"))
    await server.run(line(*back, command("set-option", "-w", "-u", "-t", window_id, SIZE_MARK)))


def gone(pane: Pane) -> HarkError:
    return HarkError("pane-not-found", f"pane {pane.pane_id} is no longer the one of this session", "`hark ls`")
