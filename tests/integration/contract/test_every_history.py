"""Random histories, driven against every store and a simple model at once.

After each step all three must agree on the result or on the code of the refusal, and every message's receipts must form a
legal path from queued to its status.
"""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.model.message import Channel, HoldReason, Lease, Message, Mode, Receipt, Status
from hark.model.session import SessionState
from hark.queue import lifecycle
from hark.store.contract import Store
from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.model import Model
from tests.integration.contract.samples import later, make_event, make_message, make_session, make_step
from tests.support.memory_store import MemoryStore

SESSIONS = st.sampled_from([SessionId(name) for name in ("ana", "ben", "eve")])
NAMES = st.sampled_from(["one", "two"])
STATES = st.sampled_from(SessionState)
CHANNELS = st.sampled_from([None, Channel.NATIVE, Channel.HOOK, Channel.TERMINAL])
OWNERS = st.sampled_from(["here", "there"])
FAST_DISK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Thousands of histories need no real disk; the tests of durability do."""
ANY = st.integers(0, 1_000_000)
"""Chooses one of what has come to be: taken modulo its number."""

# Likely steps and all others: mostly what a delivery does, so that lives become long, and now and then anything at all.
STEPS = st.one_of(
    st.sampled_from([Status.HELD, Status.QUEUED, Status.STAGED, Status.SUBMITTED, Status.UNCERTAIN]),
    st.sampled_from(Status),
)


def outcome_of(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except HarkError as refusal:
        return refusal.code


class EveryHistory(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.directory = tempfile.TemporaryDirectory(dir=FAST_DISK)
        self.sqlite = SqliteStore(Path(self.directory.name) / "hark.db")
        self.stores: list[Store] = [MemoryStore(), self.sqlite]
        for store in self.stores:
            self.loop.run_until_complete(store.open())
        self.model = Model()
        self.seconds = 0
        self.leases: list[Lease] = []

    def teardown(self) -> None:
        for store in self.stores:
            self.loop.run_until_complete(store.close())
        self.loop.close()
        self.directory.cleanup()

    def now(self) -> datetime:
        return later(self.seconds)

    def ask(self, call: Callable[[Store], Awaitable[Any]]) -> Any:
        """The answer of all stores, which must be the same."""

        async def answer(store: Store) -> Any:
            try:
                return await call(store)
            except HarkError as refusal:
                return refusal.code

        answers = [self.loop.run_until_complete(answer(store)) for store in self.stores]
        assert all(each == answers[0] for each in answers), answers
        return answers[0]

    def any_message(self, choice: int) -> MessageId:
        known = [*self.model.messages, MessageId("unknown")]
        return known[choice % len(known)]

    def any_lease(self, choice: int) -> Lease:
        """One of the latest."""
        return self.leases[-1 - choice % min(3, len(self.leases))]

    def any_fence(self, choice: int) -> int:
        return self.any_lease(choice).fence

    # sessions

    @rule(session_id=SESSIONS, name=NAMES, state=STATES)
    def add_session(self, session_id: SessionId, name: str, state: SessionState) -> None:
        expected = outcome_of(lambda: self.model.add_session(session_id, name, state))
        session = make_session(session_id, name, state=state, created_at=self.now())

        assert self.ask(lambda store: store.add_session(session, make_event())) == expected

    @rule(session_id=SESSIONS, name=NAMES)
    def rename_session(self, session_id: SessionId, name: str) -> None:
        expected = outcome_of(lambda: self.model.change_session(session_id, name=name))

        answer = self.ask(lambda store: store.change_session(session_id, {"name": name}, make_event()))

        assert getattr(answer, "name", answer) == expected

    @rule(session_id=SESSIONS, state=STATES)
    def change_state(self, session_id: SessionId, state: SessionState) -> None:
        expected = outcome_of(lambda: self.model.change_session(session_id, state=state))

        answer = self.ask(lambda store: store.change_session(session_id, {"state": state}))

        assert getattr(answer, "name", answer) == expected

    @precondition(lambda self: len(self.model.sessions) > 1)
    @rule(session_id=SESSIONS)
    def remove_session(self, session_id: SessionId) -> None:
        expected = outcome_of(lambda: self.model.remove_session(session_id))

        assert self.ask(lambda store: store.remove_session(session_id)) == expected

    # messages

    @rule(
        session_id=SESSIONS,
        text=st.sampled_from(["hello", "other"]),
        key=st.sampled_from([None, None, "k1", "k2"]),
        mode=st.sampled_from(Mode),
        timeout_s=st.none() | st.integers(0, 20),
        is_inbox=st.sampled_from([False, False, True]),
    )
    def enqueue(
        self, session_id: SessionId, text: str, key: str | None, mode: Mode, timeout_s: int | None, is_inbox: bool
    ) -> None:
        message = make_message(
            f"m{len(self.model.messages)}-{self.model.arrivals}",
            session_id,
            text=text,
            idempotency_key=key,
            mode=mode,
            is_inbox=is_inbox,
            queued_at=self.now(),
            timeout_at=None if timeout_s is None else later(self.seconds + timeout_s),
        )
        expected = outcome_of(lambda: self.model.enqueue(message))

        answer = self.ask(lambda store: store.enqueue(message))

        if not isinstance(answer, str):
            answer = (answer.message.id, answer.position, answer.is_new)
        assert answer == expected

    @rule(choice=ANY, status=STEPS, reason=st.sampled_from(HoldReason), is_odd=st.integers(0, 9), channel=CHANNELS)
    def move(self, choice: int, status: Status, reason: HoldReason, is_odd: int, channel: Channel | None) -> None:
        """One in ten has a reason where none belongs, or none where one does."""
        has_reason = (status is Status.HELD) is not (is_odd == 0)
        self._move(self.any_message(choice), status, reason if has_reason else None, None, channel)

    @precondition(lambda self: self.leases)
    @rule(choice=ANY, status=STEPS, lease=ANY)
    def move_with_a_fence(self, choice: int, status: Status, lease: int) -> None:
        reason = HoldReason.BUSY if status is Status.HELD else None
        self._move(self.any_message(choice), status, reason, self.any_fence(lease))

    @precondition(lambda self: self.leases)
    @rule(choice=ANY, lease=ANY)
    def begin_attempt(self, choice: int, lease: int) -> None:
        message_id, fence = self.any_message(choice), self.any_fence(lease)
        expected = outcome_of(lambda: self.model.begin_attempt(message_id, self.now(), fence))

        answer = self.ask(lambda store: store.begin_attempt(message_id, self.now(), fence))

        assert getattr(answer, "attempts", answer) == expected

    @rule(session_id=SESSIONS, limit=st.integers(1, 3))
    def take_inbox(self, session_id: SessionId, limit: int) -> None:
        expected = outcome_of(lambda: self.model.take_inbox(session_id, self.now(), limit))

        answer = self.ask(lambda store: store.take_inbox(session_id, self.now(), limit))

        assert (answer if isinstance(answer, str) else [message.id for message in answer]) == expected

    @rule(choice=ANY)
    def cancel(self, choice: int) -> None:
        self._move(self.any_message(choice), Status.CANCELLED, None, None)

    @rule(seconds=st.integers(0, 15))
    def expire(self, seconds: int) -> None:
        self.seconds += seconds

        expired = self.ask(lambda store: store.expired(self.now()))

        assert [message.id for message in expired] == self.model.expired(self.now())
        for message in expired:
            self._move(message.id, Status.EXPIRED, None, None)
        assert self.ask(lambda store: store.next_timeout()) == self.model.next_timeout()

    def _move(
        self,
        message_id: MessageId,
        status: Status,
        reason: HoldReason | None,
        fence: int | None,
        channel: Channel | None = None,
    ) -> None:
        step = make_step(status, self.now(), reason=reason, channel=channel)
        expected = outcome_of(lambda: self.model.move(message_id, step, fence))

        answer = self.ask(lambda store: store.move(message_id, step, fence))

        assert getattr(answer, "status", answer) == expected

    # leases

    @rule(session_id=SESSIONS, owner=OWNERS, wait_s=st.integers(0, 6), length_s=st.integers(1, 10))
    def acquire(self, session_id: SessionId, owner: str, wait_s: int, length_s: int) -> None:
        self.seconds += wait_s
        now, until = self.now(), later(self.seconds + length_s)
        expected = outcome_of(lambda: self.model.acquire(session_id, owner, now, until))

        answer = self.ask(lambda store: store.acquire_lease(session_id, owner, now, until))

        assert getattr(answer, "fence", answer) == expected
        if isinstance(answer, Lease):
            self.leases.append(answer)

    @precondition(lambda self: self.leases)
    @rule(choice=ANY)
    def release(self, choice: int) -> None:
        lease = self.any_lease(choice)
        self.model.release(lease)

        self.ask(lambda store: store.release_lease(lease))

    # the file

    @rule()
    def reopen(self) -> None:
        self.loop.run_until_complete(self.sqlite.close())
        self.sqlite = SqliteStore(Path(self.directory.name) / "hark.db")
        self.stores[1] = self.sqlite
        self.loop.run_until_complete(self.sqlite.open())

    # what always holds

    @invariant()
    def stores_agree_with_the_model_and_receipts_form_legal_paths(self) -> None:
        known = self.model.messages

        def read(store: Store) -> Awaitable[Any]:
            listed = (store.sessions(), store.pending(), store.last_event_seq())
            firsts = map(store.first_pending, self.model.sessions)
            return asyncio.gather(*listed, *map(store.message, known), *map(store.receipts, known), *firsts)

        sessions, pending, _, *others = self.ask(read)
        messages, stories, firsts = others[: len(known)], others[len(known) : 2 * len(known)], others[2 * len(known) :]

        assert {session.id: (session.name, session.state) for session in sessions} == self.model.sessions
        assert [message.id for message in pending] == self.model.pending()
        orders = map(self.model.order, self.model.sessions)
        assert [message and message.id for message in firsts] == [next(iter(order), None) for order in orders]
        for message, receipts, life in zip(messages, stories, known.values(), strict=True):
            check_path(message, receipts)
            assert [receipt.status for receipt in receipts] == life.history
            assert (message.attempts, message.attempted_at) == (life.attempts, life.attempted_at)


def check_path(message: Message, receipts: list[Receipt]) -> None:
    first, *others = receipts
    assert (first.previous, first.status) == (None, Status.QUEUED)
    status = first.status

    def is_row(place: lifecycle.TextPlace) -> bool:
        return (place is lifecycle.TextPlace.INBOX) is message.is_inbox

    for receipt in others:
        assert receipt.previous is status
        rows = [following for (old, place), following in lifecycle.LEGAL.items() if old is status and is_row(place)]
        assert any(receipt.status in following for following in rows)
        status = receipt.status
    assert message.status is status


TestEveryHistory = EveryHistory.TestCase
TestEveryHistory.pytestmark = pytest.mark.timeout(600)  # type: ignore[attr-defined]  # a failure is worth the time to shrink it
TestEveryHistory.settings = settings(
    max_examples=300, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
