"""The work of one session's courier at the input box: makes the text of a payload, takes the lease, and runs an attempt."""

from hark.agents.kinds import AgentKind
from hark.daemon.delivering.attempt import Attempt
from hark.daemon.delivering.carriers import Carriers
from hark.daemon.delivering.equipment import LEASE_TAKEN, Equipment
from hark.daemon.delivering.key_holds import redraw
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.delivering.text_files import write_text
from hark.daemon.delivering.turn_stop import Stopper
from hark.delivery import wording
from hark.delivery.actions import UseKeys
from hark.delivery.after_attempt import blame_nobody
from hark.delivery.gate import Hold
from hark.model.message import HoldReason, Lease, Message
from hark.model.session import Session
from hark.queue.lifecycle import is_attempted


class KeyDelivery:
    def __init__(self, equipment: Equipment, ledger: Ledger, carriers: Carriers) -> None:
        self._equipment = equipment
        self._ledger = ledger
        self._carriers = carriers
        self._is_redrawn = False
        """True if the agent was asked to redraw its screen and no box has been seen since."""

    async def run(self, session: Session, action: UseKeys) -> Hold | None:
        """Do the work at the box. Return None if the message is no longer in the way, else why it is held."""
        async with self._equipment.lease(session.id) as lease:
            return await self._work(session, action, lease) if lease else LEASE_TAKEN

    async def _work(self, session: Session, action: UseKeys, lease: Lease) -> Hold | None:
        attempt = self._attempt(session, action, action.messages, lease)
        if action.interrupts:
            if hold := await Stopper(attempt, self._equipment.turns, self._equipment.store).run():
                return hold
            messages = tuple([await self._equipment.store.message(message.id) for message in action.messages])
            attempt = self._attempt(session, action, messages, lease)
        hold = await attempt.run(action.draft)
        await self._repair_screen(session, hold)
        if hold is None and attempt.has_carried:
            await self._announce(session, len(attempt.messages))
        if hold is None or not hold.is_refused or attempt.message is None:
            return hold
        is_in_box = is_attempted(await self._equipment.store.message(attempt.message.id))
        return blame_nobody(hold, len(attempt.messages), is_in_box=is_in_box)

    def _attempt(self, session: Session, action: UseKeys, messages: tuple[Message, ...], lease: Lease) -> Attempt:
        kind = self._equipment.kinds.get(session.agent)
        text, count = wording.join([self._part(one, kind) for one in messages] or [""], kind.inline)
        if messages and is_attempted(messages[0]):
            text = wording.BETWEEN.join(self._part(one, kind) for one in messages)
            count = len(messages)
        return Attempt(
            session=session,
            kind=kind,
            messages=messages[:count],
            text=text,
            foreground=action.foreground,
            lease=lease,
            ledger=self._ledger,
            panes=self._equipment.panes,
            editors=self._equipment.editors,
            carriers=self._carriers,
        )

    def _part(self, message: Message, kind: AgentKind) -> str:
        if not wording.needs_file(message, kind.inline):
            return wording.payload(message)
        return wording.payload(message, write_text(self._equipment.texts, message))

    async def _repair_screen(self, session: Session, hold: Hold | None) -> None:
        """Ask an agent whose box cannot be seen to redraw its screen; ask once until the box is seen again. If the agent and tmux
        disagree about the width of an emoji, a part of the box may be missing on the screen."""
        is_unseen = hold is not None and hold.reason is HoldReason.DIALOG
        if is_unseen and not self._is_redrawn and self._equipment.kinds.get(session.agent).redraws_on_resize:
            await redraw(session)
        self._is_redrawn = is_unseen

    async def _announce(self, session: Session, count: int) -> None:
        """Tell the human in tmux's status line that a draft was carried, if the settings ask for that."""
        if self._equipment.config.restore_notice == "status-line":
            await self._equipment.panes.of(session.pane).announce(session.pane, wording.restored(count))
