from datetime import UTC, datetime
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Mode, Status
from hark.queue.ordering import delivery_order, inbox_order

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def make_message(
    sequence: int, mode: Mode = Mode.SEQUENTIAL, status: Status = Status.QUEUED, is_inbox: bool = False
) -> Message:
    return Message(
        id=MessageId(f"m{sequence}"),
        session_id=SessionId("s1"),
        text="hello",
        queued_at=T0,
        sequence=sequence,
        mode=mode,
        status=status,
        is_inbox=is_inbox,
    )


def test_first_come_first_served_within_a_mode() -> None:
    messages = [make_message(sequence) for sequence in (3, 1, 2)]

    assert [message.sequence for message in delivery_order(messages)] == [1, 2, 3]


def test_urgent_goes_before_important_before_sequential() -> None:
    messages = [make_message(1), make_message(2, Mode.IMPORTANT), make_message(3, Mode.URGENT)]

    assert [message.sequence for message in delivery_order(messages)] == [3, 2, 1]


def test_what_is_in_the_box_is_finished_first() -> None:
    messages = [make_message(1, Mode.URGENT), make_message(2, status=Status.STAGED)]

    assert [message.sequence for message in delivery_order(messages)] == [2, 1]


def test_a_held_message_keeps_its_place() -> None:
    messages = [make_message(2), make_message(1, status=Status.HELD)]

    assert [message.sequence for message in delivery_order(messages)] == [1, 2]


def test_what_waits_in_the_inbox_is_not_delivered_and_has_an_order_of_its_own() -> None:
    messages = [make_message(1), make_message(2, is_inbox=True), make_message(3, Mode.IMPORTANT, is_inbox=True)]

    assert [message.sequence for message in delivery_order(messages)] == [1]
    assert [message.sequence for message in inbox_order(messages)] == [3, 2]


@given(st.lists(st.sampled_from(Mode), max_size=12), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_messages_are_listed(modes: list[Mode], random: Random) -> None:
    messages = [make_message(sequence, mode) for sequence, mode in enumerate(modes)]
    shuffled = messages.copy()
    random.shuffle(shuffled)

    assert delivery_order(shuffled) == delivery_order(messages)
