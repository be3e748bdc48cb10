"""What is true of every decision, whatever the session looks like."""

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hark.delivery.actions import Action, DeliverNatively, HoldAll, HoldBack, KeyWork, UseKeys, WakeAgent
from hark.delivery.gate import PaneState
from hark.delivery.session_view import AgentTraits, Conversation, Fact, Facts, HookView, Memory, SessionView
from hark.model.ids import MessageId
from hark.model.message import Authority, Channel, HoldReason, Message, Mode, Status
from hark.queue.handover import Boundary
from hark.queue.lifecycle import TextPlace, is_attempted, is_expired, text_place
from hark.queue.turns import Phase
from tests.unit.delivery.views import NOW, decide, make_draft, make_message

IDS = [MessageId(name) for name in ("m1", "m2", "m3")]
INSTANTS = st.sampled_from([NOW - timedelta(seconds=seconds) for seconds in (0, 1, 5, 40)])


@st.composite
def messages(draw: st.DrawFn, name: str = "m1") -> Message:
    status = draw(st.sampled_from([Status.QUEUED, Status.HELD, Status.STAGED]))
    is_staged = status is Status.STAGED
    fields: dict[str, Any] = {
        "status": status,
        "mode": draw(st.sampled_from(Mode)),
        "is_raw": draw(st.booleans()),
        "is_as_user": draw(st.booleans()),
        "timeout_at": draw(st.none() | INSTANTS),
        "attempted_at": draw(st.none() | INSTANTS),
        "interrupted_at": draw(st.none() | INSTANTS),
        "batch_id": draw(st.sampled_from([None, "m1"])),
        "sequence": int(name[1:]),
    }
    if is_staged:
        fields |= {"staged_at": draw(INSTANTS), "channel": draw(st.sampled_from([None, *Channel]))}
    if status is Status.HELD:
        fields |= {"hold_reason": draw(st.sampled_from(HoldReason)), "held_since": draw(INSTANTS)}
    return make_message(name, **fields)


PANES = st.builds(
    PaneState,
    is_there=st.booleans(),
    is_stopped=st.booleans(),
    foreground=st.sampled_from(["demo", "bash"]),
    in_mode=st.booleans(),
    last_key_at_s=st.none() | st.sampled_from([NOW.timestamp(), NOW.timestamp() - 10]),
    last_key_age_s=st.none() | st.sampled_from([0.0, 1.0, 10.0]),
    is_line_mode=st.booleans(),
    has_unread=st.booleans(),
    can_carry_drafts=st.booleans(),
    has_airlock=st.booleans(),
    is_waiting=st.booleans(),
)
HOOKS = st.builds(
    HookView,
    phase=st.sampled_from(Phase),
    is_listening=st.booleans(),
    authorities=st.fixed_dictionaries({boundary: st.sampled_from(Authority) for boundary in Boundary}),
    has_claim=st.booleans(),
    has_waiter=st.booleans(),
    is_waking=st.booleans(),
)


@st.composite
def sessions(draw: st.DrawFn) -> tuple[SessionView, Facts]:
    """A view without facts, and all facts that can be found out."""
    first, others = draw(st.none() | messages()), [draw(messages(name)) for name in ("m2", "m3")]
    do_not_disturb = draw(st.booleans())
    view = SessionView(
        now=NOW,
        elapsed_s=10.0,
        is_gone=draw(st.integers(0, 9)) == 0,
        do_not_disturb=do_not_disturb,
        waiting=(first,) if first else (),
        draft=draw(st.none() | st.just(make_draft())),
        memory=Memory(
            refused_id=draw(st.sampled_from([None, *IDS])),
            resting_id=draw(st.sampled_from([None, *IDS])),
            rests_until_s=draw(st.sampled_from([0.0, 12.0])),
        ),
        agent=AgentTraits(is_typed_when_idle=draw(st.booleans()), loses_first_keys=draw(st.booleans())),
        hooks=draw(HOOKS),
    )
    arrived = [make_message("m9", status=Status.SUBMITTED, batch_id="m1")] if draw(st.booleans()) else []
    facts = Facts(
        batch=(*view.waiting, *(one for one in others if one.batch_id), *arrived),
        in_order=(*view.waiting, *others),
        is_suspended=draw(st.booleans()),
        has_channel=draw(st.booleans()),
        conversation=draw(st.sampled_from([Conversation(), Conversation(is_beginning=True), Conversation(away="x")])),
        is_in_transcript=draw(st.sampled_from([True, False, None])),
        pane=replace(draw(PANES), do_not_disturb=do_not_disturb),
        is_unbegun=draw(st.booleans()),
        has_prompt_under_way=draw(st.booleans()),
    )
    return view, facts


def outcome(session: tuple[SessionView, Facts]) -> tuple[SessionView, PaneState, Action]:
    view, facts = session
    assert isinstance(facts.pane, PaneState)
    return view, facts.pane, decide(view, facts)[0]


@given(sessions())
def test_a_decision_is_reached_and_no_fact_is_asked_for_twice(session: tuple[SessionView, Facts]) -> None:
    action, asked = decide(*session)

    assert len(asked) == len(set(asked)) <= len(Fact)
    assert action == decide(*session)[0]


@given(sessions())
def test_no_key_is_pressed_while_a_dialog_is_on_the_screen(session: tuple[SessionView, Facts]) -> None:
    _, pane, action = outcome(session)

    assert not (pane.is_waiting and isinstance(action, UseKeys))


@given(sessions())
def test_no_key_is_pressed_in_a_pane_that_the_gate_would_not_let_pass(session: tuple[SessionView, Facts]) -> None:
    _, pane, action = outcome(session)

    is_closed = not pane.is_there or pane.is_stopped or pane.is_line_mode or pane.has_unread
    assert not (is_closed and isinstance(action, UseKeys))


@given(sessions())
def test_a_session_that_is_not_to_be_disturbed_gets_nothing(session: tuple[SessionView, Facts]) -> None:
    view, _, action = outcome(session)

    assert not (view.do_not_disturb and isinstance(action, UseKeys | DeliverNatively | WakeAgent))


@given(sessions())
def test_a_gone_session_gets_nothing(session: tuple[SessionView, Facts]) -> None:
    view, _, action = outcome(session)

    assert view.is_gone is isinstance(action, HoldAll)


@given(sessions())
def test_an_expired_message_is_delivered_only_if_it_may_be_there_already(session: tuple[SessionView, Facts]) -> None:
    view, _, action = outcome(session)

    if isinstance(action, DeliverNatively | WakeAgent | UseKeys) and view.message and is_expired(view.message, NOW):
        assert is_attempted(view.message)


@given(sessions())
def test_a_payload_is_wholly_new_or_wholly_known(session: tuple[SessionView, Facts]) -> None:
    view, _, action = outcome(session)

    if isinstance(action, DeliverNatively | UseKeys) and view.message:
        assert view.message in action.messages
        assert {is_attempted(one) for one in action.messages} == {is_attempted(view.message)}


@given(sessions())
def test_a_draft_goes_back_before_anything_new_comes(session: tuple[SessionView, Facts]) -> None:
    view, _, action = outcome(session)

    if view.draft is not None and isinstance(action, UseKeys):
        assert action.draft == view.draft
        assert action.work is not KeyWork.DELIVER
    if view.draft is not None and isinstance(action, DeliverNatively | WakeAgent):
        assert isinstance(action, DeliverNatively)
        assert text_place(action.messages[0]) is TextPlace.API


@given(sessions())
def test_a_raw_message_goes_alone_and_by_keys(session: tuple[SessionView, Facts]) -> None:
    view, _, action = outcome(session)

    if view.message and view.message.is_raw and not is_attempted(view.message):
        assert not isinstance(action, DeliverNatively | WakeAgent)
        assert not isinstance(action, UseKeys) or action.messages == (view.message,)


@given(sessions())
def test_a_turn_is_told_to_end_only_for_an_urgent_message_and_once(session: tuple[SessionView, Facts]) -> None:
    _, _, action = outcome(session)

    if isinstance(action, DeliverNatively | UseKeys) and action.interrupts:
        (message,) = action.messages
        assert message.mode is Mode.URGENT
        assert message.interrupted_at is None
        assert not is_attempted(message)


@given(sessions())
def test_every_hold_says_why(session: tuple[SessionView, Facts]) -> None:
    _, _, action = outcome(session)

    assert not isinstance(action, HoldBack) or action.hold.detail
