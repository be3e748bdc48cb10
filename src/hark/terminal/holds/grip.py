"""A grip on one pane: the human's keys are held while we write, and flow on, in order, when we let go.

Two kinds of one thing: by the airlock between pane and agent, and by tmux's own key tables on adopted panes.
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

HOLD_S = 2.0
QUIET_S = 0.008
"""How long the agent must have printed nothing before a screen is taken for complete: tmux draws within that time."""
ENTER_TRIES = 8
HELD_BEFORE_S = 4
"""A key that was pressed so many seconds before an undo ended may have been held for it."""
UNDO_SINCE = 2
"""The first version of the airlock's protocol with an undo."""
FOCUS_IN, FOCUS_OUT = b"\x1b[I", b"\x1b[O"


class Grip(Protocol):
    ignores_copy_mode: bool

    async def paste(self, text: str, then: Undo | None = None) -> bool:
        """False when it was not pasted. `then`: see `press`."""

    async def press(self, keys: tuple[str, ...], then: Undo | None = None) -> bool:
        """False when the hold is over: then nothing was pressed, or not all of it. `then` replaces the undo in the same instant as the
        last of the keys."""

    async def leave_undo(self, undo: Undo) -> bool:
        """Replaces the undo that whoever holds the keys runs when we die or the deadline comes. False when it does not have it."""

    async def press_enter(self, screen: Screen, proof: str, then: Undo = ()) -> bool:
        """Only if the pane still shows what `screen` shows; False when it does not. `then` replaces the undo in the same instant."""

    async def press_unmoved(self, key: str, screen: Screen, proof: str = "") -> bool:
        """The same for another key."""

    async def undone(self, label: str) -> Undone | None:
        """What is known of an earlier hold of this label that ended without its holder; None if it ended otherwise."""

    async def give_focus(self) -> bool:
        """Tells an agent that nobody looks at that it has the focus, until the grip is released. Whether it had to be told."""

    def keep_focus(self) -> None:
        """It is not taken back."""

    async def give_up(self) -> bool:
        """Leaves it to whoever holds the keys to run the undo and to let them go, when the agent reads again. False where nobody
        would; then nothing has changed."""

    async def release(self) -> None: ...


async def undone_at(server: TmuxServer, pane: Pane) -> int | None:
    """The second in which tmux has last run an undo for the pane; None when it has run none since the last one was left."""
    found = await _noted_undo(server, pane)
    return int(found[3]) if found else None


async def _noted_undo(server: TmuxServer, pane: Pane) -> re.Match[str] | None:
    return re.fullmatch(r"(\S+) ([01]) (\d+)", await server.option_of(pane, UNDONE))


class HeldByTmux:
    ignores_copy_mode = False

    def __init__(self, server: TmuxServer, pane: Pane, hold: KeyHold, foreground: str) -> None:
        """`foreground`: the program that is written to, and no other."""
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
        """The command that replaces the undo in the same instant as what is written."""
        return None if then is None else await self._hold.undo_command(then, self._foreground)

    async def undone(self, label: str) -> Undone | None:
        """tmux knows the second of the last key that was pressed: one that was held comes out behind the undo."""
        found = await _noted_undo(self._server, self._pane)
        if not found or found[1] != label:
            return None
        last_key_at = (await self._server.pane_facts(self._pane)).last_key_at(self._pane.pane_id)
        is_touched = last_key_at is not None and last_key_at >= int(found[3]) - HELD_BEFORE_S
        return Undone(label=label, is_after_enter=found[2] == "1", is_touched=is_touched)

    async def leave_undo(self, undo: Undo) -> bool:
        """With the tmux server: its own timer runs it."""
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
        """tmux reports it to programs whose pane nobody looks at any more."""
        return self._hold.is_active and await self._server.report_focus(self._pane, self._foreground)

    def keep_focus(self) -> None:
        """It is kept in any case: a tmux whose focus-events are off, as they usually are, would not give it to the human."""

    async def give_up(self) -> bool:
        """The timer of tmux runs the undo at the end of the hold."""
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
        """Only where the agent takes bracketed pastes: anywhere else a newline would be an Enter."""
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
        """An airlock that was started by an earlier hark takes none: then the next daemon finds out what became of the delivery."""
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
        """For the airlock it is as if we had died. False too when the agent has gone with it."""
        try:
            if (await self._airlock.facts()).version < UNDO_SINCE:
                return False
        except Refused:
            return False
        self._is_given_up = True
        await self._airlock.close()
        return True

    async def release(self) -> None:
        """The hold may be over already, or the agent gone with it. A focus that the terminal has reported meanwhile stays."""
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
        """Keys that an agent reads in one go with others may count as a paste."""
        for _ in range(50):
            if not (await self._airlock.facts()).unread_bytes:
                return
            await asyncio.sleep(0.001)
