"""Runs a delivery on a real terminal: answers the steps that a carrier yields."""

import asyncio
from collections.abc import Awaitable, Generator
from typing import Protocol, TypeVar

from msgspec.structs import replace

from hark.agents.kinds import AgentKind
from hark.daemon.delivering.key_holds import at_hold, has_unread
from hark.daemon.doors.editor_tickets import Editors, Ticket, wait_gone, wait_opened
from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.delivery.carriers.rest import come_to_rest
from hark.delivery.carriers.steps import (
    Answer,
    AskTaken,
    AskUnread,
    Begin,
    CloseEditor,
    DropDraft,
    EditorOpened,
    LeaveUndo,
    Look,
    LookAgain,
    NoteInterrupt,
    OpenEditor,
    Paste,
    Press,
    PressEnter,
    PressStop,
    SaveDraft,
    SearchHistory,
    Seen,
    Stage,
    Step,
)
from hark.delivery.screen.capture import Screen
from hark.model.errors import HarkError
from hark.model.session import Session
from hark.terminal.holds.grip import Grip

WHOLE_HISTORY = 100_000
T = TypeVar("T")


class Records(Protocol):
    """Writes what must be on record before a delivery goes on. Each method raises a HarkError to call the delivery off."""

    async def begin(self) -> None: ...
    async def stage(self) -> None: ...
    async def is_taken(self) -> bool:
        """Return True if the agent itself has said that it took the message."""

    async def note_interrupt(self) -> None: ...
    async def save_draft(self, text: str) -> None: ...
    async def drop_draft(self) -> None: ...


class Driver:
    def __init__(
        self, panes: Panes, editors: Editors, session: Session, kind: AgentKind, grip: Grip, records: Records
    ) -> None:
        self._panes = panes
        self._editors = editors
        self._session = session
        self._kind = kind
        self._server = panes.of(session.pane)
        self._grip = grip
        self._records = records
        self._count = 0
        self._ticket: Ticket | None = None
        self._screen: Screen | None = None
        self.has_pressed_enter = False

    async def run(self, delivery: Generator[Step, Answer, T], seen: Seen | None = None) -> T:
        """Run a delivery to its end, and return its outcome. `seen` is a look at the screen of this very moment: if the delivery begins
        with a look, it gets this one."""
        try:
            step = next(delivery)
            if seen and isinstance(step, Look):
                step = delivery.send(seen)
            while True:
                step = delivery.send(await self._answer(step))
        except StopIteration as end:
            outcome: T = end.value
            return outcome
        finally:
            delivery.close()
            self._editors.withdraw(self._session.id)

    async def come_to_rest(self) -> bool:
        """Wait until the agent has drawn the keys that the human pressed before the grip was taken. Return False if it takes too long."""
        keys = await at_hold(self._panes, self._session)
        return await self.run(come_to_rest(self._kind.box, keys, self._kind.drawn_within_s))

    async def _answer(self, step: Step) -> Answer:
        pane = self._session.pane
        match step:
            case Look():
                return await self.look()
            case LookAgain(within_s=within_s):
                await self._panes.wait_output(pane, self._count, within_s)
                return await self.look()
            case Paste(text=text, then=then):
                return await self._grip.paste(text, then)
            case Press(keys=keys, then=then):
                return self._may_press(keys) and await self._grip.press(keys, then)
            case LeaveUndo(writes=writes):
                return await self._grip.leave_undo(writes)
            case PressEnter(screen=screen, proof=proof, then=then):
                is_pressed = not await self._is_at_work() and await self._grip.press_enter(screen, proof, then)
                self.has_pressed_enter = self.has_pressed_enter or is_pressed
                return is_pressed
            case PressStop(key=key, screen=screen):
                return await self._grip.press_unmoved(key, screen)
            case OpenEditor(keys=keys, within_s=within_s):
                return await self._open_editor(keys, within_s)
            case CloseEditor(text=text):
                return await self._close_editor(text)
            case AskUnread():
                return await has_unread(self._panes, self._session)
            case SearchHistory(words=words):
                lines = await self._server.history(pane.pane_id, WHOLE_HISTORY)
                return words in "".join(line.strip() for line in lines)
            case AskTaken():
                return await self._records.is_taken()
            case _:
                return await _may(self._write(step))

    async def _write(self, step: Begin | Stage | NoteInterrupt | SaveDraft | DropDraft) -> None:
        """Put on record what must be known before the delivery goes on."""
        match step:
            case Begin():
                await self._records.begin()
            case Stage():
                await self._records.stage()
            case NoteInterrupt():
                await self._records.note_interrupt()
            case SaveDraft(text=text):
                await self._records.save_draft(text)
            case DropDraft():
                await self._records.drop_draft()

    async def look(self) -> Seen:
        self._count = self._panes.printed_count(self._session.pane)
        screen = await self._server.screen(self._session.pane)
        if self._grip.ignores_copy_mode:
            screen = replace(screen, in_mode=False)
        self._screen = screen
        return Seen(screen, asyncio.get_running_loop().time())

    async def _is_at_work(self) -> bool:
        """Return True if an agent that must be idle is at work now: a turn may have begun since the look that justifies the Enter."""
        return self._kind.idle_only and self._kind.is_at_work((await self.look()).screen)

    def _may_press(self, keys: tuple[str, ...]) -> bool:
        """Return False if the agent's data file forbids one of the keys. No carrier asks for such a key; if one ever does, the key is
        not pressed."""
        key = self._kind.forbidden.first_of(keys, self._screen, self._kind.box)
        if key:
            logger.error("a forbidden key was withheld", extra={"session": self._session.name, "key": key})
        return key is None

    async def _open_editor(self, keys: tuple[str, ...], within_s: float) -> Answer:
        if not self._may_press(keys):
            return False
        self._ticket = self._editors.issue(self._session.id)
        if not await self._grip.press(keys):
            self._editors.forget(self._session.id)
            return False
        text = await wait_opened(self._ticket, within_s)
        if text is None:
            self._editors.withdraw(self._session.id)
            return False
        return EditorOpened(text)

    async def _close_editor(self, text: str | None) -> bool:
        """Give the editor its new text, and wait until the editor's process is gone: only then does the agent read keys again. Return
        False if no editor waits for a text."""
        ticket, self._ticket = self._ticket, None
        if ticket is None or ticket.answer.done():
            return False
        ticket.answer.set_result(text)
        self._editors.withdraw(self._session.id)
        await wait_gone(ticket.pid)
        return True


async def _may(write: Awaitable[None]) -> bool:
    """Return True if the write succeeds. If it is refused, the delivery goes no further."""
    try:
        await write
    except HarkError as refused:
        logger.info("called off", extra={"code": refused.code, "detail": refused.detail})
        return False
    return True
