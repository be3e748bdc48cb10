"""Keeps one courier for each session that has, or had, something to deliver. Each courier is a task that is owned, watched and
restarted here."""

import asyncio
from collections.abc import Callable

from hark.daemon.process.log import logger
from hark.daemon.session.courier import Courier
from hark.daemon.session.live import LiveSessions
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId
from hark.model.session import Pane
from hark.store.contract import Store

_CONCERNS = (EventKind.SESSION_GONE, EventKind.SESSION_HELD, EventKind.SESSION_RELEASED, EventKind.TURN)
RESTART_S = (0.1, 0.5, 2.0, 10.0)


class Couriers:
    def __init__(
        self,
        store: Store,
        live: LiveSessions,
        make: Callable[[SessionId], Courier],
        session_at: Callable[[Pane], SessionId | None],
    ) -> None:
        self._store = store
        self._live = live
        self._make = make
        self._session_at = session_at
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Run the couriers until cancelled. Begin with the sessions that have pending messages or drafts."""
        async with asyncio.TaskGroup() as self._tasks:
            waiting = {message.session_id for message in await self._store.pending()}
            for session_id in waiting | {draft.session_id for draft in await self._store.drafts()}:
                self.wake(session_id)
            await asyncio.get_running_loop().create_future()

    def of(self, session_id: SessionId) -> Courier:
        return self._live.of(session_id).part(Courier, lambda: self._begin(session_id))

    def _begin(self, session_id: SessionId) -> Courier:
        assert self._tasks is not None
        courier = self._make(session_id)
        self._tasks.create_task(self._supervise(session_id, courier), name=f"courier {session_id}")
        return courier

    def all(self) -> list[Courier]:
        return [courier for _, courier in self._live.parts(Courier)]

    def wake(self, session_id: SessionId) -> None:
        if self._tasks is not None:
            self.of(session_id).wake()

    def stir(self, session_id: SessionId) -> None:
        """Wake the courier of a session, if the session has one."""
        if courier := self._live.find(session_id, Courier):
            courier.wake()

    def on_event(self, event: Event) -> None:
        """Wake the session's courier. A message that was queued, cancelled or expired, and a session that has started again, gets
        a courier if there is none; a session that is gone or has changed only wakes the courier that it has."""
        if event.session_id is None:
            return
        is_queued = event.kind is EventKind.MESSAGE and event.data.get("status") in ("queued", "cancelled", "expired")
        if is_queued or event.kind is EventKind.SESSION_RESTARTED:
            self.wake(event.session_id)
        elif event.kind in _CONCERNS and (courier := self._live.find(event.session_id, Courier)):
            courier.wake()

    def on_output(self, pane: Pane) -> None:
        session_id = self._session_at(pane)
        courier = self._live.find(session_id, Courier) if session_id else None
        if courier and courier.is_waiting_for_output:
            courier.wake()

    async def _note_failure(self, courier: Courier, failure: Exception) -> None:
        try:
            await courier.note_failure(f"unexpected {type(failure).__name__}; see 'courier failed' in `hark logs`")
        except HarkError as refused:
            logger.error("failure not recorded", extra={"code": refused.code, "detail": refused.detail})
        except Exception:  # noqa: BLE001 a supervisor logs and restarts
            logger.exception("failure not recorded")

    async def _supervise(self, session_id: SessionId, courier: Courier) -> None:
        """Run a courier. If it fails, log that and start it again; if its session is gone or forgotten, end it."""
        failures = 0
        while True:
            try:
                await courier.run()
                self._live.of(session_id).drop(courier)
                return
            except HarkError as failure:
                if failure.code == "session-not-found":
                    self._live.of(session_id).drop(courier)
                    return
                logger.error(
                    "courier failed", extra={"session": session_id, "code": failure.code, "detail": failure.detail}
                )
            except Exception as failure:  # noqa: BLE001 a supervisor logs and restarts
                logger.exception("courier failed", extra={"session": session_id})
                await self._note_failure(courier, failure)
            await asyncio.sleep(RESTART_S[min(failures, len(RESTART_S) - 1)])
            failures += 1
