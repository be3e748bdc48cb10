"""What the couriers of all sessions share: the parts of the daemon that a delivery works with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from hark.agents.kinds import Kinds
from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.editor_tickets import Editors
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.outbox import Outbox
from hark.daemon.panes import Panes
from hark.daemon.process.clock import Clock
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.live import LiveSessions
from hark.delivery.gate import Hold
from hark.model.ids import SessionId
from hark.model.message import HoldReason, Lease
from hark.model.settings.config import Config
from hark.store.contract import Store

LEASE_S = 15.0
"""How many seconds a lease on a session lasts: longer than any delivery, because each wait of a delivery has a deadline of a few
seconds."""
LEASE_TAKEN = Hold(HoldReason.CALLED_OFF, "another daemon delivers to this session")


@dataclass(frozen=True, kw_only=True)
class Equipment:
    store: Store
    outbox: Outbox
    sessions: Sessions
    live: LiveSessions
    panes: Panes
    kinds: Kinds
    config: Config
    clock: Clock
    owner: str
    """The name under which this daemon takes leases."""
    texts: Path
    """The directory of long texts."""
    editors: Editors
    turns: TurnBook
    natives: Natives
    handovers: Handovers

    @asynccontextmanager
    async def lease(self, session_id: SessionId) -> AsyncIterator[Lease | None]:
        """Take the lease on a session for as long as the context lasts; None if another daemon has it."""
        now = self.clock()
        lease = await self.store.acquire_lease(session_id, self.owner, now, now + timedelta(seconds=LEASE_S))
        try:
            yield lease
        finally:
            if lease is not None:
                await self.store.release_lease(lease)
