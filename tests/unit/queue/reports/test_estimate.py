from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.ids import MessageId, SessionId
from hark.model.message import HoldReason, Message, Mode, Status
from hark.queue.lifecycle import PENDING
from hark.queue.reports.estimate import Outlook, estimate
from hark.queue.turns import Phase

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def make_message(
    mode: Mode = Mode.SEQUENTIAL,
    reason: HoldReason | None = None,
    status: Status = Status.QUEUED,
    *,
    is_inbox: bool = False,
) -> Message:
    return Message(
        id=MessageId("m"),
        session_id=SessionId("s"),
        text="hi",
        queued_at=T0,
        mode=mode,
        status=Status.HELD if reason else status,
        hold_reason=reason,
        is_inbox=is_inbox,
    )


MESSAGE = make_message()
URGENT = make_message(Mode.URGENT)


@pytest.mark.parametrize(
    ("outlook", "word"),
    [
        # nobody is there to be delivered to, whatever else is true
        (Outlook(message=MESSAGE, position=1, obstacle=HoldReason.SESSION_GONE), "waiting_for_session_gone"),
        # the first message to a session on `hark hold` has not been held yet
        (Outlook(message=MESSAGE, position=1, obstacle=HoldReason.DO_NOT_DISTURB), "waiting_for_do_not_disturb"),
        (Outlook(message=URGENT, position=1, obstacle=HoldReason.DO_NOT_DISTURB), "waiting_for_do_not_disturb"),
        # the gate knows more now than when the first message was held
        (
            Outlook(
                message=MESSAGE,
                position=2,
                first=make_message(reason=HoldReason.BUSY),
                obstacle=HoldReason.DO_NOT_DISTURB,
            ),
            "waiting_for_do_not_disturb",
        ),
        # what holds the first holds all
        (Outlook(message=MESSAGE, position=3, first=make_message(reason=HoldReason.DRAFT)), "waiting_for_draft"),
        (Outlook(message=MESSAGE, position=3, first=MESSAGE), "after_earlier_messages"),
        # the agent itself says what it does
        (Outlook(message=MESSAGE, position=1, phase=Phase.WAITING), "waiting_for_dialog"),
        (Outlook(message=MESSAGE, position=1, phase=Phase.BUSY, is_typed_when_idle=True), "waiting_for_idle"),
        (Outlook(message=MESSAGE, position=1, phase=Phase.BUSY, is_for_hook=True), "waiting_for_busy"),
        # typed during the turn; the agent takes it as its next turn
        (Outlook(message=MESSAGE, position=1, phase=Phase.BUSY), "next_turn"),
        (Outlook(message=URGENT, position=1, phase=Phase.BUSY, is_typed_when_idle=True), "now"),
        # an agent that nothing interrupts
        (Outlook(message=URGENT, position=1, phase=Phase.BUSY, can_interrupt=False), "next_turn"),
        (Outlook(message=MESSAGE, position=1, phase=Phase.IDLE), "now"),
        (Outlook(message=MESSAGE, position=1, phase=Phase.UNKNOWN), "now"),
        # nothing is typed, so nothing is in the way
        (
            Outlook(message=make_message(is_inbox=True), position=0, obstacle=HoldReason.DO_NOT_DISTURB),
            "when_the_inbox_is_checked",
        ),
        (Outlook(message=make_message(status=Status.SUBMITTED), position=0), "submitted"),
        (
            Outlook(message=make_message(status=Status.DEAD), position=0, obstacle=HoldReason.SESSION_GONE),
            "dead",
        ),
    ],
)
def test_the_word_names_the_true_reason(outlook: Outlook, word: str) -> None:
    assert estimate(outlook) == word


@given(
    st.builds(
        Outlook,
        message=st.builds(
            make_message,
            st.sampled_from(Mode),
            st.none() | st.sampled_from(HoldReason),
            st.sampled_from([s for s in Status if s is not Status.HELD]),
            is_inbox=st.booleans(),
        ),
        position=st.integers(0, 5),
        first=st.none() | st.builds(make_message, reason=st.none() | st.sampled_from(HoldReason)),
        obstacle=st.none() | st.sampled_from(HoldReason),
        phase=st.sampled_from(Phase),
        is_for_hook=st.booleans(),
        is_typed_when_idle=st.booleans(),
        can_interrupt=st.booleans(),
    )
)
def test_now_is_said_only_where_nothing_is_known_to_be_in_the_way(outlook: Outlook) -> None:
    word = estimate(outlook)

    if word == "now":
        assert outlook.message.status in PENDING
        assert outlook.obstacle is None
        assert outlook.first is None or outlook.first.hold_reason is None
        assert outlook.position <= 1
        assert outlook.phase is not Phase.WAITING
        assert outlook.phase is not Phase.BUSY or outlook.message.mode is Mode.URGENT
