"""A courier's rounds, with a terminal that only says what it was asked for."""

from msgspec.structs import replace

from hark.daemon.delivering.ledger import Ledger
from hark.daemon.outbox import Outbox
from hark.daemon.session.round import Round
from hark.delivery.actions import DeliverNatively, GiveUpProof, SettleClaim, UseKeys
from hark.delivery.gate import Hold, PaneState
from hark.delivery.session_view import Fact, Facts, HookView, Limits, Memory, SessionView
from hark.model.errors import HarkError
from hark.model.message import HoldReason, Message, Status
from hark.queue.turns import Phase
from tests.integration.contract.samples import ANA, NOW, add, enqueue, make_message, make_session
from tests.support.memory_store import MemoryStore

REFUSED = Hold(HoldReason.DRAFT, "not echoed", is_refused=True)


class Stage:
    """Answers as it is told to, and remembers what it was asked for."""

    def __init__(self, *answers: Hold | HarkError | None, most_attempts: int = 3) -> None:
        self.store = MemoryStore()
        self.answers = list(answers)
        self.limits = Limits(most_attempts=most_attempts)
        self.hooks = HookView()
        self.asked: list[str] = []
        ledger = Ledger(ANA, self.store, Outbox(self.store, lambda: NOW), lambda: NOW)
        self.round = Round(ANA, self, self, ledger, self.store, self.limits)

    async def open(self, *names: str) -> None:
        await self.store.open()
        await add(self.store, make_session(ANA))
        await enqueue(self.store, *(make_message(name) for name in names))

    async def status(self, name: str) -> tuple[Status, HoldReason | None]:
        message = await self.store.message(make_message(name).id)
        return message.status, message.hold_reason

    async def look(self, memory: Memory) -> SessionView:
        message = await self.store.first_pending(ANA)
        waiting = (message,) if message else ()
        # The clock is far ahead, so nothing rests.
        return SessionView(
            now=NOW, elapsed_s=1e12, waiting=waiting, memory=memory, hooks=self.hooks, limits=self.limits
        )

    async def find(self, fact: Fact, view: SessionView) -> SessionView:
        self.asked.append(fact)
        known = Facts(
            in_order=view.waiting,
            is_suspended=False,
            has_channel=False,
            pane=PaneState(is_there=True, foreground="demo"),
        )
        return replace(view, facts=replace(view.facts, **{fact: getattr(known, fact)}))

    async def use_keys(self, action: UseKeys) -> Hold | None:
        self.asked.append("keys")
        answer = self.answers.pop(0)
        if isinstance(answer, HarkError):
            raise answer
        if answer is None:
            await self._take(action.messages)
        return answer

    async def _take(self, messages: tuple[Message, ...]) -> None:
        outbox = Outbox(self.store, lambda: NOW)
        for message in messages:
            await outbox.cancel(message.id)

    async def deliver_natively(self, action: DeliverNatively) -> Hold | None:
        raise AssertionError(action)

    async def settle_claim(self, action: SettleClaim) -> None:
        raise AssertionError(action)

    async def give_up_proof(self, action: GiveUpProof) -> None:
        raise AssertionError(action)

    async def wake(self, message: Message) -> Hold | None:
        self.asked.append("wake")
        return None


async def test_facts_are_found_out_before_keys_are_used() -> None:
    stage = Stage(Hold(HoldReason.DIALOG, "no box"))
    await stage.open("m1")

    pause = await stage.round.run()

    assert stage.asked == ["is_suspended", "has_channel", "pane", "in_order", "keys"]
    assert (pause.for_s, pause.is_for_output) == (stage.limits.poll_s, True)
    assert await stage.status("m1") == (Status.HELD, HoldReason.DIALOG)


async def test_a_message_that_the_waiting_hook_cannot_take_is_typed_and_the_hook_is_asked_once() -> None:
    stage = Stage(Hold(HoldReason.DIALOG, "no box"))
    stage.hooks = HookView(phase=Phase.IDLE, has_waiter=True)
    await stage.open("m1")

    await stage.round.run()

    assert stage.asked.count("wake") == 1
    assert stage.asked[-1] == "keys"


async def test_an_error_holds_the_message_and_the_courier_goes_on() -> None:
    stage = Stage(HarkError("tmux-timeout", "no answer"))
    await stage.open("m1")

    await stage.round.run()

    assert await stage.status("m1") == (Status.HELD, HoldReason.UNREACHABLE)


async def test_a_message_that_is_refused_too_often_steps_aside_for_the_next() -> None:
    stage = Stage(REFUSED, REFUSED, Hold(HoldReason.DIALOG, "no box"), most_attempts=2)
    await stage.open("m1")
    await stage.round.run()
    await enqueue(stage.store, make_message("m2"))

    await stage.round.run()

    assert (await stage.status("m1"))[0] is Status.DEAD
    assert await stage.status("m2") == (Status.HELD, HoldReason.DIALOG)


async def test_a_message_that_makes_the_courier_fail_counts_from_the_second_failure_on() -> None:
    stage = Stage(*[Hold(HoldReason.DIALOG, "no box")] * 2, most_attempts=1)
    await stage.open("m1")
    await stage.round.run()

    await stage.round.note_failure("unexpected")
    first = await stage.status("m1")
    await stage.round.run()
    await stage.round.note_failure("unexpected")

    assert first == (Status.HELD, HoldReason.INTERNAL)
    assert (await stage.status("m1"))[0] is Status.DEAD


async def test_nothing_to_do_waits_for_an_event_alone() -> None:
    stage = Stage(None)
    await stage.open("m1")

    pause = await stage.round.run()

    assert (pause.for_s, pause.is_for_output) == (None, False)
    assert stage.asked.count("keys") == 1
