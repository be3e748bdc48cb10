"""What the courier of a session does next: one pure function from a view of the session to an action.

The daemon carries the actions out, and so do the simulator and the model of the whole queue in the tests. The order of the decisions is:
first what needs no delivery (a session that is gone, an expired message, a pause after a refusal, a payload that is known to have
arrived), then the agent's own API, then its hooks, then keys. Each way is tried only if no way before it serves, and each has its own
reasons to hold the message.
"""

from typing import TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

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
    key_work,
)
from hark.delivery.after_attempt import ASK_API_AGAIN_S, QUIETEST_S, is_lost
from hark.delivery.gate import NOT_BEGUN, STOPPED, Hold, PaneState, check_gate, check_unbegun
from hark.delivery.session_view import Fact, HookView, SessionView
from hark.model.message import Authority, HoldReason, Message, Mode, Status
from hark.queue.batching import next_batch, payload_order
from hark.queue.handover import Boundary, Fate, may_go, resolve
from hark.queue.lifecycle import TextPlace, has_reached, is_attempted, is_expired, text_place
from hark.queue.turns import Phase

GONE = Hold(HoldReason.SESSION_GONE, "its pane is gone")
API_AWAY = "the agent's own API does not answer"
LOOK_AGAIN_S = 1.0
HOOK_HAS_IT = Hold(
    HoldReason.BUSY, "the agent's hook has the message; waiting for proof", LOOK_AGAIN_S, is_for_hook=True
)
ASKED_LATER = Hold(HoldReason.BUSY, "a question waits until the agent's turn has ended", LOOK_AGAIN_S)
_WAYS_OF_HOOKS = (
    (Boundary.TOOL, "it goes in when the agent has run a tool, or stops"),
    (Boundary.STOP, "it goes in when the agent's turn ends"),
)
Value = TypeVar("Value")


class _Unknown(Exception):
    """A decision needs a fact that nobody has found out."""

    def __init__(self, fact: Fact) -> None:
        self.fact = fact


def next_step(view: SessionView) -> Action:
    """Return what to do next for the session. If that depends on a fact that the view does not have, return `Find` for this fact."""
    try:
        return _decide(view)
    except _Unknown as unknown:
        return Find(unknown.fact)


def may_interrupt(message: Message) -> bool:
    """Return True if the message may interrupt the running turn: it is urgent, it has not done so before, and its text cannot be in the
    box already."""
    return message.mode is Mode.URGENT and message.interrupted_at is None and not is_attempted(message)


def must_wait_for_idle(message: Message, phase: Phase) -> bool:
    """Return True if the message is a question and the agent works: agents answer what they take up in a turn together with the prompt
    of that turn. An urgent question ends the turn instead."""
    is_fresh = message.is_alone and not is_attempted(message)
    return is_fresh and phase is Phase.BUSY and message.mode is not Mode.URGENT


def hold_for_hook(hooks: HookView, message: Message) -> Hold | None:
    """Return why a message is not typed now if the agent's hooks will take it; None if no hook will."""
    if not hooks.is_listening or hooks.phase is not Phase.BUSY:
        return None
    for boundary, detail in _WAYS_OF_HOOKS:
        if may_go(message, boundary, hooks.authorities[boundary]):
            return Hold(HoldReason.BUSY, detail, is_for_hook=True)
    return None


def _decide(view: SessionView) -> Action:
    message = view.message
    if view.is_gone:
        return HoldAll(view.waiting, GONE)
    if message is None:
        return Idle() if view.draft is None else _by_keys(view)
    if is_expired(message, view.now) and not is_attempted(message):
        return Expire(message)
    if view.draft is None and (rest_s := view.memory.rest_s(message.id, view.elapsed_s)) > 0:
        return Rest(rest_s)
    if sibling := _submitted_sibling(view, message):
        return Finish(message, sibling)
    return _without_keys(view, message) or _by_keys(view)


def _submitted_sibling(view: SessionView, message: Message) -> Message | None:
    """Return a message of the same payload that is known to be submitted."""
    if not is_attempted(message) or message.batch_id is None:
        return None
    siblings = _known(view.facts.batch, Fact.BATCH)
    return next((sibling for sibling in siblings if has_reached(sibling.status, Status.SUBMITTED)), None)


def _without_keys(view: SessionView, message: Message) -> Action | None:
    """Return what to do over the agent's own API or its hooks; None if the message has to go by keys. A raw message always does, and so
    does every message while a draft is out of the box."""
    place = text_place(message)
    is_fresh = view.draft is None and place is TextPlace.NOWHERE and not message.is_raw
    if is_fresh and _known(view.facts.is_suspended, Fact.SUSPENDED):
        return HoldBack(Hold(HoldReason.AGENT_NOT_RUNNING, STOPPED))
    if (place is TextPlace.API or is_fresh) and _known(view.facts.has_channel, Fact.CHANNEL):
        return _natively(view, message)
    if place is TextPlace.API:
        return _without_channel(view, message)
    if place is TextPlace.HOOK:
        return _after_hook(view, message)
    if is_fresh and (hold := hold_for_hook(view.hooks, message)):
        return HoldBack(hold)
    return WakeAgent(message) if is_fresh and _may_wake(view, message) else None


def _natively(view: SessionView, message: Message) -> Action:
    """Return what to do over the agent's own API. Only do-not-disturb holds messages up there."""
    state = PaneState(is_there=True, do_not_disturb=view.do_not_disturb)
    if hold := check_gate(state, view.now.timestamp(), view.limits.human_pause_s):
        return HoldBack(hold)
    if must_wait_for_idle(message, view.hooks.phase):
        return HoldBack(ASKED_LATER)
    conversation = _known(view.facts.conversation, Fact.CONVERSATION)
    if conversation.away is not None:
        return HoldBack(Hold(HoldReason.UNREACHABLE, conversation.away, QUIETEST_S))
    return DeliverNatively(
        messages=_payload(view, message),
        is_beginning=conversation.is_beginning,
        interrupts=may_interrupt(message),
    )


def _without_channel(view: SessionView, message: Message) -> Action:
    """Return what to do with a message that may have been handed over to an API that is away."""
    if is_lost(message, view.now):
        return GiveUpProof(message)
    return HoldBack(Hold(HoldReason.UNREACHABLE, API_AWAY, ASK_API_AGAIN_S))


def _after_hook(view: SessionView, message: Message) -> Action:
    """Return what to do with a message that was given to a hook."""
    hooks = view.hooks
    if hooks.has_claim and hooks.phase is Phase.BUSY:
        return HoldBack(HOOK_HAS_IT)
    fate = resolve(
        message.staged_at or message.queued_at,
        view.now,
        hooks.phase,
        is_in_transcript=_known(view.facts.is_in_transcript, Fact.TRANSCRIPT),
        is_waking=hooks.is_waking,
    )
    return HoldBack(HOOK_HAS_IT) if fate is Fate.WAIT else SettleClaim(message, fate)


def _may_wake(view: SessionView, message: Message) -> bool:
    hooks = view.hooks
    is_idle = hooks.phase is Phase.IDLE and not hooks.has_claim and not view.do_not_disturb
    return hooks.has_waiter and is_idle and may_go(message, Boundary.STOP, Authority.NOTICE)


def _by_keys(view: SessionView) -> Action:
    """Return what to do by keys: the work at the box, or why it has to wait."""
    message = view.message
    pane = replace(_known(view.facts.pane, Fact.PANE), waited_s=view.waited_s)
    now_s = view.now.timestamp()
    work = key_work(message, view.draft)
    if message is not None and work is KeyWork.DELIVER and must_wait_for_idle(message, view.hooks.phase):
        return HoldBack(ASKED_LATER)
    hold = (
        check_gate(pane, now_s, view.limits.human_pause_s)
        or _hold_while_unbegun(view, message, pane, now_s)
        or (_hold_until_begun(view) if work is not KeyWork.PUT_BACK else None)
    )
    if hold:
        return HoldBack(hold)
    return UseKeys(
        work=work,
        messages=_payload(view, message) if message else (),
        draft=view.draft,
        foreground=pane.foreground,
        interrupts=work is KeyWork.DELIVER and message is not None and may_interrupt(message),
    )


def _hold_while_unbegun(view: SessionView, message: Message | None, pane: PaneState, now_s: float) -> Hold | None:
    """Return a hold while a human types to an agent that has begun no conversation and loses keys when it begins one."""
    if message is None or is_attempted(message) or not view.agent.loses_first_keys:
        return None
    hold = check_unbegun(pane, now_s)
    return hold if hold and _known(view.facts.is_unbegun, Fact.UNBEGUN) else None


def _hold_until_begun(view: SessionView) -> Hold | None:
    """Return a hold while an agent that must not be typed to while it works has not begun with the message before. Until it begins, the
    agent looks idle, and Gemini CLI hangs when it gets two prompts at once. A question waits in the same way for any agent."""
    is_question = view.message is not None and view.message.is_alone
    if (view.agent.is_typed_when_idle or is_question) and _known(
        view.facts.has_prompt_under_way, Fact.PROMPT_UNDER_WAY
    ):
        return Hold(HoldReason.BUSY, NOT_BEGUN, QUIETEST_S)
    return None


def _payload(view: SessionView, message: Message) -> tuple[Message, ...]:
    """Return the messages of this message's payload: the same as before if the payload may be with the agent already."""
    if is_attempted(message):
        together = _known(view.facts.batch, Fact.BATCH) if message.batch_id else (message,)
        return tuple(one for one in payload_order(together) if is_attempted(one)) or (message,)
    if message.id == view.memory.refused_id:
        return (message,)
    batch = next_batch(_known(view.facts.in_order, Fact.IN_ORDER), view.limits.most_in_batch, view.now)
    return batch if batch and batch[0].id == message.id else (message,)


def _known(value: Value | UnsetType, fact: Fact) -> Value:
    if value is UNSET:
        raise _Unknown(fact)
    return value
