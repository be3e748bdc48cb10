"""One attempt to deliver one payload: it takes a grip on the pane, chooses the carrier, runs it, and lets go."""

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from hark.agents.kinds import AgentKind
from hark.daemon.delivering.carriers import Carriers, delivery, return_of
from hark.daemon.delivering.driver import Driver
from hark.daemon.delivering.key_holds import has_unread, take_grip
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.doors.editor_tickets import Editors
from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.delivery import wording
from hark.delivery.budget import HOLD_BY_TMUX_S, HOLD_S, LETS_GO_WITHIN_S
from hark.delivery.carriers.empty_box import was_taken_out
from hark.delivery.carriers.rest import NOT_AT_REST
from hark.delivery.carriers.sentinel import is_marked
from hark.delivery.carriers.steps import Delivery, Outcome
from hark.delivery.carriers.submit import AT_WORK, Job, wait_for_box, wait_for_idle, wait_for_turn
from hark.delivery.carriers.undo_under_dialog import with_draft_out
from hark.delivery.gate import Hold
from hark.delivery.judgement import UNDONE, Judged, Question, judge
from hark.delivery.screen.box import read_box
from hark.delivery.screen.capture import Screen
from hark.model.errors import HarkError
from hark.model.message import Carrier, Draft, HoldReason, Lease, Message
from hark.model.session import Session
from hark.queue.lifecycle import is_attempted
from hark.terminal.holds.grip import Grip


class Attempt(Struct, kw_only=True):
    """One attempt to deliver one payload. It implements `driver.Records`: it writes what must be on record before a delivery goes on."""

    session: Session
    kind: AgentKind
    messages: tuple[Message, ...]
    """The messages of the payload; empty if the attempt only puts a human's draft back into the box."""
    text: str
    foreground: str
    """The pane's foreground program at the moment when the gate let the delivery start."""
    lease: Lease
    ledger: Ledger
    panes: Panes
    editors: Editors
    carriers: Carriers
    carrier: Carrier = Carrier.NONE
    has_begun: bool = False
    is_staged: bool = False
    is_given_up: bool = False
    """True if the undo is left to whoever holds the human's keys, because our text may still come into the box."""
    has_carried: bool = False
    """True if a human's draft was taken out of the box."""
    is_draft_out: bool = False
    """True if a human's draft was taken out of the box and has not been seen back in it."""
    held_until_s: float = 0.0
    """The time on the event loop's clock until which the human's keys are held, less the time that it takes to let them go."""
    had_draft: bool | None = None
    """True if the box held a human's draft when the payload came, False if it did not, None until that is known."""

    @property
    def message(self) -> Message | None:
        """The first message of the payload, which gives the payload its name; None if the payload is empty."""
        return self.messages[0] if self.messages else None

    async def run(self, draft: Draft | None) -> Hold | None:
        """Deliver the payload, and put the human's draft back. Return None if the message is no longer in the way and the draft, if one
        was taken, is back in the box; else return why the message is held. `draft` is a draft that is out of the box already."""
        if self.message and self.kind.idle_only and (hold := await self._wait_for_idle(self.message, draft)):
            return hold
        label = str(self.message.id) if self.message else ""
        grip = await take_grip(self.panes, self.session, self.kind, self.foreground, label)
        if grip is None:
            return Hold(HoldReason.HUMAN_TYPING, "a human's keys could not be held", RETRY_S)
        began_at_s = asyncio.get_running_loop().time()
        self.held_until_s = began_at_s + (HOLD_S if self.session.airlock else HOLD_BY_TMUX_S) - LETS_GO_WITHIN_S
        is_done = True
        try:
            driver = Driver(self.panes, self.editors, self.session, self.kind, grip, self)
            if not await driver.come_to_rest():
                return Hold(HoldReason.BUSY, NOT_AT_REST, RETRY_S)
            draft = await self._catch_up(driver, grip, draft)
            is_done = False
            hold = await self._run_with(driver, grip, draft)
            is_done = hold is None
            if hold:
                # An agent that loses the focus redraws its screen, and that would wake the courier at once to try the same again.
                grip.keep_focus()
            elif self.is_staged and self.kind.begins_within_s:
                left_s = self.held_until_s - asyncio.get_running_loop().time()
                await driver.run(wait_for_turn(self.kind.shows_turn, min(self.kind.begins_within_s, left_s)))
            return hold
        finally:
            if not self.is_given_up and (self.is_draft_out or (not is_done and await self._has_unread())):
                # The carrier could not put the draft back, or broke off and nobody has seen what its last keys do: whoever holds the
                # human's keys runs the undo before letting them go.
                await grip.give_up()
            await grip.release()
            if self.has_begun:
                self.carriers.note_hold(self.carrier, asyncio.get_running_loop().time() - began_at_s)

    async def _catch_up(self, driver: Driver, grip: Grip, draft: Draft | None) -> Draft | None:
        """Record what whoever held the keys last has undone, and give the box the focus if it needs that. Return the draft that is still
        out of the box."""
        message = self.message
        if message and is_attempted(message) and await self._was_undone(driver, grip, message, draft):
            self.messages = await self.ledger.requeue(self.messages, UNDONE)
        if self.kind.box.needs_focus and await grip.give_focus():
            await driver.run(wait_for_box(self.kind.box))
        if draft and await self._is_the_humans(driver, draft, grip):
            await self.ledger.drop_draft()
            return None
        return draft

    async def _has_unread(self) -> bool:
        try:
            return await has_unread(self.panes, self.session)
        except HarkError:
            return False  # Its terminal is gone.

    async def _wait_for_idle(self, message: Message, draft: Draft | None) -> Hold | None:
        """Return a hold if the agent's screen shows a running turn. This look comes before the human's keys are held."""
        if draft is not None and not is_attempted(message):
            return None
        screen = await self.panes.of(self.session.pane).screen(self.session.pane)
        return Hold(HoldReason.BUSY, AT_WORK) if self.kind.is_at_work(screen) else None

    async def _run_with(self, driver: Driver, grip: Grip, draft: Draft | None) -> Hold | None:
        message, hold = self.message, None
        if message and draft and draft.message_id == message.id:
            self.had_draft = True
        if message and (draft is None or is_attempted(message)):
            seen = await driver.look()
            course = self._delivery(seen.screen, message)
            outcome = await driver.run(with_draft_out(course) if draft else course, seen)
            outcome = await self._judge(outcome, driver, grip, message, draft)
            told = {"message_id": message.id, "carrier": self.carrier, "outcome": type(outcome).__name__}
            logger.info("delivery ended", extra={"session": self.session.id, **told, "detail": outcome.detail})
            hold = await self.ledger.record(self.messages, outcome, self.lease, self.carrier, self.had_draft)
        if self.is_given_up:
            return hold
        if draft and not await driver.run(return_of(draft, self.kind, self._job())):
            return hold or Hold(HoldReason.DIALOG, "a human's draft has to go back into the box first", None)
        if draft:
            await self.ledger.drop_draft()
        if hold and hold.reason is HoldReason.DRAFT:
            return replace(hold, ends_in_s=self.carriers.may_carry_in_s(self.session, self.kind))
        return hold

    async def _judge(
        self, outcome: Outcome, driver: Driver, grip: Grip, message: Message, draft: Draft | None
    ) -> Outcome:
        """Return what became of the message, also if the key hold ended before the carrier did or if the agent does not read."""
        judgement = judge(outcome, has_begun=self.has_begun, has_pressed_enter=driver.has_pressed_enter)
        try:
            question = next(judgement)
            while True:
                match question:
                    case Question.WAS_UNDONE:
                        answer = await self._was_undone(driver, grip, message, draft)
                    case Question.IS_LEFT_TO_HOLDER:
                        answer = await grip.give_up()
                    case Question.HAS_UNREAD:
                        answer = await has_unread(self.panes, self.session)
                question = judgement.send(answer)
        except StopIteration as end:
            judged: Judged = end.value
        self.is_given_up = judged.is_left_to_holder
        return judged.outcome

    async def _was_undone(self, driver: Driver, grip: Grip, message: Message, draft: Draft | None) -> bool:
        """Return True if whoever held the keys has undone a delivery that was broken off before its Enter: none of its text is in the
        box, and nothing was submitted."""
        undone = await grip.undone(str(message.id))
        if undone is None or undone.is_after_enter:
            return False
        drafts_text = draft.text if draft else None
        question = was_taken_out(
            self._job(), drafts_text, is_touched=undone.is_touched, was_blind=undone.leaves_draft_out
        )
        return await driver.run(question)

    async def _is_the_humans(self, driver: Driver, draft: Draft, grip: Grip) -> bool:
        """Return True if whoever held the keys has put the draft back, and the human has typed on since, or has submitted it. Of a stash
        the screen tells whether the draft is still in it, and a draft that still has a mark of ours in it has to be mended."""
        undone = await grip.undone(str(draft.message_id))
        if undone is None or not undone.is_draft_the_humans or draft.carrier is Carrier.STASH:
            return False
        return not await driver.run(is_marked(self.kind.box, draft.text))

    def _delivery(self, screen: Screen, message: Message) -> Delivery:
        if self.kind.is_at_work(screen):
            return wait_for_idle(is_in_box=is_attempted(message))
        if is_attempted(message):
            return self.carriers.resumption(self.session, self.kind, screen, self._job(), message)
        box = read_box(screen, self.kind.box)
        self.carrier = self.carriers.choose(self.session, self.kind, screen, box, message.mode)
        return delivery(self.carrier, self.kind, self._job())

    def _job(self) -> Job:
        return Job(
            text=wording.past_menus(self.text) if self.kind.box.finds_menus_by_column else self.text,
            message_id=wording.mark(self.message) if self.message else "",
            look=self.kind.box,
            settle_s=self.kind.settle_s,
            lines=self.kind.lines,
            held_for_s=max(self.held_until_s - asyncio.get_running_loop().time(), 0.0),
        )

    async def begin(self) -> None:
        await self.ledger.begin(self.messages, self.lease)
        self.has_begun = True
        if not self.has_carried:
            # A carrier begins only when the draft is on record or the box was seen to be empty.
            self.had_draft = False

    async def stage(self) -> None:
        self.messages = await self.ledger.stage(self.messages, self.lease, self.carrier, self.had_draft)
        self.is_staged = True

    async def is_taken(self) -> bool:
        return bool(self.message) and await self.ledger.is_taken(self.messages[0])

    async def note_interrupt(self) -> None:
        assert self.message
        await self.ledger.note_interrupt(self.message, self.lease)

    async def save_draft(self, text: str) -> None:
        assert self.message
        await self.ledger.save_draft(self.message, text, self.carrier)
        self.has_carried = self.is_draft_out = True
        self.had_draft = True

    async def drop_draft(self) -> None:
        await self.ledger.drop_draft()
        self.is_draft_out = False


RETRY_S = 0.2
