"""Tells the editors that agents open what to do. An editor with a ticket hands over the draft and waits for a new text. An editor
without a ticket comes from the human's own Ctrl-G, and becomes the human's own editor."""

import asyncio
import contextlib
import os
from collections.abc import Callable

from hark.agents.lineage import Words, is_own_editor
from hark.agents.native import processes
from hark.daemon.session.live import LiveSessions, Part
from hark.inside import ticket_file as tickets
from hark.model.errors import HarkError
from hark.model.ids import SessionId

ANSWER_WITHIN_S = 3.0
GONE_WITHIN_S = 2.0


class Ticket:
    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[str] = loop.create_future()
        self.answer: asyncio.Future[str | None] = loop.create_future()
        self.pid = 0


class EditorState(Part):
    """The ticket for the editor that is asked for now in one session; None if none is."""

    ticket: Ticket | None = None


class Editors:
    def __init__(self, live: LiveSessions, recognises: Callable[[Words], bool] = lambda words: False) -> None:
        """`recognises` returns True if a command line is that of an agent."""
        self._live = live
        self._recognises = recognises

    def is_agents_own(self, pid: int) -> bool:
        """Return True if the agent itself has opened this editor. An editor that one of the agent's tools has opened is the human's, and
        leaves the ticket to the editor that hark has asked for."""
        return is_own_editor(processes.ancestors(pid), self._recognises, processes.terminal_of)

    def issue(self, session_id: SessionId) -> Ticket:
        """Issue a ticket before the editor's key is pressed. The ticket is on disk, because a daemon that comes after this one must also
        know whose editor it is."""
        try:
            tickets.write(session_id)
        except OSError as failure:
            detail = f"{failure.filename}: {failure.strerror}"
            raise HarkError("state-not-writable", detail, "free some space, or make it writable") from failure
        ticket = self._live.of(session_id).part(EditorState).ticket = Ticket()
        return ticket

    def forget(self, session_id: SessionId) -> None:
        """Take the ticket back, because the editor's key was never pressed."""
        self._take_back(session_id)
        tickets.tear(session_id)

    def withdraw(self, session_id: SessionId) -> None:
        """Stop waiting for the session's editor. An editor that waits for an answer keeps its text. An editor that has not opened yet is
        still ours when it opens, and must not become the human's: its ticket stays on disk."""
        ticket = self._take_back(session_id)
        if ticket and not ticket.answer.done():
            ticket.answer.set_result(None)

    def _take_back(self, session_id: SessionId) -> Ticket | None:
        state = self._live.find(session_id, EditorState)
        ticket = state.ticket if state else None
        if state:
            state.ticket = None
        return ticket

    async def ask(self, session_id: SessionId, text: str, pid: int) -> tuple[bool, str | None]:
        """Return what an editor must do: (False, None) become the human's editor, (True, text) replace the draft with the text,
        (True, None) leave the draft as it is."""
        state, is_ours = self._live.find(session_id, EditorState), tickets.claim(session_id)
        ticket = state.ticket if state else None
        if ticket is None or ticket.opened.done():
            return is_ours, None
        ticket.pid = pid
        ticket.opened.set_result(text)
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                return True, await asyncio.shield(ticket.answer)
        except TimeoutError:
            return True, None


async def wait_opened(ticket: Ticket, within_s: float) -> str | None:
    try:
        async with asyncio.timeout(within_s):
            return await asyncio.shield(ticket.opened)
    except TimeoutError:
        return None


async def wait_gone(pid: int) -> None:
    """Wait until the editor's process has ended, because only then does the agent read keys again; wait at most `GONE_WITHIN_S`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GONE_WITHIN_S):
            if hasattr(os, "pidfd_open"):
                await _wait_for_descriptor(pid)
            else:
                await _wait_by_asking(pid)


async def _wait_for_descriptor(pid: int) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


async def _wait_by_asking(pid: int) -> None:
    """Poll until the process is gone, on systems whose kernel has no event for that (macOS)."""
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.kill(pid, 0)
            await asyncio.sleep(0.005)
