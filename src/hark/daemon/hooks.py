"""What agents report through their hooks: put on record, and turned into receipts of the messages it proves."""

import re
from datetime import datetime
from typing import Any

from hark.agents.decoders import decode
from hark.daemon.clock import Clock
from hark.daemon.log import logger
from hark.daemon.sessions import Sessions
from hark.delivery.wording import MESSAGE_IDS
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Said
from hark.model.ids import MessageId, SessionId
from hark.model.message import Status
from hark.queue.lifecycle import Step
from hark.store.contract import Store


class Hooks:
    def __init__(self, store: Store, sessions: Sessions, clock: Clock) -> None:
        self._store = store
        self._sessions = sessions
        self._clock = clock

    async def take(
        self, agent: str, event: str, session: str | None, emitted_at: datetime, payload: dict[str, Any]
    ) -> SessionId | None:
        """The session that it came from; None when we do not know it, and then nothing is done."""
        try:
            session_id = self._sessions.get(SessionId(session or "")).id
        except HarkError:
            logger.info("hook of an unknown session", extra={"agent": agent, "event": event})
            return None
        data = {"agent": agent, "event": event, "emitted_at": emitted_at.isoformat()}
        await self._store.add_event(Event(at=self._clock(), kind=EventKind.HOOK, session_id=session_id, data=data))
        report = decode(agent, event, payload)
        if report.said is Said.PROMPT_SUBMITTED:
            for message_id in dict.fromkeys(re.findall(MESSAGE_IDS, report.prompt)):
                await self._move(session_id, MessageId(message_id), Status.ACKNOWLEDGED, emitted_at)
        elif report.said is Said.STOPPED:
            for message in await self._store.messages(session_id, statuses=(Status.ACKNOWLEDGED,)):
                await self._move(session_id, message.id, Status.COMPLETED, emitted_at)
        return session_id

    async def _move(self, session_id: SessionId, message_id: MessageId, status: Status, at: datetime) -> None:
        """An id that is not ours, or of another session, or of a message that cannot get there, proves nothing."""
        try:
            if (await self._store.message(message_id)).session_id != session_id:
                return
            # An agent's hook may report faster than we can write down what we saw, or have another clock.
            known_at = max(receipt.at for receipt in await self._store.receipts(message_id))
            at = max(known_at, min(at, self._clock()))
            await self._store.move(message_id, Step(status=status, at=at, detail="the agent's hook said so"))
        except HarkError as refused:
            logger.info(
                "hook proves nothing", extra={"message_id": message_id, "status": str(status), "code": refused.code}
            )
