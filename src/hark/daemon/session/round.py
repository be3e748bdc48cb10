"""One round of a courier: asks `next_step` what to do, finds out the facts that it asks for, and carries its actions out.

A round ends when nothing more can be done now. It knows the terminal and the agent only through a `FactFinder` and a `Deliverer`, so the
model of the whole queue in the tests runs the same rounds.
"""

import asyncio
from typing import Protocol

from msgspec.structs import replace

from hark.daemon.delivering.failures import hold_after
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.process.log import logger
from hark.delivery.actions import (
    Action,
    DeliverNatively,
    Expire,
    Find,
    Finish,
    GiveUpProof,
    HoldAll,
    HoldBack,
    Idle,
    Rest,
    SettleClaim,
    UseKeys,
    WakeAgent,
)
from hark.delivery.after_attempt import Pause, Refusal, count_failure, count_refusal, pause_after
from hark.delivery.gate import Hold
from hark.delivery.next_step import next_step
from hark.delivery.session_view import Fact, Limits, Memory, SessionView
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.message import HoldReason, Message
from hark.queue.lifecycle import PENDING, is_attempted
from hark.store.contract import Store


class FactFinder(Protocol):
    """Looks at the session."""

    async def look(self, memory: Memory) -> SessionView: ...
    async def find(self, fact: Fact, view: SessionView) -> SessionView: ...


class Deliverer(Protocol):
    """Carries deliveries out. Each method returns None if the message is no longer in the way, else why it is held."""

    async def use_keys(self, action: UseKeys) -> Hold | None: ...
    async def deliver_natively(self, action: DeliverNatively) -> Hold | None: ...
    async def settle_claim(self, action: SettleClaim) -> None: ...
    async def give_up_proof(self, action: GiveUpProof) -> None: ...
    async def wake(self, message: Message) -> Hold | None:
        """Give the message to the hook that waits beside the idle agent. Return None if the hook cannot take it."""


class Round:
    def __init__(
        self,
        session_id: SessionId,
        finder: FactFinder,
        deliverer: Deliverer,
        ledger: Ledger,
        store: Store,
        limits: Limits,
    ) -> None:
        self._session_id = session_id
        self._finder = finder
        self._deliverer = deliverer
        self._ledger = ledger
        self._store = store
        self._limits = limits
        self._memory = Memory()
        self._at_work: Message | None = None
        """The message that is being delivered."""

    async def run(self) -> Pause:
        """Do what can be done now. Return how to wait then."""
        while True:
            if pause := await self.step():
                return pause

    async def note_failure(self, detail: str) -> None:
        """Count an unforeseen failure of a delivery against its message."""
        message, self._at_work = self._at_work, None
        if message is None:
            return
        current = await self._store.message(message.id)
        refusal = count_failure(current, detail, self._memory, self._limits, _now_s())
        if not await self._steps_aside(current, refusal):
            await self._hold(message, Hold(HoldReason.INTERNAL, detail, is_refused=True))

    async def step(self) -> Pause | None:
        """Look at the session and carry one action out. Return None if there may be more to do."""
        view = await self._finder.look(self._memory)
        match next_step(view):
            case Idle():
                return Pause(None, is_for_output=False)
            case Rest(for_s=for_s):
                return Pause(for_s)
            case HoldAll() as action:
                await self._hold_all(action)
                return Pause(None, is_for_output=False)
            case Expire() as action:
                await self._ledger.expire(action.message)
                return None
        message = self._at_work = view.message
        hold = await self._try(view)
        if hold is None:
            return None
        if message and hold.is_refused:
            current = await self._store.message(message.id)
            refusal = count_refusal(current, hold.detail, self._memory, self._limits, _now_s())
            if await self._steps_aside(current, refusal):
                return None
        return pause_after(hold, self._limits)

    async def _try(self, view: SessionView) -> Hold | None:
        """Decide and deliver. Return None if the message is no longer in the way, because it is delivered or has ended otherwise; else
        return why it is held."""
        message = view.message
        try:
            hold = await self._decide(view)
        except HarkError as failure:
            extra = {"session": self._session_id, "message_id": message and message.id}
            logger.warning("delivery failed", extra=extra | {"code": failure.code, "detail": failure.detail})
            has_begun = message is not None and (await self._store.message(message.id)).attempts > message.attempts
            hold = hold_after(failure, has_begun=has_begun)
        if hold and message:
            await self._hold(message, hold)
        return hold

    async def _decide(self, view: SessionView) -> Hold | None:
        while True:
            match next_step(view):
                case Find(fact=fact):
                    view = await self._finder.find(fact, view)
                case WakeAgent(message=message):
                    if hold := await self._deliverer.wake(message):
                        return hold
                    view = replace(view, hooks=replace(view.hooks, has_waiter=False))
                case action:
                    return await self._carry_out(action)

    async def _carry_out(self, action: Action) -> Hold | None:
        match action:
            case HoldBack(hold=hold):
                return hold
            case Finish(message=message, sibling=sibling):
                await self._ledger.finish(message, sibling)
            case GiveUpProof():
                await self._deliverer.give_up_proof(action)
            case SettleClaim():
                await self._deliverer.settle_claim(action)
            case DeliverNatively():
                return await self._deliverer.deliver_natively(action)
            case UseKeys():
                return await self._deliverer.use_keys(action)
        return None  # The other actions need no fact: the next look at the session brings them up again.

    async def _hold_all(self, action: HoldAll) -> None:
        """Record for every message that it is held, that it is uncertain if its text may have arrived, or that it has expired."""
        for message in action.messages:
            if not await self._ledger.expire(message):
                await self._ledger.hold(message, action.hold, is_in_box=is_attempted(message))

    async def _steps_aside(self, message: Message, refusal: Refusal) -> bool:
        """Remember a refusal. Return True if the message is given up, so that the next one may go on."""
        self._memory = refusal.memory
        if refusal.given_up is None:
            return False
        await self._ledger.give_up(message, refusal.given_up)
        return True

    async def _hold(self, message: Message, hold: Hold) -> None:
        current = await self._store.message(message.id)
        if current.status in PENDING:
            await self._ledger.hold(current, hold, is_in_box=is_attempted(current))


def _now_s() -> float:
    return asyncio.get_running_loop().time()
