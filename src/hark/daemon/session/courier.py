"""The courier of one session: delivers its messages one at a time, in order, or says why it does not.

A courier sleeps until something happens that can change the answer: a message arrives, the pane prints, a fact of the pane
changes, a pause is over. If it misses such an event, it looks again after `input_poll_interval`. `delivery/next_step.py` decides what the
courier does, and `round.py` carries it out.
"""

import asyncio

from hark.daemon.delivering.carriers import Carriers
from hark.daemon.delivering.equipment import Equipment
from hark.daemon.delivering.key_delivery import KeyDelivery
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.delivering.native_delivery import NativeDelivery, give_up
from hark.daemon.session.fact_finding import FactFinding, limits_of
from hark.daemon.session.live import Part
from hark.daemon.session.round import Round
from hark.delivery.actions import DeliverNatively, GiveUpProof, SettleClaim, UseKeys
from hark.delivery.after_attempt import QUIETEST_S
from hark.delivery.gate import Hold
from hark.delivery.screen.box import Box
from hark.model.ids import SessionId
from hark.model.message import Message
from hark.model.session import Session, SessionState


class Courier(Part):
    def __init__(self, session_id: SessionId, equipment: Equipment) -> None:
        self._session_id = session_id
        self._sessions = equipment.sessions
        self._carriers = Carriers(equipment.panes, equipment.config.input_stale_timeout)
        ledger = Ledger(session_id, equipment.store, equipment.outbox, equipment.clock)
        finder = FactFinding(session_id, equipment, ledger, self._carriers)
        deliveries = Deliveries(session_id, equipment, ledger, self._carriers)
        self._round = Round(session_id, finder, deliveries, ledger, equipment.store, limits_of(equipment.config))
        self._wake = asyncio.Event()
        self.lock = asyncio.Lock()
        """This lock is held during a round. Whoever changes a pending message from outside takes the lock first."""
        self.is_waiting_for_output = False

    @property
    def is_at_work(self) -> bool:
        """True as long as somebody has this courier: a courier ends by itself when its session is gone, and `Couriers` drops it then."""
        return True

    def see_box(self, box: Box | None) -> float:
        """Take note of what the input box holds now. Return for how many seconds the box has held exactly that."""
        self._carriers.see(box)
        return self._carriers.untouched.for_s(asyncio.get_running_loop().time())

    def wake(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        """Deliver messages until the session is gone and every message that waits for it says so: then nothing can be delivered."""
        while True:
            self._wake.clear()
            async with self.lock:
                pause = await self._round.run()
            if pause.is_for_output is not None:
                self.is_waiting_for_output = pause.is_for_output
            if self._sessions.get(self._session_id).state is SessionState.GONE and not self._wake.is_set():
                return
            await self._sleep(pause.for_s)

    async def note_failure(self, detail: str) -> None:
        """Count an unforeseen failure of a delivery against its message."""
        async with self.lock:
            await self._round.note_failure(detail)

    async def _sleep(self, wait_s: float | None) -> None:
        """Sleep until somebody wakes this courier, or until `wait_s` seconds have passed; None means no such limit."""
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(wait_s):
                await self._wake.wait()
        except TimeoutError:
            return
        if wait_s is not None and (rest := started + QUIETEST_S - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(rest)


class Deliveries:
    """Carries the deliveries of one session out: by its agent's own API, by its hooks, by keys."""

    def __init__(self, session_id: SessionId, equipment: Equipment, ledger: Ledger, carriers: Carriers) -> None:
        self._session_id = session_id
        self._equipment = equipment
        self._ledger = ledger
        self._keys = KeyDelivery(equipment, ledger, carriers)
        self._native = NativeDelivery(equipment, ledger)

    async def use_keys(self, action: UseKeys) -> Hold | None:
        return await self._keys.run(self._session(), action)

    async def deliver_natively(self, action: DeliverNatively) -> Hold | None:
        return await self._native.run(self._session(), action)

    async def settle_claim(self, action: SettleClaim) -> None:
        await self._equipment.handovers.end_claim(self._session(), action.message, action.fate)

    async def give_up_proof(self, action: GiveUpProof) -> None:
        await give_up(action.message, self._ledger)

    async def wake(self, message: Message) -> Hold | None:
        return await self._equipment.handovers.wake(self._session(), message)

    def _session(self) -> Session:
        return self._equipment.sessions.get(self._session_id)
