"""The whole queue as one machine: senders, a courier that may die at any step, an agent with a box, turns and interrupts; over
every store, against what must be true of messages whatever happens.

The courier here is the real one (its rounds, `next_step`, outbox, ledger, lifecycle, turns); only terminal and clock are a model: a box that
holds a payload or not, an agent that takes it and remembers. Crashes cut a delivery between any two of its steps; what comes
after a restart is decided by what the box and the agent's transcript show, as a carrier's `resume` decides it.
"""

import asyncio
import os
import tempfile
from collections.abc import Coroutine
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from hark.daemon.delivering.ledger import Ledger
from hark.daemon.outbox import Outbox
from hark.daemon.session.round import Round
from hark.delivery.actions import DeliverNatively, GiveUpProof, KeyWork, SettleClaim, UseKeys
from hark.delivery.carriers.steps import Submitted, Unproven
from hark.delivery.gate import Hold, PaneState
from hark.delivery.session_view import Fact, Limits, Memory, SessionView
from hark.model.errors import HarkError
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.message import Carrier, HoldReason, Lease, Message, Mode, Status
from hark.queue import turns as rules
from hark.queue.lifecycle import has_reached, is_expired
from hark.queue.turns import Acknowledged, Turns
from hark.store.contract import Store
from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.samples import ANA, NOW, add, make_message, make_session
from tests.support.memory_store import MemoryStore

FAST_DISK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
MOST = 3
STEPS = ("begin", "paste", "stage", "enter", "record")
Value = TypeVar("Value")


class Killed(Exception):
    """The daemon, between two steps of a delivery."""


class Agent:
    """What is in its box, and what it has taken."""

    def __init__(self) -> None:
        self.box: tuple[MessageId, ...] = ()
        self.transcript: list[MessageId] = []
        self.given_back: list[MessageId] = []
        self.is_busy = False

    def enter(self) -> None:
        self.transcript += self.box
        self.box = ()
        self.is_busy = True


class World:
    """One store, with all that happens to it."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self.store = store
        self.loop = loop
        self.agent = Agent()
        self.now = NOW
        self.is_held = False
        self.turns = Turns()
        self.outbox = Outbox(store, lambda: self.now)
        self.ledger = Ledger(ANA, store, self.outbox, lambda: self.now)
        self.sent: list[MessageId] = []
        self.dies_before: str | None = None
        self.begin_courier()

    def do(self, work: Coroutine[Any, Any, Value]) -> Value:
        return self.loop.run_until_complete(work)

    async def send(self, name: str, mode: Mode, is_raw: bool, timeout_s: float | None) -> None:
        timeout_at = self.now + timedelta(seconds=timeout_s) if timeout_s else None
        message = make_message(name, mode=mode, is_raw=is_raw, timeout_at=timeout_at, queued_at=self.now)
        self.sent.append((await self.store.enqueue(message)).message.id)

    async def cancel(self, message_id: MessageId) -> str:
        try:
            return str((await self.outbox.cancel(message_id)).status)
        except HarkError as refused:
            return refused.code

    async def expire(self) -> None:
        for message in await self.store.expired(self.now):
            await self.outbox.expire(message)

    def begin_courier(self) -> None:
        """A courier remembers nothing of the one before it."""
        self.round = Round(ANA, self, self, self.ledger, self.store, Limits(most_in_batch=MOST))

    async def work(self, dies_before: str | None) -> None:
        """One step of the courier: whatever is next, unless it dies."""
        self.dies_before = dies_before
        await self.round.step()

    async def look(self, memory: Memory) -> SessionView:
        message = await self.store.first_pending(ANA)
        return SessionView(
            now=self.now,
            do_not_disturb=self.is_held,
            waiting=(message,) if message else (),
            memory=memory,
            limits=Limits(most_in_batch=MOST),
        )

    async def find(self, fact: Fact, view: SessionView) -> SessionView:
        facts = replace(view.facts, **{fact: await self._value(fact, view.message)})
        return replace(view, now=self.now, facts=facts)

    async def _value(self, fact: Fact, message: Message | None) -> Any:
        """The agent has neither hooks nor an API, and its terminal is always there."""
        match fact:
            case Fact.BATCH:
                assert message is not None
                assert message.batch_id is not None
                return tuple(await self.store.batch(message.batch_id))
            case Fact.IN_ORDER:
                return tuple(await self.store.next_pending(ANA, MOST))
            case Fact.PANE:
                return PaneState(is_there=True, do_not_disturb=self.is_held)
            case Fact.SUSPENDED | Fact.CHANNEL:
                return False
        raise AssertionError(f"nobody should ask for {fact}")

    async def use_keys(self, action: UseKeys) -> Hold | None:
        lease = await self.store.acquire_lease(ANA, "us", self.now, self.now + timedelta(seconds=15))
        if lease is None:
            return Hold(HoldReason.CALLED_OFF, "the lease of the courier before is not over")
        try:
            if action.work is KeyWork.RESUME:
                await self._resume(action.messages, lease)
            else:
                await self._deliver(action.messages, lease)
        finally:
            await self.store.release_lease(lease)
        return None

    async def deliver_natively(self, action: DeliverNatively) -> Hold | None:
        raise AssertionError(f"there is no channel: {action}")

    async def settle_claim(self, action: SettleClaim) -> None:
        raise AssertionError(f"there is no hook: {action}")

    async def give_up_proof(self, action: GiveUpProof) -> None:
        raise AssertionError(f"there is no channel: {action}")

    async def wake(self, message: Message) -> Hold | None:
        raise AssertionError(f"there is no hook: {message}")

    async def _deliver(self, batch: tuple[Message, ...], lease: Lease) -> None:
        def live(step: str) -> None:
            if step == self.dies_before:
                raise Killed

        live("begin")
        await self.ledger.begin(batch, lease)
        live("paste")
        self.agent.box = tuple(message.id for message in batch)
        live("stage")
        await self.ledger.stage(batch, lease, Carrier.NONE)
        live("enter")
        self.agent.enter()
        live("record")
        await self.ledger.record(batch, Submitted(), lease, Carrier.NONE)
        self._submitted(batch)

    async def _resume(self, batch: tuple[Message, ...], lease: Lease) -> None:
        """As a carrier does: in the box, in the transcript, or nobody knows."""
        first = batch[0].id
        count = self.agent.transcript.count(first) - self.agent.given_back.count(first)
        if first in self.agent.box:
            for one in batch:
                if not is_expired(one, self.now) and one.status is not Status.STAGED:
                    await self.ledger.stage([one], lease, Carrier.NONE)
            self.agent.enter()
            await self.ledger.record(batch, Submitted(), lease, Carrier.NONE)
            self._submitted(batch)
        elif count > 0:
            await self.ledger.record(batch, Submitted("its id is in the transcript"), lease, Carrier.NONE)
            self._submitted(batch)
        else:
            await self.ledger.record(batch, Unproven("nowhere"), lease, Carrier.NONE)

    def _submitted(self, batch: Any) -> None:
        for message in batch:
            self.turns = rules.submit(self.turns, message.id, self.now, is_prompt_heard=True)

    async def hear(self, said: Said, ids: tuple[MessageId, ...] = ()) -> None:
        self.turns, facts = rules.hear(self.turns, Heard(said=said, at=self.now, message_ids=ids))
        for fact in facts:
            write = self.outbox.acknowledge if isinstance(fact, Acknowledged) else self.outbox.complete
            try:
                await write(fact.message_id, "", at=self.now)
            except HarkError as refused:
                if refused.code != "transition-illegal":
                    raise

    async def interrupt(self, gives_back: bool) -> None:
        """The last prompt may come back into an empty box, and is ours to submit again."""
        if not self.agent.is_busy:
            return
        self.agent.is_busy = False
        last = self.agent.transcript[-1]
        status = (await self.store.message(last)).status
        is_alone = (await self.store.message(last)).batch_id is None
        if gives_back and not self.agent.box and is_alone and has_reached(status, Status.SUBMITTED):
            self.agent.box = (last,)
            self.agent.given_back.append(last)
            self.turns = rules.give_back(self.turns, (last,))
            await self.hear(Said.INTERRUPTED)
            await self.ledger.take_back(last)
        else:
            await self.hear(Said.INTERRUPTED)

    async def picture(self) -> list[tuple[str, str, int]]:
        """What the outside can see, to be compared between stores."""
        messages = [await self.store.message(message_id) for message_id in self.sent]
        return [(m.id, str(m.status), self.agent.transcript.count(m.id)) for m in messages]

    async def check(self) -> None:
        for message_id in self.sent:
            message = await self.store.message(message_id)
            times = self.agent.transcript.count(message_id) - self.agent.given_back.count(message_id)
            assert times <= 1, f"{message_id} arrived {times} times"
            is_in_box = message_id in self.agent.box
            if has_reached(message.status, Status.SUBMITTED):
                assert times == 1, f"{message_id} is {message.status}, and did not arrive"
            if message.status in (Status.EXPIRED, Status.CANCELLED, Status.DEAD):
                assert times == 0, f"{message_id} is {message.status}, and arrived"
                assert not is_in_box
            if is_in_box or (times and not has_reached(message.status, Status.SUBMITTED)):
                is_marked = message.attempted_at is not None or message.status is Status.STAGED
                assert is_marked, f"{message_id} is in the box or beyond, and not marked: {message.status}"

    async def check_order(self) -> None:
        """What was never given back arrived in the order of its mode."""
        sequences: dict[Mode, int] = {}
        for message_id in self.agent.transcript:
            if message_id in self.agent.given_back:
                continue
            message = await self.store.message(message_id)
            assert message.sequence > sequences.get(message.mode, 0), f"{message_id} was overtaken"
            sequences[message.mode] = message.sequence


class WholeQueue(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.directory = tempfile.TemporaryDirectory(dir=FAST_DISK)
        path = Path(self.directory.name) / "hark.db"
        self.worlds = [World(MemoryStore(), self.loop), World(SqliteStore(path), self.loop)]
        self.count = 0
        for world in self.worlds:
            world.do(world.store.open())
            world.do(add(world.store, make_session(ANA)))

    def teardown(self) -> None:
        for world in self.worlds:
            world.do(world.store.close())
        self.loop.close()
        self.directory.cleanup()

    def now(self) -> datetime:
        return self.worlds[0].now

    @rule(mode=st.sampled_from(Mode), is_raw=st.booleans(), timeout_s=st.sampled_from([None, None, 5.0, 60.0]))
    def send(self, mode: Mode, is_raw: bool, timeout_s: float | None) -> None:
        self.count += 1
        for world in self.worlds:
            world.do(world.send(f"m{self.count:04}", mode, is_raw, timeout_s))

    @precondition(lambda self: self.count)
    @rule(number=st.integers(0, 10**6))
    def cancel(self, number: int) -> None:
        outcomes = {world.do(world.cancel(world.sent[number % len(world.sent)])) for world in self.worlds}
        assert len(outcomes) == 1

    @rule(seconds=st.sampled_from([0.1, 4.0, 30.0, -3600.0, 3600.0]))
    def pass_time(self, seconds: float) -> None:
        """A clock may be set back too."""
        for world in self.worlds:
            world.now += timedelta(seconds=seconds)
            world.do(world.expire())

    @rule(is_held=st.booleans())
    def hold_or_release(self, is_held: bool) -> None:
        for world in self.worlds:
            world.is_held = is_held

    @rule(dies_before=st.sampled_from([None, None, None, *STEPS]))
    def deliver(self, dies_before: str | None) -> None:
        for world in self.worlds:
            try:
                world.do(world.work(dies_before))
            except Killed:
                self._restart(world)

    @rule()
    def restart(self) -> None:
        for world in self.worlds:
            self._restart(world)

    def _restart(self, world: World) -> None:
        """What the daemon knew is gone; what it wrote is not. A store in memory is kept: it stands for its disk."""
        world.turns = Turns()
        world.begin_courier()
        if isinstance(world.store, SqliteStore):
            world.do(world.store.close())
            world.do(world.store.open())

    @rule()
    def agent_says_what_it_took(self) -> None:
        for world in self.worlds:
            fresh = tuple(world.agent.transcript[-MOST:])
            if fresh and not set(fresh) & set(world.agent.box):
                world.do(world.hear(Said.PROMPT_SUBMITTED, fresh))

    @rule()
    def stop(self) -> None:
        for world in self.worlds:
            world.agent.is_busy = False
            world.do(world.hear(Said.STOPPED))

    @rule(gives_back=st.booleans())
    def interrupt(self, gives_back: bool) -> None:
        for world in self.worlds:
            world.do(world.interrupt(gives_back))

    taken = 0
    """Steps of all runs together."""

    @invariant()
    def everything_said_is_true(self) -> None:
        WholeQueue.taken += 1
        for world in self.worlds:
            world.do(world.check())
            world.do(world.check_order())

    @invariant()
    def all_stores_agree(self) -> None:
        first, *others = [world.do(world.picture()) for world in self.worlds]
        assert all(picture == first for picture in others)


EXAMPLES = int(os.environ.get("HARK_MODEL_EXAMPLES", "25"))
LENGTH = 50

TestWholeQueue = pytest.mark.timeout(3600)(WholeQueue.TestCase)
TestWholeQueue.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=LENGTH,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)


def test_the_steps_are_counted() -> None:
    """For `make model`: what was really done, which is less than what was allowed."""
    print(f"{WholeQueue.taken} steps over every store, no divergence")

    assert WholeQueue.taken > EXAMPLES * LENGTH / 5
