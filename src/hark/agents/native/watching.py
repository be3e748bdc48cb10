"""The part of a native channel that Codex and OpenCode share: it looks when there is reason to, says what is new, and starts what
was left.

An interrupted agent keeps what it has accepted but begins nothing by itself. A message that still waits when the agent has been
idle for LEFT_S is started; before that, the agent may only not have begun yet.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from hark.agents.native.channel import ChannelLost, State
from hark.agents.native.picture import Picture, continued, events_between
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.question import Asked

LEFT_S = 1.0


class Watching(ABC):
    pressing_poll_s: float
    """Seconds between two looks while the agent is about to record something: it may do so a moment after it says that it works."""
    outstanding_poll_s: float
    """Seconds between two looks while the agent works on a message of hark's."""
    quiet_poll_s: float

    def __init__(self) -> None:
        self._news = asyncio.Event()
        self._outstanding: set[MessageId] = set()
        self._left_since: float | None = None
        self.conversation = ""
        """The agent's own name for the conversation at the last look; empty if it was not certain."""
        self.asked: tuple[Asked, ...] = ()
        """What the agent asked its human at the last look."""

    @abstractmethod
    async def picture(self) -> Picture:
        """Return what the agent has on record now. Raise ChannelLost if the agent does not answer."""

    @abstractmethod
    async def start_left(self, message_id: MessageId) -> None:
        """Make an idle agent begin what it has accepted."""

    def notice(self) -> None:
        """Make the watcher look at once, because something may have changed."""
        self._news.set()

    async def events(self) -> AsyncIterator[Heard]:
        before: Picture | None = None
        while True:
            self._news.clear()
            try:
                after = continued(before, await self.picture())
                self.conversation = after.conversation or self.conversation
                self.asked = after.asked
                await self._start_what_is_left(after)
            except ChannelLost as lost:
                yield Heard(said=Said.SESSION_ENDED, at=datetime.now(UTC), detail=str(lost))
                return
            for event in events_between(before, after, datetime.now(UTC)):
                self._settle(event)
                yield event
            before = after
            await self._wait_for_news(after)

    def _settle(self, event: Heard) -> None:
        if event.said in (Said.STOPPED, Said.INTERRUPTED):
            self._outstanding.difference_update(event.message_ids)

    async def _start_what_is_left(self, picture: Picture) -> None:
        now = asyncio.get_running_loop().time()
        if not (picture.is_idle and picture.waiting):
            self._left_since = None
        elif self._left_since is None:
            self._left_since = now
        elif now - self._left_since >= LEFT_S:
            self._left_since = None
            await self.start_left(picture.waiting[0])

    async def _wait_for_news(self, picture: Picture) -> None:
        try:
            async with asyncio.timeout(self._patience_s(picture)):
                await self._news.wait()
        except TimeoutError:
            return

    def _patience_s(self, picture: Picture) -> float:
        in_turns = {one for turn in picture.turns for one in turn.message_ids}
        not_begun = self._outstanding - in_turns
        begins_later = not picture.is_idle and not_begun <= set(picture.waiting)
        is_ending = picture.is_idle and any(turn.end is None for turn in picture.turns)
        if is_ending or (picture.is_idle and picture.waiting) or (not_begun and not begins_later):
            return self.pressing_poll_s
        is_awaited = bool(self._outstanding or picture.state is State.WAITING)
        return self.outstanding_poll_s if is_awaited else self.quiet_poll_s
