"""Reads the draft in a session's input box: what a human has typed and not submitted, as the screen shows it now."""

import asyncio
from datetime import datetime, timedelta

from msgspec import Struct

from hark.daemon.core import Core
from hark.daemon.session.couriers import Couriers
from hark.delivery.screen.box import read_box
from hark.model.errors import HarkError
from hark.model.session import Session, SessionState

WITHIN_S = 1.0
"""How many seconds to wait for a terminal to show its screen; a terminal that takes longer is left out of the answer."""


class PendingInput(Struct, frozen=True):
    text: str
    first_seen: datetime
    """The time since which hark has seen exactly this text and cursor; any change of them sets it anew."""


class PendingInputs:
    def __init__(self, core: Core, couriers: Couriers) -> None:
        self._panes = core.panes
        self._couriers = couriers
        self._kinds = core.kinds
        self._clock = core.clock

    async def of(self, session: Session) -> PendingInput | None:
        """Return the draft in the session's box; None if the box is empty or out of sight, or if a delivery uses the box for longer than
        `WITHIN_S`."""
        if session.state is SessionState.GONE:
            return None
        courier = self._couriers.of(session.id)
        try:
            async with asyncio.timeout(WITHIN_S), courier.lock:
                screen = await self._panes.of(session.pane).screen(session.pane)
                box = read_box(screen, self._kinds.get(session.agent).box)
                for_s = courier.see_box(box)
        except (HarkError, TimeoutError):
            return None
        if box is None or box.is_empty:
            return None
        text = "\n".join(row.rstrip() for row in box.rows)
        return PendingInput(text, self._clock() - timedelta(seconds=for_s))
