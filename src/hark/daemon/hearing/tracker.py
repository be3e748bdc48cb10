"""Listens to every session, whether or not anybody looks at it.

There are three ways to hear what an agent announces. A session uses one of them at a time, the first that it can have:
  1. the agent's own record of its words (a file that its hooks or its status name or that it has open, or its native channel):
     nothing in it is drawn, so nothing can be mistaken;
  2. the rendered screen, for programs that draw: it is looked at when the output has settled;
  3. the stream of what is printed, for programs that only print lines.
The stream of every pane is read in any case, chunk by chunk, with no wait in between: a pane that floods costs the work for its bytes
and delays nobody. Looks at screens are rationed: at most one a second for each session that prints without a pause, and a few at a time.

After a gap (the pipe was lost, the daemon was down) the scrollback is read; a signal that is known is not announced again.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial

from hark.agents.kinds import GENERIC
from hark.agents.records.record import has_record
from hark.daemon.core import Core
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.record_reader import find_open_record, read_record
from hark.daemon.hearing.signal_intake import Signals
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.session.live import Part
from hark.delivery.screen.box import read_box
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import Pane, Session
from hark.signals.detector import DRAWS, FLUSH_S, SignalDetector
from hark.signals.ink import Drawn
from hark.signals.marker import Found, Marker, MarkerReader
from hark.signals.memory import is_heard_by_screen_only, merge_sightings
from hark.signals.rendered import Look, Sighting, read_rows
from hark.terminal.tmux.rendering import Rendering

TICK_S = 0.05
SETTLE_S = 0.15
LONGEST_WITHOUT_LOOK_S = 1.0
CERTAIN_S = 0.4
"""Seconds until the next look, if one look is not enough to be certain."""
CHANNEL_S = 10.0
"""Seconds to wait for a native channel to open."""
RECORD_S = 4.0
"""Seconds to wait for an agent to begin its record."""
RECORD_AGAIN_S = (0.3, 1.0, 3.0)
"""After how many seconds to read a record again when a hook has named it: an agent says that it has stopped a moment before its words
are on record."""
DEPTH = 2000
"""How many lines of scrollback are read after a gap in the stream."""
LONGEST_GAP_S = 5.0
LATE_S = 1.0
"""How many seconds later than the scrollback the stream may show the same line, on a machine that is busy."""
MORE = 60
"""How many lines above the new lines are read with them, for the context of a signal."""
AT_A_TIME = 8


class Listening(Part):
    """The state of listening to one session."""

    def __init__(self, session_id: SessionId, detector: SignalDetector, *, is_plain: bool) -> None:
        self.session_id = session_id
        self.detector = detector
        self.is_plain = is_plain
        """True if the program has only printed lines so far."""
        self.found: list[Found] = []
        self.printed_at_s = 0.0
        self.looked_at_s = 0.0
        self.is_unseen = True
        """True if the pane has printed since the last look at its screen."""
        self.is_unflushed = False
        self.is_gapped = True
        self.gapped_at_s = 0.0
        self.lines = DEPTH
        """How many lines were printed since the last look, and may have scrolled away."""
        self.again_at_s: list[float] = []
        self.is_attended = False
        self.searched_at_s = 0.0
        self.named_record: str | None = None
        """The path of the agent's record that a hook or a status has named last."""
        self.open_record: str | None = None
        self.sighted_at_s: float | None = None
        """When a signal was first seen on the screen that a record would tell better; None if none was seen."""
        self.late: Counter[str] = Counter()
        """Signals that were announced from the scrollback and that the stream may still bring."""
        self.late_until_s = 0.0
        self.kept: list[Sighting] = []
        """The signals that were seen on the screen, kept until it is certain that no record tells them better: by then they may be out
        of sight."""
        self.deaf_since_s: float | None = None
        """The time since which the session's native channel does not answer; None if it answers."""


class Tracker:
    def __init__(
        self, core: Core, signals: Signals, turns: TurnBook, natives: Natives, namespaces: Sequence[str]
    ) -> None:
        self._panes = core.panes
        self._sessions = core.sessions
        self._live = core.live
        self._signals = signals
        self._turns = turns
        self._natives = natives
        self._kinds = core.kinds
        self._namespaces = tuple(namespaces)
        self._reader = MarkerReader(namespaces)
        self._stirred = asyncio.Event()
        self._looks = asyncio.Semaphore(AT_A_TIME)
        self._isolation = Isolation("tracker")

    def take(self, pane: Pane, data: bytes) -> None:
        """Take in a chunk of a pane's output; b"" means that the pane's stream is lost."""
        session = self._sessions.at(pane)
        if session is None:
            return
        listening = self._listening_of(session)
        listening.printed_at_s = asyncio.get_running_loop().time()
        listening.is_unseen = True
        listening.lines += data.count(b"\n")
        if not data:
            listening.detector.reset()
            listening.is_gapped, listening.gapped_at_s = True, listening.printed_at_s
        elif listening.is_plain and DRAWS.search(data):
            listening.is_plain = False
            listening.detector.ignore_mentions()
        listening.is_unflushed = True
        listening.found += listening.detector.feed(data)
        self._stirred.set()

    def note_record(self, session_id: SessionId, path: str) -> None:
        """Take note of the file in which an agent keeps its words, because a hook or a status has named it, and look for new words in
        it."""
        if session := self._sessions.known(session_id):
            listening = self._listening_of(session)
            listening.named_record = path
            self._look_again(listening)

    async def run(self) -> None:
        """Attend to every session in a task of its own: a session whose agent does not answer does not keep the others waiting."""
        for _, listening in self._live.parts(Listening):
            listening.is_attended = False
        async with asyncio.TaskGroup() as tasks:
            await self._listen_on(tasks)

    async def _listen_on(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            self._stirred.clear()
            for session, listening in self._due(asyncio.get_running_loop().time()):
                listening.is_attended = True
                tasks.create_task(self._attend(session, listening))
            await self._rest()

    async def _rest(self) -> None:
        has_more = any(
            listening.is_unseen or listening.is_unflushed or listening.again_at_s
            for _, listening in self._live.parts(Listening)
        )
        try:
            async with asyncio.timeout(TICK_S if has_more else LONGEST_WITHOUT_LOOK_S):
                await (asyncio.get_running_loop().create_future() if has_more else self._stirred.wait())
        except TimeoutError:
            return

    def _listening_of(self, session: Session) -> Listening:
        return self._live.of(session.id).part(Listening, lambda: self._make_listening(session))

    def _make_listening(self, session: Session) -> Listening:
        is_plain = session.agent == GENERIC
        listening = Listening(session.id, SignalDetector(self._namespaces, has_mentions=is_plain), is_plain=is_plain)
        listening.gapped_at_s = asyncio.get_running_loop().time()
        return listening

    def _due(self, now_s: float) -> list[tuple[Session, Listening]]:
        all_listening = [(session, self._listening_of(session)) for session in self._sessions.running()]
        for session, listening in all_listening:
            if now_s - listening.looked_at_s >= LONGEST_WITHOUT_LOOK_S and not self._panes.is_streaming(session.pane):
                # A pane with a human's own pipe streams nothing to us, so its screen is looked at all the time.
                listening.is_unseen, listening.is_gapped, listening.lines = True, True, DEPTH
        due = [
            (session, listening)
            for session, listening in all_listening
            if not listening.is_attended and _is_due(listening, now_s)
        ]
        return sorted(due, key=lambda one: one[1].looked_at_s)

    async def _attend(self, session: Session, listening: Listening) -> None:
        try:
            if not await self._isolation.run(session.id, partial(self._attend_to, session, listening)):
                self._miss(listening)
        finally:
            listening.is_attended = False

    def _miss(self, listening: Listening) -> None:
        """Take note that the session could not be read now: what it prints meanwhile is read later, from the scrollback."""
        listening.is_unseen, listening.is_gapped, listening.lines = False, True, DEPTH
        listening.found, listening.is_unflushed = [], False
        rest_s = max(LONGEST_WITHOUT_LOOK_S, self._isolation.rest_s(listening.session_id))
        listening.again_at_s = [asyncio.get_running_loop().time() + rest_s]

    async def _attend_to(self, session: Session, listening: Listening) -> None:
        now_s = asyncio.get_running_loop().time()
        is_settled = now_s - listening.printed_at_s >= SETTLE_S
        later = [at_s for at_s in listening.again_at_s if at_s > now_s]
        has_more = listening.is_unseen or listening.is_gapped or len(later) < len(listening.again_at_s)
        listening.looked_at_s, listening.is_unseen, listening.again_at_s = now_s, not is_settled, later
        if listening.is_unflushed and now_s - listening.printed_at_s >= FLUSH_S:
            listening.is_unflushed = False
            listening.found += listening.detector.flush()
        found, listening.found = listening.found, []
        try:
            if not await self._read_words(session, listening) and not self._is_to_wait(session, listening):
                await self._listen(session, listening, found, has_more=has_more)
        except HarkError as failure:
            listening.is_unseen, listening.is_gapped, listening.lines = False, True, DEPTH
            listening.again_at_s.append(now_s + LONGEST_WITHOUT_LOOK_S)
            logger.info("a session could not be looked at", extra={"session": session.name, "code": failure.code})

    async def _read_words(self, session: Session, listening: Listening) -> bool:
        """Take in new words from the agent's own record. Return True if the agent has a record: then the record alone counts."""
        spoken = await self._natives.words(session)
        if spoken is not None:
            listening.deaf_since_s = None
            words = [one for one in spoken if one.at is None or one.at >= session.created_at]
            await self._signals.hear_words(session, words)
            return True
        memory = await self._signals.memory(session.id)
        path = listening.named_record or await self._open_record(session, listening) or memory.record
        if not path or not has_record(session.agent):
            return False
        start = memory.record_read if path == memory.record else 0
        words, end = await read_record(session.agent, path, start, session.created_at)
        if words or end != start or path != memory.record:
            await self._signals.hear_words(session, words, path, end)
        return True

    async def _open_record(self, session: Session, listening: Listening) -> str | None:
        now_s = asyncio.get_running_loop().time()
        if now_s - listening.searched_at_s >= LONGEST_WITHOUT_LOOK_S:
            listening.searched_at_s = now_s
            listening.open_record = await find_open_record(session.agent, session.pane.pid)
        return listening.open_record

    def _is_to_wait(self, session: Session, listening: Listening) -> bool:
        """Return True if the agent was started with a native channel and may still be about to open it: until then its screen would be
        misunderstood."""
        now_s = asyncio.get_running_loop().time()
        listening.deaf_since_s = listening.deaf_since_s or now_s
        if not self._natives.is_expected(session) or now_s - listening.deaf_since_s > CHANNEL_S:
            return False
        listening.again_at_s.append(now_s + CERTAIN_S)
        return True

    async def _listen(self, session: Session, listening: Listening, found: list[Found], *, has_more: bool) -> None:
        """Announce the signals that are new. `has_more` is True if the screen may show more than at the last look."""
        if listening.is_plain and not listening.is_gapped:
            self._signals.tell_misses(session, found)
            await self._signals.hear_lines(session, self._without_late(listening, found))
            return
        if listening.is_plain and self._is_flowing(listening):
            listening.found, listening.is_unseen = found + listening.found, True
            return
        if not has_more:
            return
        sightings, listening.kept = merge_sightings(listening.kept, await self._see(session, listening)), []
        if sightings and await self._may_have_record(session, listening):
            listening.is_gapped, listening.lines, listening.kept = True, DEPTH, sightings
            listening.again_at_s.append(asyncio.get_running_loop().time() + CERTAIN_S)
            return
        has_turns = self._turns.hears_prompts(session.id)
        before = len((await self._signals.memory(session.id)).announced)
        if await self._signals.see(session, sightings, has_turns=has_turns, is_plain=listening.is_plain):
            listening.again_at_s.append(asyncio.get_running_loop().time() + CERTAIN_S)
        if listening.is_plain:
            new = (await self._signals.memory(session.id)).announced[before:]
            listening.late = Counter(one.fingerprint for one in new)
            listening.late -= Counter(one.fingerprint for one in found if isinstance(one, Marker))
            listening.late_until_s = asyncio.get_running_loop().time() + LATE_S

    async def _see(self, session: Session, listening: Listening) -> list[Sighting]:
        """Look at the screen and at what has scrolled off it since the last look. Return the signals that stand there."""
        depth, listening.lines, listening.is_gapped = min(DEPTH, listening.lines + MORE), 0, False
        async with self._looks:
            rendering = await self._panes.of(session.pane).rendering(session.pane, depth)
        rows, look = self._rows(session, rendering), self._look(session, rendering)
        sightings, misses = read_rows(rows, self._reader, look)
        self._signals.tell_misses(session, misses)
        return sightings

    def _without_late(self, listening: Listening, found: list[Found]) -> list[Found]:
        """Return what the stream has brought, without the signals that the scrollback showed a moment earlier: those were announced."""
        if asyncio.get_running_loop().time() > listening.late_until_s:
            listening.late.clear()
        fresh: list[Found] = []
        for one in found:
            if isinstance(one, Marker) and listening.late[one.fingerprint] > 0:
                listening.late[one.fingerprint] -= 1
            else:
                fresh.append(one)
        return fresh

    async def _may_have_record(self, session: Session, listening: Listening) -> bool:
        """Return True if the agent may be about to begin its record, so that its screen is not believed yet: an agent begins its record
        when it speaks for the first time. An agent that was heard by its screen before, also before a restart of the daemon, has no
        record."""
        if not has_record(session.agent) or is_heard_by_screen_only(await self._signals.memory(session.id)):
            return False
        now_s = asyncio.get_running_loop().time()
        listening.sighted_at_s = listening.sighted_at_s or now_s
        return now_s - listening.sighted_at_s < RECORD_S

    def _is_flowing(self, listening: Listening) -> bool:
        """Return True if the stream and a picture of the scrollback may overlap now: then the gap is closed a little later."""
        now_s = asyncio.get_running_loop().time()
        return now_s - listening.printed_at_s < SETTLE_S and now_s - listening.gapped_at_s < LONGEST_GAP_S

    def _rows(self, session: Session, rendering: Rendering) -> list[Drawn]:
        """Return the rows of the scrollback and the screen above the input box."""
        box = read_box(rendering.screen, self._kinds.get(session.agent).box)
        if box is None:
            return rendering.rows
        return rendering.rows[: len(rendering.rows) - len(rendering.screen.rows) + box.top]

    def _look(self, session: Session, rendering: Rendering) -> Look:
        kind = self._kinds.get(session.agent)
        is_known = session.agent != GENERIC
        return Look(
            prompt=kind.box.prompt if is_known else None,
            prompt_rows=kind.box.rows if is_known else None,
            column=kind.words_column,
            has_panels=kind.has_panels,
            has_brackets=kind.keeps_brackets,
            has_fences=not is_known,
            columns=rendering.screen.columns,
        )

    def _look_again(self, listening: Listening) -> None:
        now_s = asyncio.get_running_loop().time()
        listening.again_at_s = [now_s, *(now_s + later_s for later_s in RECORD_AGAIN_S)]
        self._stirred.set()


def _is_due(listening: Listening, now_s: float) -> bool:
    quiet_s = now_s - listening.printed_at_s
    if (
        listening.found
        or (listening.is_unflushed and quiet_s >= FLUSH_S)
        or any(at_s <= now_s for at_s in listening.again_at_s)
    ):
        return True
    return listening.is_unseen and (quiet_s >= SETTLE_S or now_s - listening.looked_at_s >= LONGEST_WITHOUT_LOOK_S)
