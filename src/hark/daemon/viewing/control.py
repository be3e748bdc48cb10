"""What a viewer may do to a pane beyond looking: type into it, and give its window another size. Both can be taken over, and everybody
who looks at the pane sees who has them."""

import asyncio
from datetime import datetime

from msgspec import Struct

from hark.daemon.viewing.watch import PaneWatch, Viewing
from hark.model.errors import HarkError
from hark.terminal.holds.key_tables import MARK
from hark.terminal.tmux.commands import command, line
from hark.terminal.tmux.expansion import Format, all_of, equals, not_, value_of
from hark.terminal.tmux.server import TmuxServer
from hark.terminal.viewing.feed import SIZE_MARK, restore_size

AT_ONCE = 500
"""How many bytes go to tmux in one command."""
MOST_WAITING = 256 * 1024
PATIENCE_S = 5.0
"""Seconds for which keys wait while hark delivers a message."""
RETRY_S = 0.03


class Holder(Struct, frozen=True, kw_only=True):
    """The viewer who has the keyboard."""

    viewing: Viewing
    browser_id: str
    user: str
    since: datetime


class PaneControl:
    def __init__(self, watch: PaneWatch, server: TmuxServer, *, has_airlock: bool) -> None:
        self.watch = watch
        self.keyboard: Holder | None = None
        self.sized_by: tuple[Viewing, str] | None = None
        self._server = server
        self._has_airlock = has_airlock
        self._waiting = 0
        self._typing = asyncio.Lock()
        self._sizing = asyncio.Lock()

    def take_keyboard(self, holder: Holder) -> None:
        self.keyboard = holder
        self.watch.tell_change()

    def leave_keyboard(self, viewing: Viewing) -> None:
        if self.keyboard and self.keyboard.viewing is viewing:
            self.keyboard = None
            self.watch.tell_change()

    async def press(self, viewing: Viewing, data: bytes) -> None:
        """Send bytes to the pane as if its human had typed them there. Behind an airlock they wait while a message is delivered, like all
        keys; elsewhere they wait here."""
        if self.keyboard is None or self.keyboard.viewing is not viewing:
            raise HarkError("keyboard-not-taken", "the keyboard was not taken", "take the keyboard first")
        if self._waiting + len(data) > MOST_WAITING:
            raise HarkError("keys-held", "too many keys wait", "send them again in a moment")
        self._waiting += len(data)
        try:
            async with self._typing:
                for start in range(0, len(data), AT_ONCE):
                    await self._send(data[start : start + AT_ONCE])
        finally:
            self._waiting -= len(data)

    async def _send(self, data: bytes) -> None:
        pane = self.watch.pane
        keys = command("send-keys", "-t", pane.pane_id, "-H", *(f"{byte:02x}" for byte in data))
        until_s = asyncio.get_running_loop().time() + PATIENCE_S
        while not await self._server.act_if(pane, self._may_type(), keys):
            if asyncio.get_running_loop().time() > until_s:
                raise HarkError(
                    "keys-held",
                    "the pane takes no keys now: it is in a mode of tmux, or a message is being delivered",
                    "leave copy mode, or try again in a moment",
                )
            await asyncio.sleep(RETRY_S)
        self._server.note_typed(pane.pane_id)

    def _may_type(self) -> Format:
        """Return the condition on which keys may go to the pane, which tmux checks in the same instant."""
        is_plain = equals("pane_in_mode", 0)
        return is_plain if self._has_airlock else all_of(is_plain, not_(value_of(MARK)))

    async def take_size(self, viewing: Viewing, browser_id: str, columns: int, rows: int) -> None:
        """Give the pane's window that size, until the viewer leaves. A window that a human's terminal shows keeps its size."""
        async with self._sizing:
            window = self.watch.window_id
            wanted = Format(f"#{{window_active_clients}}|#{{window_width}} #{{window_height}}|#{{{SIZE_MARK}}}")
            humans, size, mark = (await self._server.show(self.watch.pane.pane_id, wanted)).split("|")
            if humans != "0":
                raise HarkError(
                    "size-in-use", "a terminal shows this window, and its size counts", "detach the terminal first"
                )
            option = await self._own_option(window)
            keep = [] if mark else [command("set-option", "-w", "-t", window, SIZE_MARK, f"{size} {option}".strip())]
            resize = command("resize-window", "-t", window, "-x", str(columns), "-y", str(rows))
            await self._server.run(line(*keep, resize))
            self.sized_by = (viewing, browser_id)
        self.watch.tell_change()

    async def _own_option(self, window: str) -> str:
        [shown] = await self._server.run(line(command("show-options", "-w", "-q", "-v", "-t", window, "window-size")))
        return "".join(self._server.text(shown))

    async def leave_size(self, viewing: Viewing | None = None) -> None:
        """Give the window its own size back, if that viewer has taken it; without a viewer, whoever has taken it."""
        if self.sized_by is None or (viewing and self.sized_by[0] is not viewing):
            return
        async with self._sizing:
            self.sized_by = None
            mark = await self._server.show(self.watch.pane.pane_id, Format(f"#{{{SIZE_MARK}}}"))
            if mark:
                await restore_size(self._server, self.watch.window_id, mark)
        self.watch.tell_change()

    async def yield_size(self) -> None:
        """Give the window its own size back if a human's terminal shows it now."""
        if self.sized_by:
            shown = await self._server.show(self.watch.pane.pane_id, Format("#{window_active_clients}"))
            if shown != "0":
                await self.leave_size()
