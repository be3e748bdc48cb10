"""A grip on one pane: the human's keys are held while we write, and flow on, in order, when we let go.

There are two kinds of grip: the airlock between pane and agent holds the keys, or tmux's own key tables hold them on adopted panes.
"""

import asyncio
import re
import time
from typing import Any, Protocol

from hark.delivery.carriers.rest import PastHold
from hark.delivery.carriers.undo import Undo
from hark.delivery.screen.capture import Screen
from hark.model.session import Pane
from hark.terminal.holds.airlock_client import Airlock, Refused, Undone, undo_request
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.holds.keys import bytes_of, in_bursts
from hark.terminal.holds.undo_script import UNDONE
from hark.terminal.tmux.commands import FORBIDDEN_IN_PASTE
from hark.terminal.tmux.server import TmuxServer

QUIET_S = 0.008
"""How long the agent must have printed nothing before hark takes the screen for complete: tmux draws within that time."""
ENTER_TRIES = 8
HELD_BEFORE_S = 4
"""A key that was pressed at most this many seconds before an undo ended may have been held during that undo."""
UNDO_SINCE = 2
"""The first version of the airlock's protocol with an undo."""
FOCUS_IN, FOCUS_OUT = b"\x1b[I", b"\x1b[O"


class Grip(Protocol):
    ignores_copy_mode: bool

    async def paste(self, text: str, then: Undo | None = None) -> bool:
        """Paste the text; return False if it was not pasted. `then` replaces the undo in the same instant."""

    async def press(self, keys: tuple[str, ...], then: Undo | None = None) -> bool:
        """Press the keys. Return False if the hold is over: then none of the keys, or not all of them, were pressed. `then` replaces the
        undo in the same instant as the last of the keys."""

    async def leave_undo(self, undo: Undo) -> bool:
        """Replace the undo that whoever holds the keys (airlock or tmux) runs when we die or the deadline comes. Return False if the
        new undo did not arrive there."""

    async def press_enter(self, screen: Screen, proof: str, then: Undo = ()) -> bool:
        """Press Enter only if the pane still shows what `screen` shows; return False if Enter was not pressed. `then` replaces the undo in
        the same instant."""

    async def press_unmoved(self, key: str, screen: Screen, proof: str = "") -> bool:
        """Press the key only if the pane still shows what `screen` shows; return False if the key was not pressed."""

    async def undone(self, label: str) -> Undone | None:
        """Return what is known of an earlier hold with this label that ended without its holder; None if no such hold is known."""

    async def give_focus(self) -> bool:
        """Tell an agent that nobody looks at that it has the focus, until the grip is released. Return True if it had to be told."""

    def keep_focus(self) -> None:
        """Let the agent keep the focus that `give_focus` gave it when the grip is released."""

    async def give_up(self) -> bool:
        """Leave it to whoever holds the keys (airlock or tmux) to run the undo when the agent reads again, and to let the keys go. Return
        False if nobody would do so; then nothing has changed."""

    async def release(self) -> None: ...


async def undone_at(server: TmuxServer, pane: Pane) -> int | None:
    """Return the second in which tmux last ran an undo for the pane; None if tmux ran none since an undo was last left with it."""
    found = await _noted_undo(server, pane)
    return int(found[4]) if found else None


async def _noted_undo(server: TmuxServer, pane: Pane) -> re.Match[str] | None:
    return re.fullmatch(r"(\S+) ([01])( out)? (\d+)", await server.option_of(pane, UNDONE))


class HeldByTmux:
    ignores_copy_mode = False

    def __init__(self, server: TmuxServer, pane: Pane, hold: KeyHold, foreground: str) -> None:
        """`foreground` is the only program that may be written to."""
        self._server = server
        self._pane = pane
        self._hold = hold
        self._foreground = foreground
        self._began_at_s = time.time()
        self._is_given_up = False

    async def paste(self, text: str, then: Undo | None = None) -> bool:
        also = await self._undo_command(then)
        return self._hold.is_active and await self._server.paste(
            self._pane, text, self._foreground, also, self._hold.is_held
        )

    async def press(self, keys: tuple[str, ...], then: Undo | None = None) -> bool:
        also = await self._undo_command(then)
        for start in range(0, len(keys), 16):
            some, is_last = keys[start : start + 16], start + 16 >= len(keys)
            then_also = also if is_last else None
            if not self._hold.is_active or not await self._server.press(
                self._pane, some, self._foreground, then_also, self._hold.is_held
            ):
                return False
        return True

    async def _undo_command(self, then: Undo | None) -> str | None:
        """Return the command that replaces the undo in the same instant as something is written; None if `then` is None."""
        return None if then is None else await self._hold.undo_command(then, self._foreground)

    async def undone(self, label: str) -> Undone | None:
        """Return what tmux noted about the undo of the hold with this label. `is_touched` follows from the second of the last key, which
        tmux knows: a key that was held comes out behind the undo."""
        found = await _noted_undo(self._server, self._pane)
        if not found or found[1] != label:
            return None
        last_key_at = (await self._server.pane_facts(self._pane)).last_key_at(self._pane.pane_id)
        is_touched = last_key_at is not None and last_key_at >= int(found[4]) - HELD_BEFORE_S
        return Undone(
            label=label, is_after_enter=found[2] == "1", is_touched=is_touched, leaves_draft_out=found[3] is not None
        )

    async def leave_undo(self, undo: Undo) -> bool:
        """Leave the undo with the tmux server, whose own timer runs it."""
        return await self._hold.leave_undo(undo, self._foreground)

    async def press_enter(self, screen: Screen, proof: str, then: Undo = ()) -> bool:
        if not self._hold.has_undo:
            return await self.press_unmoved("Enter", screen, proof)
        also = await self._hold.undo_command(then, self._foreground, is_after_enter=True)
        return self._hold.is_active and await self._server.press_if_unmoved(
            self._pane, "Enter", screen, proof, also, self._hold.is_held
        )

    async def press_unmoved(self, key: str, screen: Screen, proof: str = "") -> bool:
        return self._hold.is_active and await self._server.press_if_unmoved(
            self._pane, key, screen, proof, only_if=self._hold.is_held
        )

    async def give_focus(self) -> bool:
        """Report the focus to the agent: tmux tells a program that it has lost the focus when nobody looks at its pane any more."""
        return self._hold.is_active and await self._server.report_focus(self._pane, self._foreground)

    def keep_focus(self) -> None:
        """Do nothing: the agent keeps the focus in any case. A tmux whose focus-events are off, as they usually are, would not give the
        focus back when the human comes to look."""

    async def give_up(self) -> bool:
        """Leave the hold to the timer of tmux, which runs the undo at the end of the hold."""
        self._is_given_up = self._hold.has_undo and self._hold.is_active
        return self._is_given_up

    async def release(self) -> None:
        if not self._is_given_up:
            await self._hold.release()
        self._server.past_holds[self._pane.pane_id] = PastHold(self._began_at_s, time.time())


class HeldByAirlock:
    ignores_copy_mode = True

    def __init__(self, server: TmuxServer, pane: Pane, airlock: Airlock, hold: str) -> None:
        self._server = server
        self._pane = pane
        self._airlock = airlock
        self._hold = hold
        self._is_focus_lent = False
        self._is_given_up = False

    async def give_focus(self) -> bool:
        if (await self._airlock.facts()).has_focus:
            return False
        self._is_focus_lent = await self._write(FOCUS_IN)
        return self._is_focus_lent

    def keep_focus(self) -> None:
        self._is_focus_lent = False

    async def paste(self, text: str, then: Undo | None = None) -> bool:
        """Paste only if the agent takes bracketed pastes: without them a newline would be an Enter."""
        if FORBIDDEN_IN_PASTE.search(text) or not (await self._airlock.facts()).bracketed_paste:
            return False
        return await self._write(b"\x1b[200~" + text.encode() + b"\x1b[201~", then)

    async def press(self, keys: tuple[str, ...], then: Undo | None = None) -> bool:
        bursts = in_bursts(keys)
        for number, burst in enumerate(bursts, start=1):
            if not await self._write(burst, then if number == len(bursts) else None):
                return False
            await self._until_read()
        return True

    async def leave_undo(self, undo: Undo) -> bool:
        """Leave the undo with the airlock. An airlock that an earlier hark started takes no undo. That counts as success: the next
        daemon finds out what became of the delivery."""
        try:
            await self._airlock.leave_undo(self._hold, undo_request(undo))
        except Refused as refused:
            return refused.word == "malformed" and (await self._airlock.facts()).version < UNDO_SINCE
        return True

    async def undone(self, label: str) -> Undone | None:
        undone = (await self._airlock.facts()).undone
        return undone if undone and undone.label == label else None

    async def press_enter(self, screen: Screen, proof: str, then: Undo = ()) -> bool:
        return await self._press_unmoved("Enter", screen, proof, undo_request(then, is_after_enter=True))

    async def press_unmoved(self, key: str, screen: Screen, proof: str = "") -> bool:
        return await self._press_unmoved(key, screen, proof)

    async def _press_unmoved(self, key: str, screen: Screen, proof: str, undo: dict[str, Any] | None = None) -> bool:
        for _ in range(ENTER_TRIES):
            facts = await self._airlock.facts()
            if facts.last_output_age_s is not None and facts.last_output_age_s < QUIET_S:
                await asyncio.sleep(QUIET_S)
                continue
            now = await self._server.screen(self._pane)
            if (now.cursor_x, now.cursor_y) != (screen.cursor_x, screen.cursor_y) or (
                proof and not now.contains(proof)
            ):
                return False
            try:
                await self._airlock.write(self._hold, bytes_of(key), facts.output_bytes, undo)
            except Refused as refused:
                if refused.word != "output-moved":
                    return False
            else:
                return True
        return False

    async def give_up(self) -> bool:
        """Close the connection, so that the airlock acts as if we had died. Return False also if the airlock is gone with its agent."""
        try:
            if (await self._airlock.facts()).version < UNDO_SINCE:
                return False
        except Refused:
            return False
        self._is_given_up = True
        await self._airlock.close()
        return True

    async def release(self) -> None:
        """Take the focus back that was lent, unless the terminal has reported the focus meanwhile, and release the keys. The hold may be
        over already, or the agent gone with it."""
        if self._is_given_up:
            return
        try:
            if self._is_focus_lent and not (await self._airlock.facts()).has_focus:
                await self._write(FOCUS_OUT)
            await self._airlock.release(self._hold)
        except Refused:
            pass
        finally:
            await self._airlock.close()

    async def _write(self, data: bytes, then: Undo | None = None) -> bool:
        try:
            await self._airlock.write(self._hold, data, undo=None if then is None else undo_request(then))
        except Refused:
            return False
        return True

    async def _until_read(self) -> None:
        """Wait until the agent has read all that was written: keys that an agent reads in one go may count as a paste."""
        for _ in range(50):
            if not (await self._airlock.facts()).unread_bytes:
                return
            await asyncio.sleep(0.001)
