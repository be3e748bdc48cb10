"""Work at the box needs the lease on the session: without it no key is pressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from hark.daemon.delivering.carriers import Carriers
from hark.daemon.delivering.equipment import LEASE_TAKEN, Equipment
from hark.daemon.delivering.key_delivery import KeyDelivery
from hark.daemon.delivering.ledger import Ledger
from hark.delivery.actions import KeyWork, UseKeys
from hark.model.ids import SessionId
from tests.unit.daemon.faulty import T0, Parts, at, make_session
from tests.unit.delivery.screens import KINDS


async def test_another_daemon_that_has_the_lease_keeps_us_from_the_box() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        message = await parts.enqueue("m1", "a")
        assert await parts.store.acquire_lease(SessionId("a"), "another daemon", T0, at(60))
        nothing: Any = None
        equipment = Equipment(
            store=parts.store,
            outbox=parts.outbox,
            sessions=parts.sessions,
            live=parts.live,
            panes=nothing,  # A look at a pane would fail.
            kinds=KINDS,
            config=parts.config,
            clock=parts.clocks.wall,
            owner="us",
            texts=Path("/nowhere"),
            editors=nothing,
            turns=nothing,
            natives=nothing,
            handovers=nothing,
        )
        ledger = Ledger(SessionId("a"), parts.store, parts.outbox, parts.clocks.wall)
        action = UseKeys(work=KeyWork.DELIVER, messages=(message,), draft=None, foreground="claude")

        hold = await KeyDelivery(equipment, ledger, cast(Carriers, nothing)).run(make_session("a"), action)

        assert hold is LEASE_TAKEN
        assert await parts.store.message(message.id) == message
