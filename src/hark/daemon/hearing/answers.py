"""Finds the agent's final words when the turn of a message completes: in the agent's own API or record, from its hook, or at last on
the screen. An answer names its source, and a missing answer says why it is missing. A search that fails never keeps a
message from completing."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

from hark.agents.records.answers import read_recorded_answer
from hark.agents.records.record import has_record
from hark.daemon.core import Core
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.record_reader import find_open_record
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.process.log import logger
from hark.daemon.process.slow_calls import work_aside
from hark.daemon.session.live import Part
from hark.delivery import wording
from hark.delivery.screen.box import read_box
from hark.delivery.screen.since_prompt import since_prompt
from hark.model.answer import Answer, AnswerSource, Spoken, make_answer, no_answer
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.message import Message
from hark.model.session import Session
from hark.queue.turns import Completed

WRITTEN_S = 1.5
"""How long an agent may take to write its last words down after it has said that it stopped. Measured: 0.13 s at the most."""
POLL_S = 0.05
LONGEST_S = 10.0
"""How long a search for an answer may take at most, because the message is not completed before its end."""
DEPTH = 1000
"""How many lines of scrollback are searched for the prompt."""
MOST_STOPS = 20
INTERRUPTED = "its turn was interrupted"
WORDLESS = "the agent ended its turn without words"
UNFINISHED = "the agent's record shows neither words nor the end of the turn"
NOT_OVER = "the agent's record does not show the end of the turn, so there may be more"
FROM_SCREEN = "read from the screen, which may show more or less than the answer"

Read = Callable[[], Awaitable[Spoken | None]]


class LastWords(Part):
    """What hooks have told about the ends of one session's turns."""

    def __init__(self) -> None:
        self.by_stop: dict[datetime, str] = {}
        """The last words of a turn, by the time at which the agent said that the turn had stopped."""


class Answers:
    def __init__(self, core: Core, natives: Natives, witnesses: Witnesses) -> None:
        self._sessions = core.sessions
        self._live = core.live
        self._panes = core.panes
        self._natives = natives
        self._witnesses = witnesses
        self._kinds = core.kinds
        self._clock = core.clock

    def note(self, session_id: SessionId, at: datetime, words: str) -> None:
        """Take note of the last words that a hook has reported with the stop of a turn."""
        known = self._live.of(session_id).part(LastWords).by_stop
        if words.strip():
            known[at] = words
        while len(known) > MOST_STOPS:
            del known[next(iter(known))]

    async def find(self, message: Message, fact: Completed) -> Answer:
        """Return the answer to a message whose turn has ended. This never raises, and takes LONGEST_S at most."""
        try:
            async with asyncio.timeout(LONGEST_S):
                return await self._find(message, fact)
        except TimeoutError:
            return no_answer(message.id, self._clock(), "the answer could not be read in time")
        except (OSError, HarkError) as failure:
            return no_answer(message.id, self._clock(), f"the answer could not be read: {failure}")
        except Exception:  # noqa: BLE001 a supervisor: the message completes all the same
            logger.exception("answer not read", extra={"message_id": message.id})
            return no_answer(message.id, self._clock(), "the answer could not be read: hark failed, see `hark logs`")

    async def _find(self, message: Message, fact: Completed) -> Answer:
        session = self._sessions.get(message.session_id)
        last = self._live.find(session.id, LastWords)
        told = last.by_stop.get(fact.at, "") if last else ""
        reason = INTERRUPTED if fact.was_interrupted else ""
        source, spoken = await self._spoken(session, message, told)
        if spoken and spoken.text.strip():
            is_certain = spoken.is_over or _ends_with(spoken, told)
            return make_answer(
                message.id, spoken.text, source, self._clock(), reason or ("" if is_certain else NOT_OVER)
            )
        if told:
            return make_answer(message.id, told, AnswerSource.HOOK, self._clock(), reason)
        if reason or spoken:
            wordless = WORDLESS if spoken and spoken.is_over else UNFINISHED
            return no_answer(message.id, self._clock(), reason or wordless)
        return await self._seen(session, message)

    async def _spoken(self, session: Session, message: Message, told: str) -> tuple[AnswerSource, Spoken | None]:
        """Return the final words from the agent's API, else from its record; None if neither has the message's turn."""
        if message.is_raw:
            return AnswerSource.NONE, None
        if self._natives.is_expected(session):
            spoken = await _settled(partial(self._natives.answer, session, message.id), told)
            if spoken:
                return AnswerSource.API, spoken
        if not has_record(session.agent):
            return AnswerSource.NONE, None
        path = self._witnesses.transcript_of(session.id) or await find_open_record(session.agent, session.pane.pid)
        if not path:
            return AnswerSource.NONE, None
        return AnswerSource.RECORD, await _settled(partial(_read, session.agent, path, message), told)

    async def _seen(self, session: Session, message: Message) -> Answer:
        """Return what the screen shows since the prompt."""
        if message.is_raw:
            return no_answer(message.id, self._clock(), "a raw message has no id by which its answer could be found")
        rendering = await self._panes.of(session.pane).rendering(session.pane, DEPTH)
        box = read_box(rendering.screen, self._kinds.get(session.agent).box)
        above = len(rendering.rows) - len(rendering.screen.rows.plain)
        end = above + box.top if box else None
        typed = wording.payload(message).partition("\n")[2]
        text = since_prompt([row.text for row in rendering.rows], message.id, typed, end)
        if text is None:
            reason = "the agent keeps no record that hark can read, and its prompt is no longer on the screen"
            return no_answer(message.id, self._clock(), reason)
        return make_answer(message.id, text, AnswerSource.SCREEN, self._clock(), FROM_SCREEN)


async def _read(kind: str, path: str, message: Message) -> Spoken | None:
    try:
        return await work_aside(f"answer in {path}", lambda: read_recorded_answer(kind, path, message.id))
    except OSError:
        return None


async def _settled(read: Read, told: str) -> Spoken | None:
    """Return the final words as soon as they are certain: the turn is over on record, or they end in what the hook has told. After
    WRITTEN_S return what there is; if the hook has told other words than those, None."""
    deadline_s = asyncio.get_running_loop().time() + WRITTEN_S
    while True:
        spoken = await read()
        if spoken and (spoken.is_over or _ends_with(spoken, told)):
            return spoken
        if asyncio.get_running_loop().time() >= deadline_s:
            return None if told.strip() else spoken
        await asyncio.sleep(POLL_S)


def _ends_with(spoken: Spoken, told: str) -> bool:
    return bool(told.strip()) and spoken.text.rstrip().endswith(told.strip())
