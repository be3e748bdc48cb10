"""One attempt to deliver one message: takes a grip on the pane, chooses the carrier, runs it, lets go."""

from collections.abc import Generator

from msgspec import Struct

from hark.agents.kinds import AgentKind
from hark.daemon.driver import Driver
from hark.daemon.editors import Editors
from hark.daemon.grips import take_grip
from hark.daemon.ledger import Ledger
from hark.daemon.panes import Panes
from hark.delivery import by_editor, by_stash, into_empty_box
from hark.delivery.choose import Means, choose_carrier
from hark.delivery.gate import Hold
from hark.delivery.steps import Answer, Delivery, Step
from hark.delivery.submit import Job
from hark.model.message import Carrier, Draft, HoldReason, Lease, Message, Status
from hark.model.session import Session


class Attempt(Struct, frozen=True, kw_only=True):
    """Also what a delivery must have on record before it goes on (`driver.Records`)."""

    session: Session
    kind: AgentKind
    message: Message | None
    """None when only a draft has to go back."""
    text: str
    lease: Lease
    ledger: Ledger
    panes: Panes
    editors: Editors

    async def run(self, draft: Draft | None) -> Hold | None:
        """None when the message is no longer in the way, and the human's draft, if one was taken, is back."""
        grip = await take_grip(self.panes, self.session, self.kind)
        if grip is None:
            return Hold(HoldReason.HUMAN_TYPING, "a human's keys could not be held", RETRY_S)
        try:
            driver = Driver(self.panes, self.editors, self.session, grip, self)
            return await self._run_with(driver, draft)
        finally:
            await grip.release()

    async def _run_with(self, driver: Driver, draft: Draft | None) -> Hold | None:
        message, hold = self.message, None
        if message and (draft is None or is_attempted(message)):
            outcome = await driver.run(self._delivery(message))
            hold = await self.ledger.record(message, outcome, self.lease, self.carrier)
        if draft and not await driver.run(self._put_back(draft)):
            return hold or Hold(HoldReason.DIALOG, "a human's draft has to go back into the box first", None)
        if draft:
            await self.ledger.drop_draft()
        return hold

    def _delivery(self, message: Message) -> Delivery:
        job, was_staged = self._job(), message.status is Status.STAGED
        match self.carrier:
            case Carrier.EDITOR if self.kind.editor:
                if is_attempted(message):
                    return by_editor.resume(job, self.kind.editor, was_staged)
                return by_editor.deliver(job, self.kind.editor)
            case Carrier.STASH if self.kind.stash and not is_attempted(message):
                return by_stash.deliver(job, self.kind.stash)
        if is_attempted(message):
            return into_empty_box.resume(job.text, job.message_id, job.look, job.settle_s, was_staged)
        return into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s)

    def _put_back(self, draft: Draft) -> Generator[Step, Answer, bool]:
        job = self._job()
        if draft.carrier is Carrier.STASH and self.kind.stash:
            return by_stash.put_back(job, self.kind.stash)
        if draft.carrier is Carrier.EDITOR and self.kind.editor:
            return by_editor.put_back(job, self.kind.editor, draft.text)
        return into_empty_box.put_back(job, draft.text)

    @property
    def carrier(self) -> Carrier:
        means = Means(
            has_editor_key=self.kind.editor is not None,
            has_our_editor=self.session.airlock is not None,
            has_stash_key=self.kind.stash is not None,
            can_hold_keys=True,
            is_editor_preferred=self.kind.prefers_editor,
        )
        return choose_carrier(means)

    def _job(self) -> Job:
        message_id = self.message.id if self.message else ""
        return Job(text=self.text, message_id=message_id, look=self.kind.box, settle_s=self.kind.settle_s)

    async def begin(self) -> None:
        assert self.message
        await self.ledger.begin(self.message, self.lease)

    async def stage(self) -> None:
        assert self.message
        await self.ledger.stage(self.message, self.lease, self.carrier)

    async def save_draft(self, text: str) -> None:
        assert self.message
        await self.ledger.save_draft(self.message, text, self.carrier)

    async def drop_draft(self) -> None:
        await self.ledger.drop_draft()


RETRY_S = 0.2


def is_attempted(message: Message) -> bool:
    return message.status is Status.STAGED or message.attempted_at is not None
