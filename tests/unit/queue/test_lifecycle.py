from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from hark.model.errors import HarkError
from hark.model.event import EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Status
from hark.queue.lifecycle import (
    ENDS,
    LEGAL,
    PENDING,
    Step,
    TextPlace,
    advance,
    begin_attempt,
    first,
    given_up_status,
    has_reached,
    is_attempted,
    is_expired,
    is_on_its_way,
    is_stranded,
    text_place,
)

S = Status
T0 = datetime(2026, 3, 1, tzinfo=UTC)
T1, T2, T3 = (T0 + timedelta(seconds=n) for n in (1, 2, 3))


def make_message(status: Status = S.QUEUED, **fields: Any) -> Message:
    return Message(id=MessageId("m1"), session_id=SessionId("s1"), text="hello", queued_at=T0, status=status, **fields)


def make_step(status: Status, at: datetime = T1, **fields: Any) -> Step:
    reason = HoldReason.DRAFT if status is S.HELD else None
    known: dict[str, Any] = {"reason": reason}
    return Step(status=status, at=at, **(known | fields))


def changes_of(message: Message, step: Step) -> dict[str, Any]:
    """The fields that differ afterwards."""
    after = advance(message, step).message
    return {f: getattr(after, f) for f in after.__struct_fields__ if getattr(after, f) != getattr(message, f)}


def placed(status: Status, place: TextPlace) -> Message:
    """A message with this status, whose text may be in this place."""
    channels = {TextPlace.API: Channel.NATIVE, TextPlace.HOOK: Channel.HOOK}
    return make_message(
        status,
        hold_reason=HoldReason.BUSY if status is S.HELD else None,
        attempted_at=T0 if place is TextPlace.BOX else None,
        channel=channels.get(place),
        is_inbox=place is TextPlace.INBOX,
    )


@pytest.mark.parametrize(("previous", "place"), LEGAL)
@pytest.mark.parametrize("status", Status)
def test_a_change_is_made_exactly_when_the_table_has_it(previous: Status, place: TextPlace, status: Status) -> None:
    message = placed(previous, place)

    assert text_place(message) is place
    if status in LEGAL[previous, place]:
        moved = advance(message, make_step(status))
        assert (moved.message.status, moved.receipt.previous, moved.receipt.status) == (status, previous, status)
    else:
        with pytest.raises(HarkError, match=f"{previous} cannot become {status}") as caught:
            advance(message, make_step(status))
        assert caught.value.code == "transition-illegal"


@pytest.mark.parametrize("previous", Status)
@pytest.mark.parametrize("status", Status)
def test_an_inbox_message_has_rows_of_its_own(previous: Status, status: Status) -> None:
    message = make_message(previous, is_inbox=True)

    if status in LEGAL.get((previous, TextPlace.INBOX), ()):
        assert advance(message, make_step(status)).message.status is status
    else:
        with pytest.raises(HarkError, match=f"{previous} cannot become {status}"):
            advance(message, make_step(status))


def test_an_inbox_message_never_comes_near_a_box() -> None:
    reached: set[Status] = set()
    ahead = {S.QUEUED}
    while ahead - reached:
        reached |= ahead
        ahead = {following for status in reached for following in LEGAL[status, TextPlace.INBOX]}

    assert reached == {S.QUEUED, S.SUBMITTED, S.ACKNOWLEDGED, S.COMPLETED, S.FAILED, S.EXPIRED, S.CANCELLED}
    with pytest.raises(HarkError, match="queued cannot become staged"):
        begin_attempt(make_message(is_inbox=True), T1)


def test_the_table_names_every_status_and_failed_expired_and_cancelled_are_final() -> None:
    typed = {row: following for row, following in LEGAL.items() if row[1] is not TextPlace.INBOX}

    assert {status for status, _ in typed} == set(Status)
    assert {status for (status, _), following in typed.items() if not following} == {S.FAILED, S.EXPIRED, S.CANCELLED}
    assert not PENDING & ENDS


@pytest.mark.parametrize(
    ("message", "step", "changes"),
    [
        # each progress has its stamp
        (make_message(), make_step(S.STAGED), {"status": S.STAGED, "staged_at": T1}),
        (make_message(S.STAGED), make_step(S.SUBMITTED), {"status": S.SUBMITTED, "delivered_at": T1}),
        (
            make_message(S.SUBMITTED, delivered_at=T0),
            make_step(S.ACKNOWLEDGED),
            {"status": S.ACKNOWLEDGED, "acknowledged_at": T1},
        ),
        # completed is an end as well as a progress
        (
            make_message(S.ACKNOWLEDGED, delivered_at=T0),
            make_step(S.COMPLETED),
            {"status": S.COMPLETED, "completed_at": T1, "ended_at": T1},
        ),
        # an agent that acknowledges what nobody saw submitted proves the delivery too
        (
            make_message(S.STAGED),
            make_step(S.ACKNOWLEDGED),
            {"status": S.ACKNOWLEDGED, "acknowledged_at": T1, "delivered_at": T1},
        ),
        (
            make_message(S.UNCERTAIN, ended_at=T0),
            make_step(S.COMPLETED),
            {"status": S.COMPLETED, "completed_at": T1, "delivered_at": T1, "ended_at": T1},
        ),
        # the ends
        (make_message(), make_step(S.EXPIRED), {"status": S.EXPIRED, "ended_at": T1}),
        (make_message(), make_step(S.CANCELLED), {"status": S.CANCELLED, "ended_at": T1}),
        (make_message(), make_step(S.DEAD), {"status": S.DEAD, "ended_at": T1}),
        (make_message(S.STAGED), make_step(S.UNCERTAIN), {"status": S.UNCERTAIN, "ended_at": T1}),
        # what comes back to life has not ended
        (make_message(S.DEAD, ended_at=T0), make_step(S.QUEUED), {"status": S.QUEUED, "ended_at": None}),
        # channel and carrier are set when known and kept when not
        (
            make_message(),
            make_step(S.STAGED, channel=Channel.TERMINAL, carrier=Carrier.STASH),
            {
                "status": S.STAGED,
                "staged_at": T1,
                "channel": Channel.TERMINAL,
                "carrier": Carrier.STASH,
                "authority": Authority.USER,
            },
        ),
        # a hook tells an agent something beside its prompt, unless somebody knows better
        (
            make_message(),
            make_step(S.STAGED, channel=Channel.HOOK),
            {"status": S.STAGED, "staged_at": T1, "channel": Channel.HOOK, "authority": Authority.NOTICE},
        ),
        (
            make_message(),
            make_step(S.STAGED, channel=Channel.HOOK, authority=Authority.USER),
            {"status": S.STAGED, "staged_at": T1, "channel": Channel.HOOK, "authority": Authority.USER},
        ),
        (
            make_message(S.STAGED, channel=Channel.TERMINAL),
            make_step(S.SUBMITTED),
            {"status": S.SUBMITTED, "delivered_at": T1},
        ),
    ],
)
def test_a_change_of_status_sets_its_stamps_and_nothing_else(
    message: Message, step: Step, changes: dict[str, Any]
) -> None:
    assert changes_of(message, step) == changes


def test_a_hold_remembers_since_when_it_has_had_its_reason() -> None:
    held = advance(make_message(), make_step(S.HELD, T1, reason=HoldReason.DRAFT)).message
    same = advance(held, make_step(S.HELD, T2, reason=HoldReason.DRAFT)).message
    other = advance(same, make_step(S.HELD, T3, reason=HoldReason.BUSY)).message
    queued = advance(other, make_step(S.QUEUED, T3)).message

    assert (held.hold_reason, held.held_since) == (HoldReason.DRAFT, T1)
    assert (same.hold_reason, same.held_since) == (HoldReason.DRAFT, T1)
    assert (other.hold_reason, other.held_since) == (HoldReason.BUSY, T3)
    assert (queued.hold_reason, queued.held_since) == (None, None)


@pytest.mark.parametrize(
    ("place", "status"),
    [
        (place, status)
        for place in (TextPlace.NOWHERE, TextPlace.BOX)
        for status in sorted(LEGAL[S.HELD, place] - {S.HELD})
    ],
)
def test_nothing_but_held_has_a_reason(place: TextPlace, status: Status) -> None:
    message = placed(S.HELD, place)

    with pytest.raises(HarkError, match="a held message must have a reason"):
        advance(message, make_step(status, reason=HoldReason.BUSY))


def test_held_has_a_reason() -> None:
    with pytest.raises(HarkError, match="a held message must have a reason"):
        advance(make_message(), make_step(S.HELD, reason=None))


def test_an_attempt_is_counted_and_marked_before_anything_is_known() -> None:
    once = begin_attempt(make_message(), T1)
    twice = begin_attempt(once, T2)

    assert (once.attempts, once.attempted_at, once.status) == (1, T1, S.QUEUED)
    assert (twice.attempts, twice.attempted_at) == (2, T2)


@pytest.mark.parametrize("status", [status for status in Status if status is not S.QUEUED])
def test_only_a_queued_message_is_attempted(status: Status) -> None:
    with pytest.raises(HarkError) as caught:
        begin_attempt(make_message(status), T1)

    assert caught.value.code == "transition-illegal"


@pytest.mark.parametrize(
    ("step", "is_marked"),
    [
        (make_step(S.STAGED), True),  # it is in the box
        (make_step(S.HELD, is_in_box=True), True),  # the delivery could not take it out again
        (make_step(S.HELD), False),  # it is known to be out
        (make_step(S.UNCERTAIN), False),  # nobody looks for it any more
    ],
)
def test_the_mark_stays_while_the_text_may_be_in_the_box(step: Step, is_marked: bool) -> None:
    message = make_message(attempts=1, attempted_at=T0)

    after = advance(message, step).message

    assert after.attempted_at == (T0 if is_marked else None)
    assert after.attempts == 1


def test_the_receipt_and_the_event_tell_what_the_step_knew() -> None:
    step = make_step(S.HELD, reason=HoldReason.DIALOG, detail="no echo", channel=Channel.TERMINAL, carrier=Carrier.NONE)

    moved = advance(make_message(), step)

    receipt, event = moved.receipt, moved.event
    assert (receipt.message_id, receipt.previous, receipt.status, receipt.at) == ("m1", S.QUEUED, S.HELD, T1)
    assert (receipt.reason, receipt.detail, receipt.channel, receipt.carrier) == (
        HoldReason.DIALOG,
        "no echo",
        Channel.TERMINAL,
        Carrier.NONE,
    )
    assert (event.kind, event.at, event.session_id, event.message_id) == (EventKind.MESSAGE, T1, "s1", "m1")
    known = {"channel": "terminal", "carrier": "none"}
    assert event.data == {"status": "held", "reason": "dialog", "detail": "no echo"} | known


def test_a_new_message_starts_queued_with_a_receipt_that_has_no_previous_status() -> None:
    message = make_message()

    begun = first(message)

    assert begun.message == message
    assert (begun.receipt.previous, begun.receipt.status, begun.receipt.at) == (None, S.QUEUED, T0)


@pytest.mark.parametrize("status", [status for status in Status if status is not S.QUEUED])
def test_a_new_message_starts_nowhere_else(status: Status) -> None:
    with pytest.raises(HarkError, match=f"new cannot become {status}"):
        first(make_message(status))


def test_the_message_that_is_advanced_stays_as_it_was() -> None:
    message = make_message()
    before = structs.asdict(message)

    advance(message, make_step(S.STAGED))

    assert structs.asdict(message) == before


@pytest.mark.parametrize(
    ("status", "goal", "expected"),
    [
        (S.SUBMITTED, S.SUBMITTED, True),
        (S.ACKNOWLEDGED, S.SUBMITTED, True),  # past it
        (S.COMPLETED, S.SUBMITTED, True),
        (S.COMPLETED, S.COMPLETED, True),
        (S.SUBMITTED, S.ACKNOWLEDGED, False),  # not yet
        (S.ACKNOWLEDGED, S.COMPLETED, False),
        (S.STAGED, S.SUBMITTED, False),
        (S.CANCELLED, S.SUBMITTED, False),  # ended on another way
        (S.UNCERTAIN, S.SUBMITTED, False),
        (S.COMPLETED, S.QUEUED, False),  # queued is no goal
        # The agent had the message, and did not finish it.
        (S.INTERRUPTED, S.SUBMITTED, True),
        (S.INTERRUPTED, S.COMPLETED, False),
        (S.FAILED, S.SUBMITTED, True),
        (S.FAILED, S.ACKNOWLEDGED, False),
        (S.FAILED, S.COMPLETED, False),
    ],
)
def test_a_goal_is_reached_at_it_or_past_it(status: Status, goal: Status, expected: bool) -> None:
    assert has_reached(status, goal) is expected


@pytest.mark.parametrize(
    ("status", "timeout_at", "expected"),
    [
        (S.QUEUED, T1, True),  # at the very instant
        (S.QUEUED, T0, True),
        (S.HELD, T0, True),
        (S.STAGED, T0, True),
        (S.QUEUED, T2, False),  # not yet
        (S.QUEUED, None, False),  # never
        (S.SUBMITTED, T0, False),  # it was typed in time
        (S.CANCELLED, T0, False),
    ],
)
def test_only_what_waits_expires(status: Status, timeout_at: datetime | None, expected: bool) -> None:
    assert is_expired(make_message(status, timeout_at=timeout_at), T1) is expected


@pytest.mark.parametrize("status", [S.INTERRUPTED, S.FAILED])
@pytest.mark.parametrize("before", [S.SUBMITTED, S.ACKNOWLEDGED])
def test_a_message_that_its_agent_did_not_finish_has_ended(before: Status, status: Status) -> None:
    changes = changes_of(make_message(before), make_step(status))

    assert changes == {"status": status, "ended_at": T1}
    assert status in ENDS


@pytest.mark.parametrize("status", [S.QUEUED, S.HELD, S.STAGED, S.COMPLETED, S.DEAD])
def test_only_a_message_that_an_agent_has_can_fail(status: Status) -> None:
    with pytest.raises(HarkError, match="cannot become failed"):
        advance(make_message(status), make_step(S.FAILED))


@pytest.mark.parametrize(
    ("status", "reason", "expected"),
    [
        (S.HELD, HoldReason.SESSION_GONE, True),
        (S.HELD, HoldReason.BUSY, False),
        (S.QUEUED, None, False),
        (S.FAILED, None, False),
    ],
)
def test_a_message_is_stranded_while_its_session_is_gone(
    status: Status, reason: HoldReason | None, expected: bool
) -> None:
    assert is_stranded(make_message(status, hold_reason=reason)) is expected


def test_a_message_that_its_agent_gave_back_is_marked_as_in_the_box() -> None:
    given_back = advance(make_message(S.ACKNOWLEDGED), make_step(S.QUEUED, T2, is_in_box=True)).message

    assert (given_back.status, given_back.attempted_at) == (S.QUEUED, T2)


def test_an_interrupt_is_remembered_until_it_proves_not_to_have_happened() -> None:
    told = advance(make_message(), make_step(S.HELD, T1, is_interrupt=True)).message
    queued = advance(told, make_step(S.QUEUED, T2)).message
    untold = advance(told, make_step(S.HELD, T2, is_interrupt=False)).message

    assert (told.interrupted_at, queued.interrupted_at, untold.interrupted_at) == (T1, T1, None)


@pytest.mark.parametrize("status", [S.QUEUED, S.HELD])
@pytest.mark.parametrize("end", [S.EXPIRED, S.CANCELLED, S.DEAD])
def test_a_message_whose_text_may_be_in_the_box_cannot_end_as_if_nobody_had_it(status: Status, end: Status) -> None:
    message = placed(status, TextPlace.BOX)

    with pytest.raises(HarkError, match=f"{status} cannot become {end}"):
        advance(message, make_step(end))


@pytest.mark.parametrize("status", [S.QUEUED, S.HELD])
def test_a_message_that_only_hark_has_is_not_uncertain(status: Status) -> None:
    with pytest.raises(HarkError, match=f"{status} cannot become uncertain"):
        advance(placed(status, TextPlace.NOWHERE), make_step(S.UNCERTAIN))


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (make_message(), TextPlace.NOWHERE),
        (make_message(attempted_at=T0), TextPlace.BOX),
        (make_message(attempted_at=T0, channel=Channel.HOOK), TextPlace.BOX),  # the channel is of an earlier attempt
        (make_message(S.HELD, attempted_at=T0), TextPlace.BOX),
        (make_message(S.STAGED), TextPlace.BOX),
        (make_message(S.STAGED, channel=Channel.TERMINAL), TextPlace.BOX),
        (make_message(S.STAGED, channel=Channel.NATIVE), TextPlace.API),
        (make_message(S.STAGED, channel=Channel.HOOK), TextPlace.HOOK),
        (make_message(S.SUBMITTED, channel=Channel.NATIVE), TextPlace.AGENT),
        (make_message(S.COMPLETED), TextPlace.AGENT),
        (make_message(S.UNCERTAIN), TextPlace.UNKNOWN),
        (make_message(S.DEAD), TextPlace.NOWHERE),
        (make_message(is_inbox=True), TextPlace.INBOX),
        (make_message(S.COMPLETED, is_inbox=True), TextPlace.INBOX),
    ],
)
def test_the_text_of_a_message_may_be_in_one_place(message: Message, place: TextPlace) -> None:
    assert text_place(message) is place
    assert is_attempted(message) is (place in (TextPlace.BOX, TextPlace.API, TextPlace.HOOK))
    assert is_on_its_way(message) is (place not in (TextPlace.NOWHERE, TextPlace.INBOX))


@pytest.mark.parametrize(("status", "place"), [row for row in LEGAL if row[0] in PENDING])
def test_a_pending_message_can_be_given_up_wherever_its_text_may_be(status: Status, place: TextPlace) -> None:
    message = placed(status, place)

    given_up = advance(message, make_step(given_up_status(message))).message

    assert given_up.status in ENDS
    assert (given_up.status is S.UNCERTAIN) is is_attempted(message)
