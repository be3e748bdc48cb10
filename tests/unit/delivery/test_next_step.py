"""What to do next, as a table: a view of the session, the facts that can be found out, and the action."""

from typing import Any

import pytest

from hark.delivery.actions import (
    Action,
    DeliverNatively,
    Expire,
    Find,
    Finish,
    GiveUpProof,
    HoldAll,
    HoldBack,
    Idle,
    KeyWork,
    Rest,
    SettleClaim,
    UseKeys,
    WakeAgent,
)
from hark.delivery.gate import PaneState
from hark.delivery.next_step import hold_for_hook, next_step
from hark.delivery.session_view import AgentTraits, Conversation, Fact, HookView, Limits, Memory, SessionView
from hark.model.ids import MessageId
from hark.model.message import Authority, Channel, HoldReason, Mode, Status
from hark.queue.handover import Boundary, Fate
from hark.queue.turns import Phase
from tests.unit.delivery.views import decide, earlier, facts_of, given_to, in_box, make_draft, make_message, view_of

M1, M2 = make_message("m1"), make_message("m2")
RAW = make_message(is_raw=True)
URGENT = make_message(mode=Mode.URGENT)
QUESTION, URGENT_QUESTION = make_message(is_alone=True), make_message(is_alone=True, mode=Mode.URGENT)
IN_BOX = in_box()
LATE = make_message(timeout_at=earlier(1))
LATE_IN_BOX = in_box(timeout_at=earlier(1))
WITH_API, LOST_WITH_API = given_to(Channel.NATIVE), given_to(Channel.NATIVE, seconds_ago=31)
WITH_HOOK, LOST_WITH_HOOK = given_to(Channel.HOOK), given_to(Channel.HOOK, seconds_ago=31)
ONE_OF_TWO, ARRIVED = in_box("m1", batch_id="m1"), make_message("m2", batch_id="m1", status=Status.SUBMITTED)
OTHER_OF_TWO = in_box("m2", batch_id="m1", sequence=2)
DRAFT = make_draft()
BUSY = HookView(
    phase=Phase.BUSY,
    is_listening=True,
    authorities={Boundary.TOOL: Authority.NOTICE, Boundary.STOP: Authority.USER},
)
WAITING = HookView(phase=Phase.IDLE, has_waiter=True, is_waking=True)
DIALOG = PaneState(is_there=True, is_waiting=True)
TYPED_JUST_NOW = PaneState(is_there=True, last_key_age_s=0.5)
TYPED_BEFORE = PaneState(is_there=True, last_key_age_s=3.0)


def keys(
    work: KeyWork, *messages: Any, draft: Any = None, interrupts: bool = False, foreground: str = "demo"
) -> UseKeys:
    return UseKeys(work=work, messages=messages, draft=draft, foreground=foreground, interrupts=interrupts)


def native(*messages: Any, is_beginning: bool = False, interrupts: bool = False) -> DeliverNatively:
    return DeliverNatively(messages=messages, is_beginning=is_beginning, interrupts=interrupts)


API: dict[str, Any] = {"has_channel": True}
# What is seen, the facts that differ from those of a free session, and the action; a reason stands for a hold with this reason.
ROWS: dict[str, tuple[SessionView, dict[str, Any], Action | HoldReason]] = {
    # without a delivery
    "nothing waits": (view_of(), {}, Idle()),
    "expired": (view_of(LATE), {}, Expire(LATE)),
    "expired, but it may be in the box": (view_of(LATE_IN_BOX), {}, keys(KeyWork.RESUME, LATE_IN_BOX)),
    "rests after a refusal": (view_of(M1, memory=Memory(resting_id=M1.id, rests_until_s=3.0)), {}, Rest(3.0)),
    "another message rests": (
        view_of(M1, memory=Memory(resting_id=M2.id, rests_until_s=3.0)),
        {},
        keys(KeyWork.DELIVER, M1),
    ),
    "a draft waits for no rest": (
        view_of(M1, draft=DRAFT, memory=Memory(resting_id=M1.id, rests_until_s=3.0)),
        {},
        keys(KeyWork.PUT_BACK, M1, draft=DRAFT),
    ),
    "the rest of its payload has arrived": (
        view_of(ONE_OF_TWO),
        {"batch": (ONE_OF_TWO, ARRIVED)},
        Finish(ONE_OF_TWO, ARRIVED),
    ),
    # by the agent's own API
    "an API": (view_of(M1), API, native(M1)),
    "an API, and no conversation yet": (
        view_of(M1),
        API | {"conversation": Conversation(is_beginning=True)},
        native(M1, is_beginning=True),
    ),
    "an API that does not answer": (
        view_of(M1),
        API | {"conversation": Conversation(away="no answer")},
        HoldReason.UNREACHABLE,
    ),
    "an API, and do not disturb": (view_of(M1, do_not_disturb=True), API, HoldReason.DO_NOT_DISTURB),
    "an API, and a dialog in the terminal": (view_of(M1), API | {"pane": DIALOG}, native(M1)),
    "an API, and urgent": (view_of(URGENT), API, native(URGENT, interrupts=True)),
    "an API, and raw": (view_of(RAW), API, keys(KeyWork.DELIVER, RAW)),
    "an API, and a draft is out of the box": (
        view_of(M1, draft=DRAFT),
        API,
        keys(KeyWork.PUT_BACK, M1, draft=DRAFT),
    ),
    "an API, and it is in the box": (view_of(IN_BOX), API, keys(KeyWork.RESUME, IN_BOX)),
    "the API may have it": (view_of(WITH_API), API, native(WITH_API)),
    "the API may have it, and is away": (view_of(WITH_API), {}, HoldReason.UNREACHABLE),
    "the API may have it, and was away for long": (view_of(LOST_WITH_API), {}, GiveUpProof(LOST_WITH_API)),
    "suspended": (view_of(M1), API | {"is_suspended": True}, HoldReason.AGENT_NOT_RUNNING),
    # by hooks
    "a turn runs, and its end takes messages": (view_of(M1, hooks=BUSY), {}, HoldReason.BUSY),
    "a turn runs, and the message is raw": (view_of(RAW, hooks=BUSY), {}, keys(KeyWork.DELIVER, RAW)),
    "a hook waits": (view_of(M1, hooks=WAITING), {}, WakeAgent(M1)),
    "a hook waits, and do not disturb": (
        view_of(M1, hooks=WAITING, do_not_disturb=True),
        {"pane": PaneState(is_there=True, do_not_disturb=True)},
        HoldReason.DO_NOT_DISTURB,
    ),
    "a hook waits, and the message is urgent": (
        view_of(URGENT, hooks=WAITING),
        {},
        keys(KeyWork.DELIVER, URGENT, interrupts=True),
    ),
    "a hook has it, and the turn runs": (
        view_of(WITH_HOOK, hooks=HookView(phase=Phase.BUSY, has_claim=True)),
        {},
        HoldReason.BUSY,
    ),
    "a hook had it, and the transcript has it": (
        view_of(WITH_HOOK, hooks=HookView(phase=Phase.IDLE)),
        {"is_in_transcript": True},
        SettleClaim(WITH_HOOK, Fate.TAKEN),
    ),
    "a hook had it, and the transcript has it not": (
        view_of(LOST_WITH_HOOK, hooks=HookView(phase=Phase.IDLE)),
        {},
        SettleClaim(LOST_WITH_HOOK, Fate.QUEUED),
    ),
    "a hook had it, and nobody can tell": (
        view_of(LOST_WITH_HOOK),
        {"is_in_transcript": None},
        SettleClaim(LOST_WITH_HOOK, Fate.UNCERTAIN),
    ),
    # by keys
    "a free box": (view_of(M1), {}, keys(KeyWork.DELIVER, M1)),
    "two in one payload": (view_of(M1), {"in_order": (M1, M2)}, keys(KeyWork.DELIVER, M1, M2)),
    "no more than allowed": (
        view_of(M1, limits=Limits(most_in_batch=1)),
        {"in_order": (M1, M2)},
        keys(KeyWork.DELIVER, M1),
    ),
    "refused before, it goes alone": (
        view_of(M1, memory=Memory(refused_id=M1.id, refusals=1)),
        {"in_order": (M1, M2)},
        keys(KeyWork.DELIVER, M1),
    ),
    "the queue has changed since the look": (view_of(M1), {"in_order": (M2,)}, keys(KeyWork.DELIVER, M1)),
    "in the box": (view_of(IN_BOX), {}, keys(KeyWork.RESUME, IN_BOX)),
    "in the box with its draft out": (
        view_of(IN_BOX, draft=DRAFT),
        {},
        keys(KeyWork.RESUME, IN_BOX, draft=DRAFT),
    ),
    "two in the box": (
        view_of(ONE_OF_TWO),
        {"batch": (OTHER_OF_TWO, ONE_OF_TWO)},
        keys(KeyWork.RESUME, ONE_OF_TWO, OTHER_OF_TWO),
    ),
    "only a draft": (view_of(draft=DRAFT), {}, keys(KeyWork.PUT_BACK, draft=DRAFT)),
    "urgent": (view_of(URGENT), {}, keys(KeyWork.DELIVER, URGENT, interrupts=True)),
    "urgent, and it has interrupted before": (
        view_of(make_message(mode=Mode.URGENT, interrupted_at=earlier(1))),
        {},
        keys(KeyWork.DELIVER, make_message(mode=Mode.URGENT, interrupted_at=earlier(1))),
    ),
    "the pane is gone": (view_of(M1), {"pane": PaneState(is_there=False)}, HoldReason.SESSION_GONE),
    "a dialog": (view_of(M1), {"pane": DIALOG}, HoldReason.DIALOG),
    "a dialog, and a draft has to go back": (view_of(draft=DRAFT), {"pane": DIALOG}, HoldReason.DIALOG),
    "a human types": (view_of(M1), {"pane": TYPED_JUST_NOW}, HoldReason.HUMAN_TYPING),
    "no conversation yet, and a human typed": (
        view_of(M1, agent=AgentTraits(loses_first_keys=True)),
        {"pane": TYPED_BEFORE, "is_unbegun": True},
        HoldReason.HUMAN_TYPING,
    ),
    "a conversation has begun": (
        view_of(M1, agent=AgentTraits(loses_first_keys=True)),
        {"pane": TYPED_BEFORE},
        keys(KeyWork.DELIVER, M1, foreground=""),
    ),
    "the prompt before is under way": (
        view_of(M1, agent=AgentTraits(is_typed_when_idle=True)),
        {"has_prompt_under_way": True},
        HoldReason.BUSY,
    ),
    "a question, and the agent works": (
        view_of(QUESTION, hooks=HookView(phase=Phase.BUSY)),
        {},
        HoldReason.BUSY,
    ),
    "a question, and the agent works that has an API": (
        view_of(QUESTION, hooks=HookView(phase=Phase.BUSY)),
        API,
        HoldReason.BUSY,
    ),
    "a question, and the agent rests": (
        view_of(QUESTION, hooks=HookView(phase=Phase.IDLE)),
        {},
        keys(KeyWork.DELIVER, QUESTION),
    ),
    "a question behind a prompt that the agent has not begun with": (
        view_of(QUESTION),
        {"has_prompt_under_way": True},
        HoldReason.BUSY,
    ),
    "an urgent question ends the turn": (
        view_of(URGENT_QUESTION, hooks=HookView(phase=Phase.BUSY)),
        {},
        keys(KeyWork.DELIVER, URGENT_QUESTION, interrupts=True),
    ),
    "a question that may be in the box already": (
        view_of(in_box(is_alone=True), hooks=HookView(phase=Phase.BUSY)),
        {},
        keys(KeyWork.RESUME, in_box(is_alone=True)),
    ),
    "a draft goes back while a prompt is under way": (
        view_of(M1, draft=DRAFT, agent=AgentTraits(is_typed_when_idle=True)),
        {"has_prompt_under_way": True},
        keys(KeyWork.PUT_BACK, M1, draft=DRAFT),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_to_do_next(name: str) -> None:
    view, known, expected = ROWS[name]

    action, _ = decide(view, facts_of(view, **known))

    if isinstance(expected, HoldReason):
        assert isinstance(action, HoldBack)
        assert action.hold.reason is expected
    else:
        assert action == expected


def test_every_message_of_a_gone_session_is_held() -> None:
    action, asked = decide(view_of(M1, IN_BOX, is_gone=True), facts_of(view_of()))

    assert isinstance(action, HoldAll)
    assert action.messages == (M1, IN_BOX)
    assert action.hold.reason is HoldReason.SESSION_GONE
    assert asked == []


# What a view costs: the facts that are found out, in this order.
COSTS: dict[str, tuple[SessionView, dict[str, Any], list[Fact]]] = {
    "nothing waits": (view_of(), {}, []),
    "expired": (view_of(LATE), {}, []),
    "typed": (view_of(M1), {}, [Fact.SUSPENDED, Fact.CHANNEL, Fact.PANE, Fact.IN_ORDER]),
    "a dialog": (view_of(M1), {"pane": DIALOG}, [Fact.SUSPENDED, Fact.CHANNEL, Fact.PANE]),
    "over the API": (view_of(M1), API, [Fact.SUSPENDED, Fact.CHANNEL, Fact.CONVERSATION, Fact.IN_ORDER]),
    "in the box": (view_of(IN_BOX), {}, [Fact.PANE]),
    "only a draft": (view_of(draft=DRAFT), {}, [Fact.PANE]),
    "a screen is read only if a human typed": (
        view_of(M1, agent=AgentTraits(loses_first_keys=True)),
        {},
        [Fact.SUSPENDED, Fact.CHANNEL, Fact.PANE, Fact.IN_ORDER],
    ),
}


@pytest.mark.parametrize("name", COSTS)
def test_only_the_facts_that_matter_are_found_out(name: str) -> None:
    view, known, expected = COSTS[name]

    assert decide(view, facts_of(view, **known))[1] == expected


def test_an_unknown_fact_is_asked_for() -> None:
    assert next_step(view_of(M1)) == Find(Fact.SUSPENDED)


@pytest.mark.parametrize(
    ("message", "is_held"),
    [
        (make_message(mode=Mode.IMPORTANT), True),
        (make_message(), True),
        (make_message(mode=Mode.URGENT), False),
        (make_message(is_raw=True), False),
        (in_box(), False),
    ],
)
def test_hooks_take_what_may_go_in_during_a_turn(message: Any, is_held: bool) -> None:
    hold = hold_for_hook(BUSY, message)

    assert (hold is not None) is is_held
    assert hold is None or hold.is_for_hook


def test_a_message_goes_by_keys_when_the_waiting_hook_could_not_take_it() -> None:
    view = view_of(M1, hooks=HookView(phase=Phase.IDLE, is_waking=True))

    assert decide(view, facts_of(view))[0] == keys(KeyWork.DELIVER, M1)


def test_a_view_says_how_long_a_message_waited_for_a_pause() -> None:
    held = make_message(status=Status.HELD, hold_reason=HoldReason.HUMAN_TYPING, held_since=earlier(1.5))

    assert view_of(held).waited_s == 1.5
    assert view_of(M1).waited_s == 0.0
    assert view_of(make_message(status=Status.HELD, hold_reason=HoldReason.BUSY, held_since=earlier(9))).waited_s == 0.0


def test_a_rest_ends_with_time() -> None:
    assert Memory(resting_id=MessageId("m1"), rests_until_s=2.0).rest_s(MessageId("m1"), 0.5) == 1.5
