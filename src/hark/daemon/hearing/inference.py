"""Asks a model what a session's screen means, if the session has been quiet for long and its agent has said nothing. It is off unless
the user has named a model. It makes few calls an hour, and does not ask twice in a row about the same screen."""

import asyncio
from collections import deque
from functools import partial
from pathlib import Path

import msgspec

from hark.daemon.core import Core
from hark.daemon.hearing.http_post import post
from hark.daemon.hearing.signal_intake import Signals
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.session.live import Part
from hark.model.errors import HarkError
from hark.model.session import Session
from hark.model.signal import SignalState
from hark.signals.inferring import is_due, question, read_answer, read_response, request

HOUR_S = 3600.0
DEADLINE_S = 30.0


class AskedScreen(Part):
    """The question that was asked last about one session, so that the model is not asked about the same screen again."""

    question = ""


class Inference:
    def __init__(self, core: Core, signals: Signals) -> None:
        self._sessions = core.sessions
        self._live = core.live
        self._panes = core.panes
        self._signals = signals
        self._config = core.config
        self._clock = core.clock
        self._calls_at_s: deque[float] = deque()
        self._isolation = Isolation("inference")

    async def run(self) -> None:
        if not self._config.infer_url:
            await asyncio.get_running_loop().create_future()
        while True:
            await asyncio.sleep(max(0.5, min(15.0, self._config.infer_after / 4)))
            await self.look_at_all()

    async def look_at_all(self) -> None:
        for session in self._sessions.running():
            await self._isolation.run(session.id, partial(self._look_at, session))

    async def _look_at(self, session: Session) -> None:
        if self._is_due(session):
            await self._try(session)

    def _is_due(self, session: Session) -> bool:
        last_word_at = max(session.last_signal_at or session.created_at, session.created_at)
        quiet_s = self._panes.quiet_s(session.pane)
        return is_due(self._clock(), last_word_at, quiet_s, self._config.infer_after)

    async def _try(self, session: Session) -> None:
        try:
            seen_at = self._clock()
            rows = (await self._panes.of(session.pane).screen(session.pane)).rows.plain
            text = question(rows)
            asked = self._live.of(session.id).part(AskedScreen)
            if asked.question == text or not self._may_call():
                return
            asked.question = text
            guess = read_answer(await self._ask(text))
            if guess and guess[0] is not SignalState.WORKING:
                await self._signals.infer(session, *guess, seen_at)
        except HarkError as failure:
            logger.warning(
                "the model service gave no answer", extra={"session": session.name, "detail": failure.detail}
            )

    def _may_call(self) -> bool:
        now_s = asyncio.get_running_loop().time()
        while self._calls_at_s and now_s - self._calls_at_s[0] > HOUR_S:
            self._calls_at_s.popleft()
        if len(self._calls_at_s) >= self._config.infer_per_hour:
            return False
        self._calls_at_s.append(now_s)
        return True

    async def _ask(self, text: str) -> str:
        assert self._config.infer_url is not None
        path, headers, body = request(self._config.infer_protocol, self._config.infer_model, self._key(), text)
        url = self._config.infer_url.rstrip("/") + path
        data = await post(url, msgspec.json.encode(body), headers, DEADLINE_S)
        return read_response(self._config.infer_protocol, data)

    def _key(self) -> str:
        if not self._config.infer_key_file:
            return ""
        try:
            return Path(self._config.infer_key_file).expanduser().read_text().strip()
        except (OSError, UnicodeDecodeError) as failure:
            raise HarkError(
                "not-available", f"infer_key_file cannot be read: {failure}", "make it readable"
            ) from failure
