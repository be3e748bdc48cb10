"""Gathers what is known about a session at the moment of sending, so that `queue/reports/estimate.py` can say when a message is delivered.

It asks nobody: it uses what the daemon knows already, such as the watcher's last look at the panes, so that sending stays fast.
"""

from dataclasses import dataclass

from hark.daemon.core import Core
from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.registry.watcher import Watcher
from hark.delivery.gate import PaneState, check_gate
from hark.delivery.next_step import hold_for_hook
from hark.model.message import HoldReason
from hark.model.session import Session, SessionState
from hark.queue.reports.estimate import Outlook, estimate
from hark.queue.turns import Phase
from hark.store.contract import Enqueued


@dataclass(frozen=True)
class Estimates:
    core: Core
    turns: TurnBook
    handovers: Handovers
    natives: Natives
    watcher: Watcher

    async def of(self, sent: Enqueued) -> str:
        session = self.core.sessions.get(sent.message.session_id)
        kind = self.core.kinds.get(session.agent)
        return estimate(
            Outlook(
                message=sent.message,
                position=sent.position,
                first=await self.core.store.first_pending(session.id),
                obstacle=self._obstacle(session),
                phase=self.turns.of(session.id).phase,
                is_for_hook=hold_for_hook(self.handovers.view(session), sent.message) is not None,
                is_typed_when_idle=kind.idle_only,
                can_interrupt=kind.stop is not None or self.natives.has_channel(session),
            )
        )

    def _obstacle(self, session: Session) -> HoldReason | None:
        """Return the reason for which the gate holds messages, as far as that is known without a look at the terminal."""
        is_there = session.state is not SessionState.GONE
        do_not_disturb = session.do_not_disturb_since is not None
        state = PaneState(is_there=is_there, do_not_disturb=do_not_disturb)
        seen = self.watcher.seen(session.id)
        if is_there and seen and not self.natives.has_channel(session):
            state = PaneState(
                is_there=True,
                foreground=seen.foreground,
                in_mode=seen.in_mode,
                do_not_disturb=do_not_disturb,
                has_airlock=session.airlock is not None,
                is_waiting=self.turns.of(session.id).phase is Phase.WAITING,
            )
        hold = check_gate(state, now_s=0.0, human_pause_s=0.0)
        return hold.reason if hold else None
