"""Further witnesses of what agents do, beside hooks and native APIs: files that an agent writes about itself, and the title of
its terminal. The daemon looks at them once a second. They report the same few events and phases as the others, and hark works without
them too."""

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from hark.agents.protocol import OwnFiles, Status
from hark.agents.records.files import is_path, read_part
from hark.agents.registry import find_agent
from hark.daemon.core import Core
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.process.log import logger
from hark.daemon.process.slow_calls import work_aside
from hark.daemon.registry.sweep import go_round
from hark.daemon.session.live import Part
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.queue.turns import Phase

PERIOD_S = 1.0
FIND_AGAIN_S = 5.0
LOOK_BACK = 262_144
LONGEST_READ = 4_000_000
LONGEST_STATUS = 65_536


class Transcript:
    """A transcript of an agent, and how far it has been read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._offset: int | None = None
        self._rest = b""

    def new_lines(self) -> list[bytes]:
        part = read_part(self.path, self._offset, LONGEST_READ, back=LOOK_BACK)
        if part.start != self._offset:
            self._rest = b""
        self._offset = part.start + len(part.data)
        *lines, rest = (self._rest + part.data).split(b"\n")
        # No agent writes a line that is longer than `LONGEST_READ`, so such a line is dropped.
        self._rest = rest if len(rest) < LONGEST_READ else b""
        return lines


class StatusFile:
    """A status file of an agent, which is read again whenever it has changed."""

    def __init__(self, path: Path, read_status: Callable[[bytes], Status | None]) -> None:
        self.path = path
        self._read_status = read_status
        self._changed_at = -1
        self._status: Status | None = None

    def read(self) -> Status | None:
        changed_at = self.path.stat().st_mtime_ns
        if changed_at != self._changed_at:
            text = read_part(str(self.path), None, LONGEST_STATUS, back=LONGEST_STATUS).data
            self._status = self._read_status(text)
            self._changed_at = changed_at
        return self._status

    def transcript(self) -> str | None:
        """Return the path of the transcript that the status names; None if there is no such file."""
        place = self._status.transcript if self._status else ""
        path = self.path.parent.parent / place
        return str(path) if place and path.is_file() else None


class WitnessState(Part):
    """What was found about one session's agent outside of hooks and channels."""

    transcript: Transcript | None = None
    status_file: StatusFile | None = None
    looked_at_s = -FIND_AGAIN_S
    title: tuple[Phase, datetime] | None = None
    record: str | None = None
    """The path of the agent's record that was passed on last."""


class Witnesses:
    def __init__(self, core: Core, turns: TurnBook, note_record: Callable[[SessionId, str], None]) -> None:
        self._sessions = core.sessions
        self._live = core.live
        self._panes = core.panes
        self._kinds = core.kinds
        self._turns = turns
        self._clock = core.clock
        self.note_record = note_record
        """Takes a session and the path of the file in which its agent keeps its own words. It is called when the agent's status names
        another file than before, and whenever a hook names the file."""

    def learn_transcript(self, session: Session, path: str) -> None:
        """Take note of the path of the agent's transcript, as the agent itself names it."""
        state = self._state(session.id)
        if is_path(path) and (state.transcript is None or state.transcript.path != path):
            state.transcript = Transcript(path)

    def transcript_of(self, session_id: SessionId) -> str | None:
        """Return the path of the agent's transcript, as it was told to this daemon or to an earlier one."""
        state = self._live.find(session_id, WitnessState)
        known = state.transcript if state else None
        return known.path if known else self._sessions.get(session_id).transcript or None

    def _state(self, session_id: SessionId) -> WitnessState:
        return self._live.of(session_id).part(WitnessState)

    async def run(self) -> None:
        await go_round(self._sessions, self._try_look, PERIOD_S, "witnesses")

    async def _try_look(self, session: Session) -> None:
        try:
            await self.look(session)
        except (OSError, HarkError) as failure:
            extra = {"session": session.name, "failure": str(failure)}
            logger.debug("a witness is not there", extra=extra)

    async def look(self, session: Session) -> None:
        if own_files := find_agent(session.agent).own_files:
            await self._read_status(session, own_files)
            await self._read_transcript(session, own_files)
        elif title := self._kinds.get(session.agent).title:
            shown = (await self._panes.of(session.pane).screen(session.pane)).title
            await self._see_title(session, title.phase(shown))

    async def _read_transcript(self, session: Session, own_files: OwnFiles) -> None:
        state = self._state(session.id)
        if state.transcript is None and session.transcript:
            state.transcript = Transcript(session.transcript)
        if state.transcript is None:
            return
        for line in await work_aside(f"transcript of {session.id}", state.transcript.new_lines):
            if heard := own_files.read_entry(line):
                # Whatever time the line names, it was not written in the future.
                await self._turns.hear(session.id, replace(heard, at=min(heard.at, self._clock())))

    async def _read_status(self, session: Session, own_files: OwnFiles) -> None:
        state = self._state(session.id)
        seen = await work_aside(f"status of {session.id}", partial(_look_at_status, session, state, own_files))
        if seen is None:
            return
        status, path = seen
        if path and state.transcript is None:
            self.learn_transcript(session, path)
        if path and state.record != path:
            state.record = path
            self.note_record(session.id, path)
        await self._turns.see(session.id, status.phase, status.since)

    async def _see_title(self, session: Session, phase: Phase | None) -> None:
        """Take in the phase that the pane's title shows. A title does not say since when it is true, so it counts from when it was first
        seen."""
        state = self._state(session.id)
        if phase is None:
            state.title = None
            return
        if state.title is None or state.title[0] is not phase:
            state.title = (phase, self._clock())
        await self._turns.see(session.id, *state.title)


def _look_at_status(session: Session, state: WitnessState, own_files: OwnFiles) -> tuple[Status, str | None] | None:
    """Return what the status file says, and the path of the transcript that it names. This runs in a thread."""
    file = _status_file(session, state, own_files)
    status = file.read() if file else None
    return (status, file.transcript()) if file and status else None


def _status_file(session: Session, state: WitnessState, own_files: OwnFiles) -> StatusFile | None:
    """Return the status file of the session's agent; None if there is none. A process removes its status file when it ends, so the file is
    looked for again if it is gone."""
    if state.status_file and state.status_file.path.exists():
        return state.status_file
    state.status_file = None
    now_s = time.monotonic()
    if now_s - state.looked_at_s >= FIND_AGAIN_S:
        state.looked_at_s = now_s
        path = own_files.status_file(session.pane.pid)
        state.status_file = StatusFile(path, own_files.read_status) if path else None
    return state.status_file
