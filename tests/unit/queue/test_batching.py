from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Mode, Status
from hark.queue.batching import may_be_joined, next_batch, payload_order
from hark.queue.ordering import delivery_order

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def make_message(number: int = 0, **fields: Any) -> Message:
    known: dict[str, Any] = {"text": "hi", "queued_at": T0, "sequence": number}
    return Message(id=MessageId(f"m{number}"), session_id=SessionId("s"), **(known | fields))


def numbers(batch: tuple[Message, ...]) -> list[int]:
    return [message.sequence for message in batch]


def test_what_waits_goes_together_in_order_up_to_the_limit() -> None:
    waiting = [make_message(number) for number in range(5)]

    assert numbers(next_batch(waiting, 3, T0)) == [0, 1, 2]
    assert numbers(next_batch(waiting, 10, T0)) == [0, 1, 2, 3, 4]
    assert next_batch([], 10, T0) == ()


def test_some_go_alone_and_nothing_overtakes_them() -> None:
    for fields in (
        {"is_raw": True},
        {"is_alone": True},  # a question, whose answer shall be its own
        {"mode": Mode.URGENT},
        {"status": Status.STAGED},
        {"attempted_at": T0},
        {"attempts": 1},  # the agent has refused it before, perhaps because of others in its payload
        {"is_as_user": True},
    ):
        odd = make_message(1, **fields)

        assert numbers(next_batch([odd, make_message(2)], 10, T0)) == [1]
        assert numbers(next_batch([make_message(0), odd, make_message(2)], 10, T0)) == [0]


def test_what_has_expired_is_not_taken_along() -> None:
    late = make_message(1, timeout_at=T0 - timedelta(seconds=1))

    assert numbers(next_batch([make_message(0), late, make_message(2)], 10, T0)) == [0]


MESSAGES = st.lists(
    st.builds(
        lambda mode, is_raw, is_staged: make_message(
            mode=mode, is_raw=is_raw, status=Status.STAGED if is_staged else Status.QUEUED
        ),
        st.sampled_from(Mode),
        st.booleans(),
        st.booleans(),
    ),
    max_size=12,
)


@given(MESSAGES, st.integers(1, 12))
def test_batches_one_after_the_other_are_the_order_itself(made: list[Message], most: int) -> None:
    left = delivery_order([make_message(n, mode=m.mode, is_raw=m.is_raw, status=m.status) for n, m in enumerate(made)])
    whole = list(left)
    taken: list[Message] = []
    while left:
        batch = next_batch(left, most, T0)
        assert 1 <= len(batch) <= most
        assert len(batch) == 1 or all(may_be_joined(message, T0) for message in batch)
        taken += batch
        left = left[len(batch) :]

    assert taken == whole


@given(st.permutations([Mode.IMPORTANT, Mode.SEQUENTIAL, Mode.IMPORTANT, Mode.SEQUENTIAL, Mode.SEQUENTIAL]))
def test_a_payload_is_put_together_again_as_it_was(modes: list[Mode]) -> None:
    """Also when its messages have become something else meanwhile."""
    waiting = [make_message(number, mode=mode) for number, mode in enumerate(modes)]
    batch = next_batch(delivery_order(waiting), 9, T0)

    later = [structs.replace(m, status=Status.STAGED if m.sequence % 2 else Status.QUEUED) for m in waiting]

    assert [m.id for m in payload_order(later)] == [m.id for m in batch]
