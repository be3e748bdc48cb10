"""The courier of one session: delivers its messages one at a time, in order, or says why it does not.

A courier sleeps until something happens that can change the answer: a message arrives, the pane prints, a fact of the pane
changes, a pause is over. If it misses such an event, it looks again after `input_poll_interval`. The gate and the carrier
decide; the courier writes receipts.
"""

import asyncio
from datetime import timedelta
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from hark.agents.kinds import AgentKind, Kinds
from hark.agents.native.channel import ChannelLost, NativeChannel, Refused
from hark.daemon.doors.editor_tickets import Editors
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.outbox import Outbox
from hark.daemon.panes import Panes
from hark.daemon.process.clock import Clock
from hark.daemon.process.log import logger
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.attempt import Attempt
from hark.daemon.session.carriers import Carriers
from hark.daemon.session.failures import hold_after
from hark.daemon.session.handover import Handovers
from hark.daemon.session.key_holds import redraw
from hark.daemon.session.ledger import Ledger
from hark.daemon.session.live import Part
from hark.daemon.session.native_delivery import begin_natively, deliver_natively, without_channel
from hark.daemon.session.observation import is_stopped, observe_pane, observe_without_keys
from hark.daemon.session.text_files import write_text
from hark.daemon.session.turn_stop import Stopper, interrupt_natively, may_interrupt
from hark.delivery import wording
from hark.delivery.gate import NOT_BEGUN, STOPPED, Hold, PaneState, check_gate, check_unbegun
from hark.delivery.screen.box import Box
from hark.model.config import Config
from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.model.message import Draft, HoldReason, Lease, Message, Status
from hark.model.session import Session, SessionState
from hark.queue.batching import next_batch, payload_order
from hark.queue.lifecycle import PENDING, TextPlace, has_reached, is_attempted, text_place
from hark.queue.retrying import given_up_as, next_try_s
from hark.store.contract import Store
from hark.terminal.tmux.facts import PaneFacts

LEASE_S = 15.0
"""How many seconds a lease on a session lasts: longer than any delivery, because each wait of a delivery has a deadline of a few
seconds."""
QUIETEST_S = 0.1
"""The fewest seconds between two looks at a held session that prints without end."""


class Courier(Part):
    def __init__(
        self,
        session_id: SessionId,
        store: Store,
        outbox: Outbox,
        sessions: Sessions,
        panes: Panes,
        kinds: Kinds,
        config: Config,
        clock: Clock,
        owner: str,
        texts: Path,
        editors: Editors,
        turns: TurnBook,
        natives: Natives,
        handovers: Handovers,
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
        self._editors = editors
        self._turns = turns
        self._natives = natives
        self._handovers = handovers
        self._ledger = Ledger(session_id, store, outbox, clock)
        self._carriers = Carriers(panes, config.input_stale_timeout)
        self._wake = asyncio.Event()
        self.lock = asyncio.Lock()
        """This lock is held during an attempt. Whoever changes a pending message from outside takes the lock first."""
        self.is_waiting_for_output = False
        self._not_before: tuple[MessageId | None, float] = (None, 0.0)
        """The message that the agent refused, and the time at which it may be tried again. A message that comes before it need not
        wait."""
        self._refused: tuple[MessageId | None, int] = (None, 0)
        """The message that the agent refused last, and how often the agent refused it since this courier began."""
        self._at_work: Message | None = None
        """The message that is being delivered."""
        self._is_redrawn = False
        """True if the agent was asked to redraw its screen and no box has been seen since."""

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
                wait_s = await self._work()
            if self._sessions.get(self._session_id).state is SessionState.GONE and not self._wake.is_set():
                return
            await self._sleep(wait_s)

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

    async def _work(self) -> float | None:
        """Deliver what can be delivered. Return how many seconds to sleep then; None if nothing is left to do."""
        while True:
            session = self._sessions.get(self._session_id)
            if session.state is SessionState.GONE:
                await self._hold_all(session)
                return None
            message = await self._store.first_pending(session.id)
            draft = await self._ledger.draft()
            if message is None and draft is None:
                self.is_waiting_for_output = False
                return None
            if message and await self._ledger.expire(message):
                continue
            if message and draft is None and (rest_s := self._rest_s(message)) > 0:
                return rest_s
            hold = await self._try(session, message, draft)
            if hold is None:
                continue
            if message and hold.is_refused and await self._steps_aside(message, hold):
                continue
            is_shown = hold.reason in _ENDED_BY_OUTPUT
            self.is_waiting_for_output = is_shown and not hold.is_for_hook
            return min(hold.ends_in_s or self._config.input_poll_interval, self._config.input_poll_interval)

    async def _hold_all(self, session: Session) -> None:
        """Record for every message that waits for a gone session that it is held for that reason, that it is uncertain if its text may
        have arrived, or that it has expired."""
        self.is_waiting_for_output = False
        for message in await self._store.pending(session.id):
            if message.is_inbox:
                continue
            if await self._ledger.expire(message):
                continue
            gone = Hold(HoldReason.SESSION_GONE, "its pane is gone")
            await self._ledger.hold(message, gone, is_in_box=is_attempted(message))

    def _rest_s(self, message: Message) -> float:
        """Return how many seconds the message still has to wait after an attempt that the agent refused."""
        refused, until_s = self._not_before
        return 0.0 if message.id != refused else until_s - asyncio.get_running_loop().time()

    async def _steps_aside(self, message: Message, hold: Hold) -> bool:
        """Count an attempt that the agent refused. Return True if the message is given up, so that the next one may go on."""
        current = await self._store.message(message.id)
        if current.status not in PENDING:
            return False
        refused, count = self._refused
        count = count + 1 if refused == current.id else 1
        self._refused = (current.id, count)
        if given_up_as(current, count, self._config.max_attempts):
            detail = f"given up after {max(count, current.attempts)} attempts: {hold.detail}"
            await self._ledger.give_up(current, detail)
            return True
        self._not_before = (current.id, asyncio.get_running_loop().time() + next_try_s(current, count))
        return False

    async def note_failure(self, detail: str) -> None:
        """Count an unforeseen failure of a delivery against its message, so that one message cannot keep the courier failing for ever.
        The first failure does not count: another message of the payload may have caused it, and the next attempt delivers this message
        alone."""
        message, self._at_work = self._at_work, None
        if message is None:
            return
        hold = Hold(HoldReason.INTERNAL, detail, is_refused=True)
        async with self.lock:
            is_first = self._refused[0] != message.id
            if is_first:
                self._refused = (message.id, 0)
            if is_first or not await self._steps_aside(message, hold):
                await self._hold(message, hold)

    async def _try(self, session: Session, message: Message | None, draft: Draft | None) -> Hold | None:
        """Try to deliver the message. Return None if it is no longer in the way, because it is delivered or has ended otherwise; else
        return why it is held."""
        self._at_work = message
        try:
            hold = await self._deliver(session, message, draft)
        except HarkError as failure:
            extra = {"session": session.name, "message_id": message and message.id}
            logger.warning("delivery failed", extra=extra | {"code": failure.code, "detail": failure.detail})
            has_begun = message is not None and (await self._store.message(message.id)).attempts > message.attempts
            hold = hold_after(failure, has_begun=has_begun)
        if hold and message:
            await self._hold(message, hold)
        return hold

    async def _hold(self, message: Message, hold: Hold) -> None:
        current = await self._store.message(message.id)
        if current.status in PENDING:
            await self._ledger.hold(current, hold, is_in_box=is_attempted(current))

    async def _deliver(self, session: Session, message: Message | None, draft: Draft | None) -> Hold | None:
        if message and session.state is not SessionState.GONE:
            if mates := await self._mates(message):
                await self._ledger.finish(message, mates[0])
                return None
            place = text_place(message)
            is_fresh = draft is None and place is TextPlace.NOWHERE and not message.is_raw
            if is_fresh and await is_stopped(session):
                return Hold(HoldReason.AGENT_NOT_RUNNING, STOPPED)
            if (place is TextPlace.API or is_fresh) and (channel := await self._natives.of(session)):
                return await self._deliver_natively(session, channel, message)
            if place is TextPlace.API:
                return await without_channel(message, self._clock(), self._ledger)
            if place is TextPlace.HOOK:
                return await self._handovers.resolve(session, message)
            if is_fresh and (hold := self._handovers.hold(session, message)):
                return hold
            if is_fresh and (hold := await self._handovers.wake(session, message)):
                return hold
        return await self._deliver_by_keys(session, message, draft)

    async def _mates(self, message: Message) -> list[Message]:
        """Return the messages of the same payload that are known to be submitted."""
        if not is_attempted(message) or message.batch_id is None:
            return []
        return [
            mate for mate in await self._store.batch(message.batch_id) if has_reached(mate.status, Status.SUBMITTED)
        ]

    async def _deliver_natively(self, session: Session, channel: NativeChannel, message: Message) -> Hold | None:
        if hold := check_gate(observe_without_keys(session), self._clock().timestamp(), self._config.human_pause):
            return hold
        try:
            is_beginning = await channel.begins_conversation()
        except ChannelLost as lost:
            return Hold(HoldReason.UNREACHABLE, str(lost), QUIETEST_S)
        lease = await self._lease(session)
        if lease is None:
            return Hold(HoldReason.CALLED_OFF, "another daemon delivers to this session")
        try:
            if may_interrupt(message):
                if hold := await interrupt_natively(channel, message, lease, self._ledger):
                    return hold
                message = await self._store.message(message.id)
            messages = await self._payload_of(message)
            text = wording.BETWEEN.join(wording.payload(one) for one in messages)
            deliver = partial(deliver_natively, channel, messages, text, lease, self._ledger, self._clock())
            outcome = await (
                begin_natively(self._panes, session, self._kinds.get(session.agent), deliver)
                if is_beginning
                else deliver()
            )
        finally:
            await self._store.release_lease(lease)
        if isinstance(outcome, Refused):
            logger.info("native channel given up", extra={"session": session.name, "detail": outcome.detail})
            await self._natives.drop(session)
            return Hold(HoldReason.UNREACHABLE, outcome.detail, QUIETEST_S)
        return outcome

    async def _payload_of(self, message: Message) -> tuple[Message, ...]:
        """Return the messages of this message's payload: the same as before if the payload may be with the agent already."""
        if is_attempted(message):
            together = await self._store.batch(message.batch_id) if message.batch_id else [message]
            return tuple(one for one in payload_order(together) if is_attempted(one)) or (message,)
        if message.id == self._refused[0]:
            return (message,)
        in_order = await self._store.next_pending(message.session_id, self._config.max_batch_size)
        batch = next_batch(in_order, self._config.max_batch_size, self._clock())
        return batch if batch and batch[0].id == message.id else (message,)

    async def _lease(self, session: Session) -> Lease | None:
        now = self._clock()
        return await self._store.acquire_lease(session.id, self._owner, now, now + timedelta(seconds=LEASE_S))

    async def _deliver_by_keys(self, session: Session, message: Message | None, draft: Draft | None) -> Hold | None:
        kind, waited_s = self._kinds.get(session.agent), self._waited_s(message)
        facts, state = await observe_pane(self._panes, session, kind, self._carriers, waited_s)
        state = replace(state, is_waiting=facts is not None and await self._turns.is_waiting(session))
        hold = check_gate(state, self._clock().timestamp(), self._config.human_pause)
        if hold or facts is None:
            return hold or Hold(HoldReason.SESSION_GONE, "its pane is gone")
        if message and not is_attempted(message) and (hold := await self._check_unbegun(session, state)):
            return hold
        if message and (draft is None or is_attempted(message)) and (hold := await self._check_begun(session)):
            return hold
        lease = await self._lease(session)
        if lease is None:
            return Hold(HoldReason.CALLED_OFF, "another daemon delivers to this session")
        try:
            attempt = await self._attempt(session, message, facts, lease)
            if message and draft is None and may_interrupt(message):
                if hold := await Stopper(attempt, self._turns, self._store).run():
                    return hold
                attempt = await self._attempt(session, await self._store.message(message.id), facts, lease)
            hold = await attempt.run(draft)
            await self._repair_screen(session, hold)
            if hold is None and attempt.has_carried:
                await self._announce(session, len(attempt.messages))
            return await self._one_by_one(attempt, hold)
        finally:
            await self._store.release_lease(lease)

    async def _repair_screen(self, session: Session, hold: Hold | None) -> None:
        """Ask an agent whose box cannot be seen to redraw its screen; ask once until the box is seen again. If the agent and tmux
        disagree about the width of an emoji, a part of the box may be missing on the screen."""
        is_unseen = hold is not None and hold.reason is HoldReason.DIALOG
        if is_unseen and not self._is_redrawn and self._kinds.get(session.agent).redraws_on_resize:
            await redraw(session)
        self._is_redrawn = is_unseen

    async def _one_by_one(self, attempt: Attempt, hold: Hold | None) -> Hold | None:
        """If a payload of several messages was refused and is out of the box, count that against none of them: nobody knows whose text
        was refused, and each message goes alone next time."""
        if hold is None or not hold.is_refused or len(attempt.messages) < 2:
            return hold
        if is_attempted(await self._store.message(attempt.messages[0].id)):
            return hold
        return replace(hold, is_refused=False, ends_in_s=QUIETEST_S)

    async def _check_unbegun(self, session: Session, state: PaneState) -> Hold | None:
        kind = self._kinds.get(session.agent)
        hold = check_unbegun(state, self._clock().timestamp()) if kind.unbegun else None
        return hold if hold and kind.loses_keys(await self._panes.of(session.pane).screen(session.pane)) else None

    async def _check_begun(self, session: Session) -> Hold | None:
        """Return a hold while an agent that must not be typed to while it works has not begun with the message before. Until it begins,
        the agent looks idle, and Gemini CLI hangs when it gets two prompts at once. Raw commands do not count, because a raw command
        may begin no turn."""
        given = self._turns.beginning(session.id) if self._kinds.get(session.agent).idle_only else ()
        has_prompt = [not (await self._store.message(message_id)).is_raw for message_id in given]
        return Hold(HoldReason.BUSY, NOT_BEGUN, QUIETEST_S) if any(has_prompt) else None

    async def _announce(self, session: Session, count: int) -> None:
        """Tell the human in tmux's status line that a draft was carried, if the settings ask for that."""
        if self._config.restore_notice == "status-line":
            await self._panes.of(session.pane).announce(session.pane, wording.restored(count))

    async def _attempt(self, session: Session, message: Message | None, facts: PaneFacts, lease: Lease) -> Attempt:
        messages, kind = await self._payload_of(message) if message else (), self._kinds.get(session.agent)
        text, count = wording.join([self._part(one, kind) for one in messages] or [""], kind.inline)
        if message and is_attempted(message):
            text = wording.BETWEEN.join(self._part(one, kind) for one in messages)
            count = len(messages)
        return Attempt(
            session=session,
            kind=kind,
            messages=messages[:count],
            text=text,
            foreground=facts.foreground,
            lease=lease,
            ledger=self._ledger,
            panes=self._panes,
            editors=self._editors,
            carriers=self._carriers,
        )

    def _waited_s(self, message: Message | None) -> float:
        """Return how many seconds the message has been held because a human types."""
        if message is None or message.hold_reason is not HoldReason.HUMAN_TYPING or message.held_since is None:
            return 0.0
        return max(0.0, (self._clock() - message.held_since).total_seconds())

    def _part(self, message: Message, kind: AgentKind) -> str:
        if not wording.needs_file(message, kind.inline):
            return wording.payload(message)
        return wording.payload(message, write_text(self._texts, message))


_ENDED_BY_OUTPUT = frozenset(HoldReason) - {
    HoldReason.SESSION_GONE,
    HoldReason.DO_NOT_DISTURB,
    HoldReason.COPY_MODE,
    HoldReason.HUMAN_TYPING,
}
"""The hold reasons that may be over when the pane prints: an agent that goes on prints something."""
