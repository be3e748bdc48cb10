"""One writer of every message's status: what it writes is in the store, in the events and in the log, and nobody writes beside it."""

import ast
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import hark.daemon
from hark.daemon.bus import Bus
from hark.daemon.outbox import INTERRUPTS, TIMED_OUT, Outbox
from hark.daemon.process.event_log import log_event
from hark.delivery.gate import Hold
from hark.model.errors import HarkError
from hark.model.ids import MessageId
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Status
from tests.integration.contract.samples import ANA, NOW, add, enqueue, later, make_message, make_session, walk
from tests.support.memory_store import MemoryStore

S = Status
ONE = MessageId("m1")
FENCE = 1
DRAFT = Hold(HoldReason.DRAFT, "a draft is there")
Operation = Callable[[Outbox, Message], Awaitable[Any]]
WRITES = frozenset({"move", "begin_attempt", "enqueue", "take_inbox"})
"""The methods of a store that change a message's status."""


async def make_outbox(*way: Status, **fields: Any) -> tuple[MemoryStore, Outbox, Message]:
    """A message that has gone this way, and the outbox for it. One lease of its session is granted."""
    store = MemoryStore()
    await store.open()
    Bus(store).listen(log_event)
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message(ONE, **fields))
    lease = await store.acquire_lease(ANA, "us", NOW, later(60))
    assert lease is not None
    assert lease.fence == FENCE
    return store, Outbox(store, lambda: NOW), await walk(store, message, *way)


# the way of the message before, its fields, the operation, and what its log line says
LINES: dict[str, tuple[tuple[Status, ...], dict[str, Any], Operation, dict[str, Any]]] = {
    "hold": (
        (),
        {},
        lambda outbox, message: outbox.hold(message, DRAFT, is_in_box=False),
        {"status": "held", "reason": "draft", "detail": "a draft is there"},
    ),
    "queue": (
        (S.STAGED,),
        {},
        lambda outbox, message: outbox.queue(message.id, "undone"),
        {"status": "queued", "reason": None, "detail": "undone"},
    ),
    "take back": (
        (S.STAGED, S.SUBMITTED),
        {},
        lambda outbox, message: outbox.take_back(message.id),
        {"status": "queued", "reason": None},
    ),
    "retry": (
        (S.DEAD,),
        {},
        lambda outbox, message: outbox.retry(message.id),
        {"status": "queued", "reason": None, "detail": "somebody asked to try it again"},
    ),
    "note an interrupt": (
        (),
        {},
        lambda outbox, message: outbox.note_interrupt(message, FENCE, Channel.NATIVE),
        {"status": "held", "reason": "busy", "detail": INTERRUPTS, "channel": "native"},
    ),
    "withdraw an interrupt": (
        (S.HELD,),
        {},
        lambda outbox, message: outbox.withdraw_interrupt(message, DRAFT),
        {"status": "held", "reason": "draft", "detail": "a draft is there"},
    ),
    "stage in the box": (
        (),
        {},
        lambda outbox, message: outbox.stage_in_box(message, FENCE, Carrier.STASH),
        {"status": "staged", "reason": None, "channel": "terminal", "carrier": "stash"},
    ),
    "stage with the API": (
        (),
        {},
        lambda outbox, message: outbox.stage_with_api(message, FENCE, None),
        {"status": "staged", "reason": None, "channel": "native"},
    ),
    "stage with a hook": (
        (),
        {},
        lambda outbox, message: outbox.stage_with_hook(message, FENCE, Authority.NOTICE, "Stop"),
        {"status": "staged", "detail": "given to the agent's Stop hook", "channel": "hook"},
    ),
    "submit": (
        (S.STAGED,),
        {},
        lambda outbox, message: outbox.submit(message, FENCE, channel=Channel.TERMINAL, carrier=Carrier.NONE),
        {"status": "submitted", "reason": None, "channel": "terminal", "carrier": "none"},
    ),
    "hand out": (
        (),
        {"is_inbox": True},
        lambda outbox, message: outbox.hand_out(message.session_id),
        {"status": "submitted", "detail": "handed to the agent", "channel": "inbox"},
    ),
    "acknowledge": (
        (S.STAGED, S.SUBMITTED),
        {},
        lambda outbox, message: outbox.acknowledge(message.id, "the agent said so"),
        {"status": "acknowledged", "reason": None, "detail": "the agent said so"},
    ),
    "complete": (
        (S.STAGED, S.SUBMITTED),
        {},
        lambda outbox, message: outbox.complete(message.id, "its turn has ended"),
        {"status": "completed", "reason": None, "detail": "its turn has ended"},
    ),
    "expire": (
        (),
        {"timeout_at": NOW},
        lambda outbox, message: outbox.expire(message),
        {"status": "expired", "reason": None, "detail": TIMED_OUT},
    ),
    "cancel": (
        (),
        {},
        lambda outbox, message: outbox.cancel(message.id),
        {"status": "cancelled", "reason": None, "detail": "taken back"},
    ),
    "mark as uncertain": (
        (S.STAGED,),
        {},
        lambda outbox, message: outbox.mark_uncertain(message, "nowhere"),
        {"status": "uncertain", "reason": None, "detail": "nowhere"},
    ),
    "give up": (
        (),
        {},
        lambda outbox, message: outbox.give_up(message.id, "too often"),
        {"status": "dead", "reason": None, "detail": "too often"},
    ),
    "give up what waits in an inbox": (
        (),
        {"is_inbox": True},
        lambda outbox, message: outbox.give_up(message.id, "too long"),
        {"status": "expired", "reason": None, "detail": "too long"},
    ),
}


@pytest.mark.parametrize(("way", "fields", "operation", "line"), LINES.values(), ids=LINES.keys())
async def test_every_operation_writes_a_receipt_an_event_and_a_log_line(
    way: tuple[Status, ...],
    fields: dict[str, Any],
    operation: Operation,
    line: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, outbox, message = await make_outbox(*way, **fields)
    caplog.set_level(logging.INFO, "hark")
    caplog.clear()

    await operation(outbox, message)

    (record,) = [record for record in caplog.records if record.getMessage() == "message"]
    said = {name: value for name, value in vars(record).items() if name in {"session", "message_id", *line}}
    assert said == {"session": ANA, "message_id": ONE, **line}
    receipt = (await store.receipts(ONE))[-1]
    event = (await store.events())[-1]
    assert (await store.message(ONE)).status == receipt.status == event.data["status"] == line["status"]


async def test_a_message_that_is_held_is_queued_before_it_goes_on() -> None:
    store, outbox, message = await make_outbox(S.HELD)

    await outbox.begin(message, FENCE, None)

    statuses = [receipt.status for receipt in await store.receipts(ONE)]
    begun = await store.message(ONE)
    assert statuses == [S.QUEUED, S.HELD, S.QUEUED]
    assert (begun.attempts, begun.attempted_at) == (1, NOW)


async def test_an_operation_of_an_old_lease_changes_nothing() -> None:
    store, outbox, message = await make_outbox()

    with pytest.raises(HarkError) as caught:
        await outbox.stage_in_box(message, FENCE + 1, Carrier.NONE)

    assert caught.value.code == "lease-lost"
    assert await store.message(ONE) == message


@pytest.mark.parametrize("way", [(), (S.STAGED,)], ids=["marked", "staged"])
async def test_a_message_whose_text_may_be_in_the_box_neither_expires_nor_is_cancelled(way: tuple[Status, ...]) -> None:
    store, outbox, message = await make_outbox(*way, timeout_at=NOW)
    if not way:
        await outbox.begin(message, FENCE, None)
    current = await store.message(ONE)

    assert not await outbox.expire(current)
    with pytest.raises(HarkError, match="already on its way"):
        await outbox.cancel(ONE)
    assert await store.message(ONE) == current


async def test_a_message_is_given_up_as_uncertain_if_its_text_may_be_in_the_box() -> None:
    store, outbox, message = await make_outbox()
    await outbox.begin(message, FENCE, None)

    await outbox.give_up(ONE, "its session has been gone for too long")

    assert (await store.message(ONE)).status is S.UNCERTAIN


def test_nobody_else_in_the_daemon_changes_the_status_of_a_message() -> None:
    writers = set()
    for path in Path(hark.daemon.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in WRITES:
                writers.add(path.name)

    assert writers == {"outbox.py"}
