"""Limits for agents that write to each other: a human is told once, and what is held does not count."""

import pytest

from hark.daemon.loops import MOST_HELD, Loops, check_room
from hark.model.errors import HarkError
from hark.model.session import Session
from hark.model.settings.config import Config
from tests.unit.daemon.faulty import make_session

ANA, BEN = make_session("ana"), make_session("ben")


class Stage:
    def __init__(self, *, max_pair_rate: int = 30, max_thread_hops: int = 20) -> None:
        self.now_s = 1000.0
        self.told: list[str] = []
        config = Config(max_pair_rate=max_pair_rate, max_thread_hops=max_thread_hops)
        self.loops = Loops(config, lambda: self.now_s, self._tell)

    async def _tell(self, session: Session, text: str) -> None:
        self.told.append(f"{session.name}: {text}")

    async def is_admitted(self, sender: Session = ANA, receiver: Session = BEN, hops: int = 0) -> bool:
        return await self.loops.admit(sender, receiver, hops) is None


async def test_a_pair_may_send_so_many_messages_a_minute() -> None:
    stage = Stage(max_pair_rate=3)

    assert [await stage.is_admitted() for _ in range(5)] == [True, True, True, False, False]
    assert await stage.is_admitted(BEN, ANA)  # The other direction is another pair.
    stage.now_s += 61
    assert await stage.is_admitted()


async def test_a_human_is_told_once_a_minute() -> None:
    stage = Stage(max_pair_rate=1)

    for _ in range(5):
        await stage.is_admitted()
    first = list(stage.told)
    stage.now_s += 61
    assert await stage.is_admitted()
    await stage.is_admitted()

    assert len(first) == 1
    assert "ana has sent ben 1 messages" in first[0]
    assert len(stage.told) == 2


async def test_a_thread_may_have_so_many_hops() -> None:
    stage = Stage(max_thread_hops=2)

    assert [await stage.is_admitted(hops=hops) for hops in range(5)] == [True, True, True, False, False]
    assert await stage.is_admitted(hops=0)


async def test_a_limit_of_nought_is_no_limit() -> None:
    stage = Stage(max_pair_rate=0, max_thread_hops=0)

    assert all([await stage.is_admitted(hops=hops) for hops in range(100)])
    assert stage.told == []


@pytest.mark.parametrize("hops", [3, 100])
async def test_what_is_held_does_not_count(hops: int) -> None:
    stage = Stage(max_pair_rate=1, max_thread_hops=2)

    assert not await stage.is_admitted(hops=hops)
    assert await stage.is_admitted()


def test_so_many_are_held_and_no_more() -> None:
    check_room(MOST_HELD - 1, "why")

    with pytest.raises(HarkError) as refused:
        check_room(MOST_HELD, "why")

    assert refused.value.code == "loop-limit"
