"""What the daemon knows about a session is in one object, and goes with the session."""

import asyncio
import re
from pathlib import Path

from hark.daemon.session.live import LiveSessions, Part
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId
from tests.unit.daemon.faulty import T0, run_until

ANA, BEN = SessionId("ana"), SessionId("ben")
DAEMON = Path(__file__).parents[4] / "src" / "hark" / "daemon"


class Count(Part):
    value = 0
    is_ended = False

    async def end(self) -> None:
        self.is_ended = True


class Busy(Part):
    def __init__(self) -> None:
        self.lock = asyncio.Lock()

    @property
    def is_at_work(self) -> bool:
        return self.lock.locked()


class Broken(Part):
    async def end(self) -> None:
        raise OSError("closed already")


def gone(session_id: SessionId) -> Event:
    return Event(at=T0, kind=EventKind.SESSION_GONE, session_id=session_id)


async def test_a_part_is_made_once_for_each_session() -> None:
    live = LiveSessions(lambda session_id: True)

    live.of(ANA).part(Count).value = 7

    assert live.of(ANA).part(Count).value == 7
    assert live.of(BEN).part(Count).value == 0
    assert {session_id for session_id, _ in live.parts(Count)} == {ANA, BEN}


async def test_a_question_makes_nothing() -> None:
    live = LiveSessions(lambda session_id: True)

    assert live.find(ANA, Count) is None
    assert list(live.parts(Count)) == []


async def test_a_gone_session_is_forgotten_with_all_its_parts() -> None:
    running = {ANA, BEN}
    live = LiveSessions(running.__contains__)
    count = live.of(ANA).part(Count)
    live.of(BEN).part(Count)
    running.discard(ANA)
    live.on_event(gone(ANA))

    await run_until(live.run, lambda: count.is_ended)

    assert live.find(ANA, Count) is None
    assert live.find(BEN, Count) is not None


async def test_a_part_at_work_stays_until_its_work_is_done() -> None:
    live = LiveSessions(lambda session_id: False)
    busy, count = live.of(ANA).part(Busy), live.of(ANA).part(Count)

    async with busy.lock:
        await live.forget(ANA)
        assert count.is_ended
        assert live.find(ANA, Busy) is busy
    await live.forget(ANA)

    assert live.find(ANA, Busy) is None


async def test_a_part_that_cannot_be_ended_keeps_no_other_one() -> None:
    live = LiveSessions(lambda session_id: False)
    live.of(ANA).part(Broken)
    counts = [live.of(session_id).part(Count) for session_id in (ANA, BEN)]

    await run_until(live.run, lambda: all(count.is_ended for count in counts))


class Slow(Part):
    """A part that takes its time to end."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()

    async def end(self) -> None:
        await self.may_end.wait()


async def test_a_session_that_started_again_keeps_its_parts_when_the_end_of_the_old_ones_comes_late() -> None:
    live = LiveSessions(lambda session_id: False)
    slow = live.of(ANA).part(Slow)
    late = asyncio.create_task(live.forget(ANA))
    await asyncio.sleep(0)
    await live.end(ANA)
    count = live.of(ANA).part(Count)

    slow.may_end.set()
    await late

    assert live.find(ANA, Count) is count


async def test_a_session_that_is_forgotten_already_can_be_forgotten_again() -> None:
    live = LiveSessions(lambda session_id: False)

    await live.forget(ANA)
    await live.end(ANA)


def test_nothing_else_in_the_daemon_is_kept_by_session() -> None:
    """The registry of sessions has its index by id and by pane, `Panes` knows its panes, and `TerminalViews` those that somebody looks
    at."""
    kept = re.compile(r"self\.(\w+): (?:dict|defaultdict|set)\[(?:SessionId|Pane)\b")
    found = {
        (path.relative_to(DAEMON).as_posix(), match[1])
        for path in DAEMON.rglob("*.py")
        for match in kept.finditer(path.read_text())
    }

    assert found == {
        ("session/live.py", "_by_id"),
        ("registry/sessions.py", "_by_id"),
        ("registry/sessions.py", "_by_pane"),
        ("registry/sessions.py", "_unfinished"),
        ("registry/sessions.py", "_being_killed"),
        ("registry/starter.py", "_in_progress"),
        ("panes.py", "_outputs"),
        ("viewing/terminal_views.py", "_controls"),
        ("viewing/terminal_views.py", "_lingering"),
    }
