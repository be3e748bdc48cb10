"""What fails for one keeps no other one from its turn: every loop of the daemon, with faults injected."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

import pytest

from hark.agents.records.words import Words
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.announcer import Announcer, News
from hark.daemon.hearing.inference import Inference
from hark.daemon.hearing.signal_intake import Signals
from hark.daemon.hearing.tracker import Tracker
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.panes import Panes
from hark.daemon.process import isolation
from hark.daemon.process.isolation import LONGEST_REST_S, Isolation
from hark.daemon.registry.comebacks import Plan
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.sweep import go_round
from hark.daemon.registry.watcher import Watcher
from hark.daemon.timers.expiry import Expiry
from hark.daemon.timers.notices import Notices
from hark.daemon.timers.retention import Retention
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId
from hark.model.message import Status
from hark.model.reminder import Reminder
from hark.model.session import Pane, Session, SessionState
from hark.model.settings.config import Config
from hark.queue.lifecycle import Step
from hark.terminal.tmux.facts import ServerFacts
from tests.unit.daemon.faulty import T0, Parts, at, make_session, run_until, until

BROKEN = [HarkError("disk-full", "no room"), RuntimeError("a defect")]


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is tried again at once: how long it rests is tested by itself."""
    monkeypatch.setattr(isolation, "FIRST_REST_S", 0.0)


# the helper itself


async def test_a_failure_is_logged_rarely_and_in_full_for_a_defect(caplog: pytest.LogCaptureFixture) -> None:
    keeping = Isolation("loop")

    async def fail() -> None:
        raise RuntimeError("a defect")

    with caplog.at_level(logging.INFO, "hark"):
        for _ in range(100):
            assert await keeping.run("item", fail) is False

    assert [record.__dict__["count"] for record in caplog.records] == [1, 2, 4, 8, 16, 32, 64]
    assert caplog.records[0].exc_info


async def test_another_kind_of_failure_and_another_item_are_logged_at_once(caplog: pytest.LogCaptureFixture) -> None:
    keeping = Isolation("loop")

    def fail(error: Exception) -> Callable[[], Awaitable[None]]:
        async def work() -> None:
            raise error

        return work

    with caplog.at_level(logging.INFO, "hark"):
        for item, error in (("a", BROKEN[0]), ("a", BROKEN[1]), ("b", BROKEN[1]), ("a", BROKEN[1])):
            await keeping.run(item, fail(error))

    told = [(record.__dict__["item"], record.__dict__["code"], record.__dict__["count"]) for record in caplog.records]
    assert told == [("a", "disk-full", 1), ("a", "RuntimeError", 1), ("b", "RuntimeError", 1), ("a", "RuntimeError", 2)]


async def test_an_item_that_failed_rests_longer_each_time_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "FIRST_REST_S", 1.0)
    now_s = 0.0
    monkeypatch.setattr(isolation, "_now_s", lambda: now_s)
    keeping, tried, rests = Isolation("loop"), [], []

    async def fail() -> None:
        tried.append(now_s)
        raise BROKEN[0]

    for _ in range(9):
        await keeping.run("item", fail)
        await keeping.run("item", fail)
        rests.append(keeping.rest_s("item"))
        now_s += rests[-1]

    assert rests == [1, 2, 4, 8, 16, 32, LONGEST_REST_S, LONGEST_REST_S, LONGEST_REST_S]
    assert len(tried) == 9
    assert keeping.rest_s("another") == 0


async def test_after_a_success_all_is_forgiven() -> None:
    keeping = Isolation("loop")
    keeping.note("item", BROKEN[1])

    async def succeed() -> None:
        return None

    assert await keeping.run("item", succeed) is True
    assert keeping.rest_s("item") == 0


async def test_a_cancelled_loop_is_cancelled() -> None:
    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    task = asyncio.ensure_future(Isolation("loop").run("item", wait))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


# the loops


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_rounds_go_on_for_the_others(error: Exception) -> None:
    looked: list[str] = []

    class Running:
        def running(self) -> list[Session]:
            same_server = Pane(socket="one", pane_id="%1", pid=1)
            return [
                Session(**{**_fields(make_session(name)), "pane": same_server}) for name in ("bad", "good", "better")
            ]

    async def look(session: Session) -> None:
        looked.append(session.name)
        if session.name == "bad":
            raise error

    await run_until(
        lambda: go_round(cast(Sessions, Running()), look, 0.001),
        lambda: looked.count("better") >= 3 and looked.count("bad") >= 2,
    )


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_a_listener_that_fails_keeps_no_other_one_from_an_event(error: Exception) -> None:
    async with Parts() as parts:
        heard: list[int] = []

        def fail(event: Event) -> None:
            raise error

        parts.bus.listen(fail)
        parts.bus.listen(lambda event: heard.append(event.seq))
        followed: list[int] = []

        async def follow() -> None:
            async for event in parts.bus.follow(0):
                followed.append(event.seq)

        task = asyncio.ensure_future(follow())
        for _ in range(3):
            await parts.store.add_event(Event(at=T0, kind=EventKind.HOOK))

        await until(lambda: heard == [1, 2, 3] and followed == [1, 2, 3])
        task.cancel()


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_one_message_that_cannot_expire_keeps_no_other_one_alive(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a", SessionState.GONE, T0))
        for name in ("m1", "m2", "m3"):
            await parts.enqueue(name, "a", timeout_at=at(1))
        parts.clocks.real_s = 5
        parts.store.fault("move", lambda message_id: message_id == "m1", error)
        expiry = Expiry(parts.core, parts.couriers)
        couriers = asyncio.ensure_future(parts.couriers.run())
        await asyncio.sleep(0)

        await expiry.sweep()

        assert [message.id for message in await parts.store.pending()] == ["m1"]
        parts.store.heal()
        await expiry.sweep()
        assert not await parts.store.pending()
        couriers.cancel()
        await asyncio.gather(couriers, return_exceptions=True)


def make_notices(parts: Parts) -> Notices:
    async def plan(reminder: Reminder) -> None:
        await parts.store.add_reminder(reminder)

    return Notices(parts.core, parts.mailbox, plan)


def sent(parts: Parts) -> list[str]:
    """The keys of the notices in the queue of their receiver."""
    return sorted(message.idempotency_key or "" for message in parts.store.of(SessionId("boss")))


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_a_notice_that_fails_keeps_no_other_one_back_and_is_sent_later(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("boss"))
        parts.store.fault("receipts", lambda message_id: message_id == "m1", error)
        notices = make_notices(parts)
        task = asyncio.ensure_future(notices.run())
        await asyncio.sleep(0.01)
        for name in ("m1", "m2"):
            await parts.enqueue(name, "a", sender_session_id=SessionId("boss"), notify_on_failure=True)
            await parts.store.move((await parts.store.message(_id(name))).id, Step(status=Status.DEAD, at=T0))

        await until(lambda: sent(parts) == ["notice:failure:m2"])
        parts.store.heal()
        await until(lambda: sent(parts) == ["notice:failure:m1", "notice:failure:m2"])
        assert not task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_second_failure_after_a_retry_is_told_and_one_notice_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("boss"))
        notices = make_notices(parts)
        message = await parts.enqueue("m1", "a", sender_session_id=SessionId("boss"), notify_on_failure=True)
        with caplog.at_level(logging.INFO, "hark"):
            for status in (Status.DEAD, Status.QUEUED, Status.DEAD):
                await parts.store.move(message.id, Step(status=status, at=T0, detail="why"))
                for _ in range(3):
                    await notices.look_back()

        assert sent(parts) == ["notice:failure:m1", "notice:failure:m1:2"]
        logged = [record.__dict__["key"] for record in caplog.records if record.getMessage() == "notice"]
        assert logged == ["notice:failure:m1", "notice:failure:m1:2"]


async def test_what_was_not_told_before_a_crash_is_told_after_it_whatever_was_asked_for() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"), make_session("boss"), make_session("gone", SessionState.GONE, T0))
        boss = SessionId("boss")
        stopped = await parts.enqueue("m1", "a", sender_session_id=boss, notify_on_stop=True)
        for status in (Status.STAGED, Status.SUBMITTED, Status.COMPLETED):
            await parts.store.move(stopped.id, Step(status=status, at=T0))
        couriers = asyncio.ensure_future(parts.couriers.run())
        await asyncio.sleep(0)
        await parts.enqueue("m2", "gone", sender_session_id=boss, notify_on_failure=True)
        parts.couriers.wake(SessionId("gone"))
        await until(lambda: not parts.couriers.all())

        await make_notices(parts).look_back()

        assert sent(parts) == ["notice:gone:m2", "notice:stop:m1"]
        couriers.cancel()
        await asyncio.gather(couriers, return_exceptions=True)


def make_retention(parts: Parts) -> Retention:
    return Retention(parts.core, parts.couriers, parts.clocks.elapsed)


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_one_part_of_retention_that_fails_keeps_no_other_one_back(error: Exception) -> None:
    async with Parts(keep_messages=10.0, keep_sessions=10.0) as parts:
        gone = [make_session(name, SessionState.GONE, T0) for name in ("bad", "good")]
        await parts.add(*gone, make_session("running"))
        parts.store.fault("forget_messages", lambda before: True, error)
        parts.store.fault("remove_session", lambda session_id: session_id == "bad", error)
        retention = make_retention(parts)
        await retention.sweep()
        parts.clocks.real_s = 60

        await retention.sweep()

        assert {session.name for session in parts.sessions.all()} == {"bad", "running"}
        parts.store.heal()
        await retention.sweep()
        assert {session.name for session in parts.sessions.all()} == {"running"}


async def test_a_clock_that_jumps_a_year_forth_erases_nothing_and_a_restart_does_not_help_it() -> None:
    async with Parts(keep_messages=30 * 86400.0, keep_sessions=30 * 86400.0) as parts:
        await parts.add(make_session("a"), make_session("gone", SessionState.GONE, T0))
        message = await parts.enqueue("m1", "a")
        await parts.store.move(message.id, Step(status=Status.CANCELLED, at=T0))
        retention = make_retention(parts)
        await retention.sweep()
        parts.clocks.set_by_s = 365 * 86400
        for _ in range(60):
            parts.clocks.real_s += 60
            await retention.sweep()
            # What a daemon on a wrong clock writes down, and another daemon.
            await parts.store.add_event(Event(at=parts.clocks.wall(), kind=EventKind.HOOK))
            retention = make_retention(parts)
            await retention.sweep()

        assert (await parts.store.message(message.id)).status is Status.CANCELLED
        assert len(parts.sessions.all()) == 2
        assert len(await parts.store.events()) > 60
        parts.clocks.set_by_s = 0
        for _ in range(24 * 32):
            parts.clocks.real_s += 3600
            await retention.sweep()
        assert [session.name for session in parts.sessions.all()] == ["a"]
        with pytest.raises(HarkError, match="m1"):
            await parts.store.message(message.id)


async def test_the_courier_of_a_session_that_is_gone_ends_when_all_say_so() -> None:
    async with Parts() as parts:
        await parts.add(make_session("a", SessionState.GONE, T0))
        for name in ("m1", "m2"):
            await parts.enqueue(name, "a")
        await parts.enqueue("m3", "a", timeout_at=at(-1))
        couriers = asyncio.ensure_future(parts.couriers.run())
        await asyncio.sleep(0)

        await until(lambda: not parts.couriers.all())

        statuses = {message.id: message.status for message in await parts.store.messages(SessionId("a"))}
        assert statuses == {"m1": Status.HELD, "m2": Status.HELD, "m3": Status.EXPIRED}
        parts.bus.listen(parts.couriers.on_event)
        await parts.enqueue("m4", "a")
        await until(lambda: not parts.couriers.all())
        assert (await parts.store.message(_id("m4"))).status is Status.HELD
        couriers.cancel()
        await asyncio.gather(couriers, return_exceptions=True)


class TwoPanes:
    """Stands in for the terminals of two sessions; the first one's fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def quiet_s(self, pane: Pane) -> float | None:
        if "bad" in pane.socket:
            raise self.error
        return 10**9

    def is_streaming(self, pane: Pane) -> bool:
        return True

    def of(self, pane: Pane) -> Any:
        raise self.error

    def server(self, socket: str) -> Any:
        return self

    async def facts(self) -> ServerFacts:
        return ServerFacts({}, [])

    def forget(self, pane: Pane) -> None:
        return None

    async def leave_unused(self, used: set[str], after_s: float) -> None:
        return None


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_one_session_that_cannot_be_listened_to_makes_no_other_one_deaf(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("bad"), make_session("good"))
        attended: list[str] = []

        class Speaking:
            async def words(self, session: Session) -> list[Words]:
                attended.append(session.name)
                if session.name == "bad":
                    raise error
                return []

        class Hearing:
            async def hear_words(self, session: Session, words: list[Words]) -> None:
                return None

        tracker = Tracker(
            replace(parts.core, panes=cast(Panes, TwoPanes(error))),
            cast(Signals, Hearing()),
            cast(TurnBook, None),
            cast(Natives, Speaking()),
            ("hark",),
        )
        bad, good = (parts.sessions.get(SessionId(name)).pane for name in ("bad", "good"))

        def prints_on() -> bool:
            tracker.take(bad, b"x\n")
            tracker.take(good, b"x\n")
            return attended.count("good") >= 2 and attended.count("bad") >= 2

        await run_until(tracker.run, prints_on)


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_one_session_of_which_nothing_can_be_inferred_keeps_no_other_one_from_it(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("bad"), make_session("good"))
        asked: list[str] = []

        class Asking(Inference):
            async def _try(self, session: Session) -> None:
                asked.append(session.name)

        panes = cast(Panes, TwoPanes(error))
        config = Config(infer_url="http://127.0.0.1:1")
        core = replace(parts.core, panes=panes, config=config, clock=lambda: at(10**6))
        inference = Asking(core, cast(Signals, None))

        await inference.look_at_all()

        assert asked == ["good"]


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_one_way_of_telling_that_fails_keeps_no_other_one_silent(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("a"))
        told: list[str] = []

        class Ways(Announcer):
            async def _tell(self, way: str, news: News) -> None:
                if way == "bell":
                    raise error
                told.append(f"{way} {news.nudge_seq}")

        telling = Ways(
            replace(parts.core, config=Config(notify_by="bell,desktop")),
            lambda: datetime(2026, 1, 1),
        )
        for number in (1, 2):
            data = {"state": "error", "text": "t", "nudge_seq": number}
            telling.on_event(Event(at=T0, kind=EventKind.SIGNAL, session_id=SessionId("a"), data=data))

        await run_until(telling.run, lambda: told == ["desktop 1", "desktop 2"])


@pytest.mark.parametrize("error", BROKEN, ids=repr)
async def test_one_session_that_cannot_be_marked_as_gone_keeps_no_other_one_running(error: Exception) -> None:
    async with Parts() as parts:
        await parts.add(make_session("bad"), make_session("good"))
        parts.store.fault("change_session", lambda session_id: session_id == "bad", error)
        panes = cast(Panes, TwoPanes(error))
        parts.sessions._panes = panes

        async def settle() -> None: ...

        def leave(session: Session, why: str) -> Plan:
            return Plan(why=why, changes={})

        watcher = Watcher(replace(parts.core, panes=panes), lambda session_id: None, settle, leave)

        def states() -> dict[str, str]:
            return {session.name: str(session.state) for session in parts.sessions.all()}

        await run_until(watcher.run, lambda: states() == {"bad": "running", "good": "gone"})


def _fields(session: Session) -> dict[str, Any]:
    return {name: getattr(session, name) for name in session.__struct_fields__}


def _id(name: str) -> Any:
    return name
