"""The courier of one session: delivers its messages one at a time, in order, or says why it does not.

It sleeps until something happens that can change the answer: a message arrives, the pane prints, a fact of the pane
changes, a pause is over; `input_poll_interval` is the net below these events. What it decides is decided by the gate and
the carrier; what it does is write receipts.
"""

import asyncio
import errno
import os
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path

from hark.agents.kinds import Kinds
from hark.daemon.clock import Clock
from hark.daemon.driver import Driver
from hark.daemon.log import logger
from hark.daemon.panes import Panes, is_line_mode
from hark.daemon.sessions import Sessions
from hark.delivery import into_empty_box, wording
from hark.delivery.gate import Hold, PaneState, check_gate
from hark.delivery.steps import Held, Outcome, Stuck, Submitted, Unproven
from hark.model.config import Config
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.message import Carrier, Channel, HoldReason, Lease, Message, Status
from hark.model.session import Session, SessionState
from hark.queue.lifecycle import PENDING, Step, has_reached, is_expired
from hark.store.contract import Store
from hark.terminal.facts import PaneFacts

LEASE_S = 15.0
"""Longer than any delivery: each of its waits has a deadline of a few seconds."""
QUIETEST_S = 0.1
"""A held session that prints without end is looked at no more often than this."""


class Courier:
    def __init__(
        self,
        session_id: SessionId,
        store: Store,
        sessions: Sessions,
        panes: Panes,
        kinds: Kinds,
        config: Config,
        clock: Clock,
        owner: str,
        texts: Path,
    ) -> None:
        self._session_id = session_id
        self._store = store
        self._sessions = sessions
        self._panes = panes
        self._kinds = kinds
        self._config = config
        self._clock = clock
        self._owner = owner
        self._texts = texts
        self._wake = asyncio.Event()
        self.lock = asyncio.Lock()
        """Held during an attempt; who changes a pending message from outside takes it first."""
        self.is_waiting_for_output = False

    def wake(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        while True:
            self._wake.clear()
            async with self.lock:
                wait_s = await self._work()
            await self._sleep(wait_s)

    async def _sleep(self, wait_s: float | None) -> None:
        """Until woken; None: for as long as it takes."""
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(wait_s):
                await self._wake.wait()
        except TimeoutError:
            return
        if wait_s is not None and (rest := started + QUIETEST_S - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(rest)

    async def _work(self) -> float | None:
        """Delivers what can be delivered. Returns how long to sleep: None when nothing is left to deliver."""
        while True:
            session = self._sessions.get(self._session_id)
            message = await self._store.first_pending(session.id)
            if message is None:
                self.is_waiting_for_output = False
                return None
            if is_expired(message, self._clock()) and message.attempted_at is None:
                await self._move(message, Status.EXPIRED, detail="its time-out passed")
                continue
            try:
                hold = await self._try(session, message)
            except HarkError as failure:
                logger.warning(
                    "delivery failed",
                    extra={
                        "session": session.name,
                        "message_id": message.id,
                        "code": failure.code,
                        "detail": failure.detail,
                    },
                )
                hold = (
                    Hold(HoldReason.SESSION_GONE, failure.detail)
                    if failure.code in _GONE
                    else Hold(HoldReason.BUSY, failure.detail)
                )
                message = await self._store.message(message.id)
                if message.status in PENDING:
                    await self._hold(message, hold, is_in_box=message.attempted_at is not None)
            if hold is None:
                continue
            self.is_waiting_for_output = hold.reason in (HoldReason.DIALOG, HoldReason.DRAFT, HoldReason.BUSY)
            return min(hold.ends_in_s or self._config.input_poll_interval, self._config.input_poll_interval)

    async def _try(self, session: Session, message: Message) -> Hold | None:
        """None when this message is no longer in the way: delivered, or ended otherwise."""
        facts, state = await self._observe(session)
        if (hold := check_gate(state, self._clock().timestamp(), self._config.human_pause)) or facts is None:
            hold = hold or Hold(HoldReason.SESSION_GONE, "its pane is gone")
            await self._hold(message, hold, is_in_box=message.attempted_at is not None)
            return hold
        now = self._clock()
        lease = await self._store.acquire_lease(session.id, self._owner, now, now + timedelta(seconds=LEASE_S))
        if lease is None:
            return Hold(HoldReason.BUSY, "another daemon delivers to this session")
        try:
            return await self._attempt(session, message, facts, lease)
        finally:
            await self._store.release_lease(lease)

    async def _attempt(self, session: Session, message: Message, facts: PaneFacts, lease: Lease) -> Hold | None:
        kind = self._kinds.get(session.agent)
        text = self._payload(message, facts)
        was_staged = message.status is Status.STAGED
        if was_staged or message.attempted_at is not None:
            delivery = into_empty_box.resume(text, message.id, kind.box, kind.settle_s, was_staged)
        else:
            delivery = into_empty_box.deliver(text, message.id, kind.box, kind.settle_s)

        async def begin() -> bool:
            return await self._may(message, self._begin(message, lease))

        async def stage() -> bool:
            return await self._may(message, self._stage(message, lease))

        outcome = await Driver(self._panes, session.pane, begin, stage).run(delivery)
        return await self._record(message, outcome, lease)

    async def _may(self, message: Message, write: Awaitable[None]) -> bool:
        """Whether it could be put on record; if not, the delivery goes no further."""
        try:
            await write
        except HarkError as refused:
            logger.info("called off", extra={"message_id": message.id, "code": refused.code, "detail": refused.detail})
            return False
        return True

    async def _begin(self, message: Message, lease: Lease) -> None:
        message = await self._queued(message, lease)
        await self._store.begin_attempt(message.id, self._clock(), lease.fence)

    async def _stage(self, message: Message, lease: Lease) -> None:
        message = await self._store.message(message.id)
        if is_expired(message, self._clock()):
            raise HarkError("transition-illegal", "its time-out passed")
        if message.status is not Status.STAGED:
            message = await self._queued(message, lease)
            await self._move(message, Status.STAGED, fence=lease.fence)

    async def _queued(self, message: Message, lease: Lease) -> Message:
        """What held it is over."""
        if message.status is Status.HELD:
            await self._move(message, Status.QUEUED, fence=lease.fence, is_in_box=message.attempted_at is not None)
        return await self._store.message(message.id)

    async def _record(self, message: Message, outcome: Outcome, lease: Lease) -> Hold | None:
        try:
            return await self._record_once(await self._store.message(message.id), outcome, lease)
        except HarkError as failure:
            # The agent's own word (its hook) may be faster than our look at its screen, and is stronger.
            if failure.code != "transition-illegal":
                raise
            if not has_reached((await self._store.message(message.id)).status, Status.SUBMITTED):
                raise
            return None

    async def _record_once(self, message: Message, outcome: Outcome, lease: Lease) -> Hold | None:
        match outcome:
            case Submitted(detail=detail):
                if message.status is not Status.STAGED:
                    await self._queued(message, lease)
                    await self._move(message, Status.STAGED, detail=detail, fence=lease.fence)
                await self._move(message, Status.SUBMITTED, detail=detail, fence=lease.fence)
                return None
            case Unproven(detail=detail):
                await self._move(message, Status.UNCERTAIN, detail=detail, fence=lease.fence)
                return None
            case Held(reason=reason, detail=detail):
                hold = Hold(reason, detail)
                await self._hold(message, hold, is_in_box=False)
                return hold
            case Stuck(detail=detail):
                hold = Hold(HoldReason.DRAFT, detail)
                await self._hold(message, hold, is_in_box=True)
                return hold

    async def _hold(self, message: Message, hold: Hold, *, is_in_box: bool) -> None:
        """Writes the reason if it is a new one. A message whose text may be in the box stays marked as such."""
        if message.status is Status.STAGED and hold.reason is HoldReason.SESSION_GONE:
            await self._move(message, Status.UNCERTAIN, detail="the session ended while the text was in its box")
            return
        if message.status is Status.STAGED and hold.reason is not HoldReason.DRAFT:
            return
        is_known = message.status is Status.HELD and message.hold_reason is hold.reason
        if is_known and (message.attempted_at is not None) is is_in_box:
            return
        await self._move(message, Status.HELD, reason=hold.reason, detail=hold.detail, is_in_box=is_in_box)

    async def _move(
        self,
        message: Message,
        status: Status,
        *,
        reason: HoldReason | None = None,
        detail: str = "",
        fence: int | None = None,
        is_in_box: bool = False,
    ) -> None:
        is_delivery = status in (Status.STAGED, Status.SUBMITTED)
        step = Step(
            status=status,
            at=self._clock(),
            reason=reason,
            detail=detail,
            channel=Channel.TERMINAL if is_delivery else None,
            carrier=Carrier.NONE if is_delivery else None,
            is_in_box=is_in_box,
        )
        await self._store.move(message.id, step, fence)
        extra = {
            "session": self._session_id,
            "message_id": message.id,
            "status": str(status),
            "reason": reason and str(reason),
            "detail": detail,
        }
        logger.info("message", extra=extra)

    async def _observe(self, session: Session) -> tuple[PaneFacts | None, PaneState]:
        if session.state is SessionState.GONE:
            return None, PaneState(is_there=False)
        try:
            facts = await self._panes.of(session.pane).pane_facts(session.pane)
        except HarkError as failure:
            if failure.code not in _GONE:
                raise
            return None, PaneState(is_there=False)
        pane = facts.panes.get(session.pane.pane_id)
        if pane is None or pane.is_dead or pane.pid != session.pane.pid:
            return None, PaneState(is_there=False)
        await self._panes.watch(session.pane)
        state = PaneState(
            is_there=True,
            foreground=pane.foreground,
            in_mode=pane.in_mode,
            last_key_at_s=facts.last_key_at(pane.pane_id),
            is_line_mode=is_line_mode(pane),
            do_not_disturb=session.do_not_disturb_since is not None,
        )
        return pane, state

    def _payload(self, message: Message, facts: PaneFacts) -> str:
        if not wording.needs_file(message, facts.columns, facts.rows):
            return wording.payload(message)
        path = self._texts / f"{message.id}.txt"
        try:
            self._texts.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write(message.text)
        except OSError as failure:
            code = "disk-full" if failure.errno in (errno.ENOSPC, errno.EDQUOT) else "state-not-writable"
            raise HarkError(code, f"{path}: {failure.strerror}", "free some space, or make it writable") from failure
        return wording.payload(message, str(path))


_GONE = frozenset({"tmux-gone", "tmux-failed", "pane-not-found"})
