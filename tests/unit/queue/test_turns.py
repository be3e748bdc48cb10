"""What an agent is doing, and which message belongs to which turn."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.queue.turns import (
    BEGINS_WITHIN_S,
    BELIEVED_FOR_S,
    Acknowledged,
    Completed,
    Fact,
    Phase,
    Turns,
    beginning,
    hear,
    is_cut,
    lapse,
    submit,
    witness,
)

A, B, C = MessageId("a" * 12), MessageId("b" * 12), MessageId("c" * 12)
START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def heard(said: Said, seconds: float, *message_ids: MessageId) -> Heard:
    return Heard(said=said, at=at(seconds), message_ids=message_ids)


def prompt(seconds: float, *message_ids: MessageId) -> Heard:
    return heard(Said.PROMPT_SUBMITTED, seconds, *message_ids)


def stop(seconds: float) -> Heard:
    return heard(Said.STOPPED, seconds)


def listen(*events: Heard, turns: Turns | None = None) -> tuple[Turns, list[Fact]]:
    turns = turns or Turns()
    facts: list[Fact] = []
    for event in events:
        turns, new = hear(turns, event)
        facts += new
    return turns, facts


PHASES: dict[str, tuple[tuple[Heard, ...], Phase]] = {
    "nothing heard": ((), Phase.UNKNOWN),
    "started": ((heard(Said.SESSION_STARTED, 0),), Phase.IDLE),
    "a prompt": ((prompt(1),), Phase.BUSY),
    "a prompt and its stop": ((prompt(1), stop(2)), Phase.IDLE),
    "a stop that was overtaken by the next prompt": ((prompt(1), prompt(3), stop(2)), Phase.BUSY),
    "a question": ((prompt(1), heard(Said.PERMISSION_ASKED, 2)), Phase.WAITING),
    "a question, and the tool has run": (
        (prompt(1), heard(Said.PERMISSION_ASKED, 2), heard(Said.TOOL_DONE, 3)),
        Phase.BUSY,
    ),
    "a question that arrives after its answer": (
        (prompt(1), heard(Said.TOOL_DONE, 3), heard(Said.PERMISSION_ASKED, 2)),
        Phase.BUSY,
    ),
    "an interrupt": ((prompt(1), heard(Said.INTERRUPTED, 2)), Phase.IDLE),
    "something unknown": ((prompt(1), heard(Said.UNKNOWN, 2), heard(Said.NOTIFIED, 3)), Phase.BUSY),
    "the end": ((prompt(1), heard(Said.SESSION_ENDED, 2)), Phase.UNKNOWN),
}


@pytest.mark.parametrize(("events", "phase"), PHASES.values(), ids=PHASES.keys())
def test_the_phase_is_decided_by_what_was_said_last(events: tuple[Heard, ...], phase: Phase) -> None:
    assert listen(*events)[0].phase is phase


FACTS: dict[str, tuple[tuple[Heard, ...], list[Fact]]] = {
    "a turn of our own": ((prompt(1, A), stop(2)), [Acknowledged(A, at(1)), Completed(A, at(2))]),
    "a human's turn": ((prompt(1), stop(2)), []),
    "the stop of the turn before it": (
        (prompt(1), stop(2), prompt(3, A), stop(4)),
        [Acknowledged(A, at(3)), Completed(A, at(4))],
    ),
    "the stop of the turn before it comes late": (
        (prompt(1), prompt(3, A), stop(2), stop(4)),
        [Acknowledged(A, at(3)), Completed(A, at(4))],
    ),
    "its stop has overtaken its prompt": ((stop(2), prompt(1, A)), [Acknowledged(A, at(1)), Completed(A, at(2))]),
    "everything twice": (
        (prompt(1, A), prompt(1, A), stop(2), stop(2)),
        [Acknowledged(A, at(1)), Completed(A, at(2))],
    ),
    "several in one prompt": (
        (prompt(1, A, B), stop(2)),
        [Acknowledged(A, at(1)), Acknowledged(B, at(1)), Completed(A, at(2)), Completed(B, at(2))],
    ),
    "taken in the middle of a turn": (
        (prompt(1, A), prompt(2, B), stop(3)),
        [Acknowledged(A, at(1)), Acknowledged(B, at(2)), Completed(A, at(3)), Completed(B, at(3))],
    ),
    "a lost stop completes late, not early": (
        (prompt(1, A), prompt(3, B), stop(4)),
        [Acknowledged(A, at(1)), Acknowledged(B, at(3)), Completed(A, at(4)), Completed(B, at(4))],
    ),
    "an interrupt": (
        (prompt(1, A), heard(Said.INTERRUPTED, 2)),
        [Acknowledged(A, at(1)), Completed(A, at(2), was_interrupted=True)],
    ),
}


@pytest.mark.parametrize(("events", "facts"), FACTS.values(), ids=FACTS.keys())
def test_a_message_is_completed_by_the_stop_of_its_own_turn(events: tuple[Heard, ...], facts: list[Fact]) -> None:
    assert listen(*events)[1] == facts


# Without a prompt hook: what was submitted when, and which stops were heard; then when A was completed.
TWO_PHASES: dict[str, tuple[tuple[tuple[str, float], ...], float | None]] = {
    "pasted in the middle of a turn": ((("busy", 0), ("submit", 1), ("stop", 2), ("stop", 3)), 3),
    "not by the stop of the turn it was pasted into": ((("busy", 0), ("submit", 1), ("stop", 2)), None),
    "a lost stop: one turn late": ((("busy", 0), ("submit", 1), ("stop", 9), ("stop", 12)), 12),
    "pasted into an idle agent": ((("idle", 0), ("submit", 1), ("stop", 2)), 2),
    "a task that lasts longer than eight seconds": ((("busy", 0), ("submit", 1), ("stop", 60), ("stop", 65)), 65),
    "the same stop heard twice promotes once": ((("busy", 0), ("submit", 1), ("stop", 2), ("stop", 2)), None),
}


@pytest.mark.parametrize(("story", "completed_at"), TWO_PHASES.values(), ids=TWO_PHASES.keys())
def test_without_a_prompt_hook_a_message_is_promoted_by_one_stop_and_completed_by_the_next(
    story: tuple[tuple[str, float], ...], completed_at: float | None
) -> None:
    turns = Turns()
    facts: list[Fact] = []
    for what, seconds in story:
        if what == "submit":
            turns = submit(turns, A, at(seconds), is_prompt_heard=False)
            continue
        said = {"busy": Said.PROMPT_SUBMITTED, "idle": Said.STOPPED, "stop": Said.STOPPED}[what]
        turns, new = hear(turns, heard(said, seconds))
        facts += new

    assert facts == ([] if completed_at is None else [Completed(A, at(completed_at))])


def test_a_burst_without_a_prompt_hook_is_completed_in_order() -> None:
    turns, _ = listen(prompt(0))
    for message_id in (A, B, C):
        turns = submit(turns, message_id, at(1), is_prompt_heard=False)

    turns, facts = listen(stop(2), stop(3), turns=turns)

    assert facts == [Completed(A, at(3)), Completed(B, at(3)), Completed(C, at(3))]
    assert not turns.has_work


def test_with_a_prompt_hook_a_submit_alone_proves_nothing_but_is_work() -> None:
    turns, _ = listen(prompt(0), stop(1))

    turns = submit(turns, A, at(2), is_prompt_heard=True)

    assert turns.has_work
    assert listen(stop(3), turns=turns)[1] == []
    assert listen(prompt(3, A), stop(4), turns=turns)[1] == [Acknowledged(A, at(3)), Completed(A, at(4))]


def test_a_stop_alone_does_not_settle_a_message_whose_prompt_was_not_told_of() -> None:
    """The human may have queued a prompt before it: then the stop is that prompt's, and the message still waits in the agent. It
    used to be forgotten after ten seconds, and stayed `submitted` for ever."""
    turns = submit(Turns(), A, at(0), is_prompt_heard=True)

    turns, facts = listen(prompt(5), stop(20), turns=turns)

    assert (turns.has_work, facts) == (True, [])
    assert lapse(turns, at(30), quiet_s=6.0, has_box=True)[1] == (Completed(A, at(30), is_inferred=True),)


def test_a_later_message_that_is_told_of_settles_the_earlier_one_with_its_stop() -> None:
    turns = Turns()
    for message_id in (A, B, C):
        turns = submit(turns, message_id, at(1), is_prompt_heard=True)

    turns, facts = listen(prompt(3, B), stop(4), turns=turns)

    assert facts == [Acknowledged(B, at(3)), Completed(A, at(4)), Completed(B, at(4))]
    assert [task.message_id for task in turns.expected] == [C]


def test_a_later_message_whose_stop_has_overtaken_its_prompt_settles_the_earlier_one_too() -> None:
    turns = submit(submit(Turns(), A, at(1), is_prompt_heard=True), B, at(1), is_prompt_heard=True)

    _, facts = listen(stop(4), prompt(3, B), turns=turns)

    assert facts == [Acknowledged(B, at(3)), Completed(A, at(4)), Completed(B, at(4))]


# What was heard before and after A was submitted at second 1; for how long the terminal is quiet at second 20, whether the box is
# in view and holds A; then whether A is settled.
RESTS: dict[str, tuple[tuple[Heard, ...], tuple[Heard, ...], float | None, bool, tuple[MessageId, ...], bool]] = {
    "nothing was ever heard, as after a restart": ((), (), 6.0, True, (), True),
    "idle, and its prompt and its stop were lost": ((stop(0),), (), 6.0, True, (), True),
    "busy, and all that followed was lost": ((prompt(0),), (), 6.0, True, (), True),
    "it prints": ((stop(0),), (), 0.1, True, (), False),
    "nobody listens to its terminal": ((stop(0),), (), None, True, (), False),
    "something is in front of its box": ((stop(0),), (), 6.0, False, (), False),
    "it waits for permission": ((heard(Said.PERMISSION_ASKED, 0),), (), 6.0, False, (), False),
    "the human has it back in the box": ((stop(0),), (heard(Said.INTERRUPTED, 2),), 6.0, True, (A,), False),
    "another message is in the box": ((stop(0),), (), 6.0, True, (B,), True),
    "a word was heard just now": ((stop(0),), (stop(18),), 6.0, True, (), False),
    "a word from a future that a clock set back has undone": ((stop(7200),), (), 6.0, True, (), True),
}


@pytest.mark.parametrize(
    ("before", "after", "quiet_s", "has_box", "in_box", "is_settled"), RESTS.values(), ids=RESTS.keys()
)
def test_an_agent_that_rests_has_done_what_it_was_given(
    before: tuple[Heard, ...],
    after: tuple[Heard, ...],
    quiet_s: float | None,
    has_box: bool,
    in_box: tuple[MessageId, ...],
    is_settled: bool,
) -> None:
    turns, _ = listen(*before)
    turns = submit(turns, A, at(1), is_prompt_heard=True)
    turns, _ = listen(*after, turns=turns)

    turns, facts = lapse(turns, at(20), quiet_s=quiet_s, has_box=has_box, in_box=in_box)

    assert facts == ((Completed(A, at(20), is_inferred=True),) if is_settled else ())
    assert turns.has_work is not is_settled


def test_what_was_submitted_a_moment_ago_is_not_settled_by_the_silence_before_it() -> None:
    turns = submit(listen(stop(0))[0], A, at(19), is_prompt_heard=True)

    assert lapse(turns, at(20), quiet_s=6.0, has_box=True)[1] == ()


def test_an_agent_that_says_so_after_all_is_believed() -> None:
    turns = submit(Turns(), A, at(0), is_prompt_heard=False)

    assert listen(prompt(1, A), stop(2), turns=turns)[1] == [Acknowledged(A, at(1)), Completed(A, at(2))]


LAPSES: dict[str, tuple[tuple[Heard, ...], float, float | None, bool, Phase]] = {
    "silent, with its box in view": ((prompt(0, A),), 10, 6.0, True, Phase.IDLE),
    "silent, with something in front of its box": ((prompt(0, A),), 10, 6.0, False, Phase.BUSY),
    "it prints": ((prompt(0, A),), 10, 0.1, True, Phase.BUSY),
    "silent, but the prompt is fresh": ((prompt(0, A),), 2, 60.0, True, Phase.BUSY),
    "nobody listens to its terminal": ((prompt(0, A),), 10, None, True, Phase.BUSY),
    "the box is back, so the question was answered": (
        (heard(Said.PERMISSION_ASKED, 0),),
        10,
        6.0,
        True,
        Phase.BUSY,
    ),
    "a question stands for as long as it stands": ((heard(Said.PERMISSION_ASKED, 0),), 10, 6.0, False, Phase.WAITING),
    "not a word for too long": ((prompt(0, A),), BELIEVED_FOR_S, 0.0, False, Phase.UNKNOWN),
    "idle stays idle": ((stop(0),), 10, 60.0, True, Phase.IDLE),
}


@pytest.mark.parametrize(("events", "now", "quiet_s", "has_box", "phase"), LAPSES.values(), ids=LAPSES.keys())
def test_silence_ends_what_nobody_has_ended(
    events: tuple[Heard, ...], now: float, quiet_s: float | None, has_box: bool, phase: Phase
) -> None:
    turns, _ = listen(*events)

    turns, facts = lapse(turns, at(now), quiet_s=quiet_s, has_box=has_box)

    assert turns.phase is phase
    assert facts == ((Completed(A, at(now), is_inferred=True),) if phase is Phase.IDLE and turns.at == at(now) else ())


EVENTS = st.builds(
    heard,
    st.sampled_from([Said.PROMPT_SUBMITTED, Said.STOPPED, Said.TOOL_DONE, Said.PERMISSION_ASKED, Said.INTERRUPTED]),
    st.integers(0, 9),
    st.sampled_from([A, B, C]),
)


@given(st.lists(EVENTS, max_size=12))
def test_no_message_is_completed_before_it_was_acknowledged_nor_by_an_earlier_stop(events: list[Heard]) -> None:
    _, facts = listen(*events)

    acknowledged: dict[MessageId, datetime] = {}
    for fact in facts:
        if isinstance(fact, Acknowledged):
            acknowledged[fact.message_id] = fact.at
        else:
            assert acknowledged[fact.message_id] <= fact.at


@given(st.lists(EVENTS, max_size=8, unique_by=lambda event: event.at), st.randoms())
def test_the_phase_does_not_depend_on_the_order_of_arrival(events: list[Heard], random: object) -> None:
    shuffled = list(events)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert listen(*events)[0].phase is listen(*shuffled)[0].phase


# What was heard, what a witness sees and since when, at second 10; then the phase, and whether A was completed.
SIGHTS: dict[str, tuple[tuple[Heard, ...], Phase, float, Phase, bool]] = {
    "idle, and no stop was told": ((prompt(1, A),), Phase.IDLE, 5, Phase.IDLE, True),
    "idle from before the prompt": ((prompt(5, A),), Phase.IDLE, 4, Phase.BUSY, False),
    "idle since just now: the stop may be under way": ((prompt(1, A),), Phase.IDLE, 9.8, Phase.BUSY, False),
    "idle, and the stop was told": ((prompt(1, A), stop(5)), Phase.IDLE, 6, Phase.IDLE, True),
    "busy as was told": ((prompt(1, A),), Phase.BUSY, 2, Phase.BUSY, False),
    "busy, and nothing was told": ((), Phase.BUSY, 2, Phase.BUSY, False),
    "idle, and nothing was told": ((), Phase.IDLE, 2, Phase.IDLE, False),
    "waiting, and no question was told": ((prompt(1, A),), Phase.WAITING, 2, Phase.WAITING, False),
    "idle after a question that was denied": (
        (prompt(1, A), heard(Said.PERMISSION_ASKED, 2)),
        Phase.IDLE,
        3,
        Phase.IDLE,
        True,
    ),
}


@pytest.mark.parametrize(("events", "seen", "since", "phase", "is_completed"), SIGHTS.values(), ids=SIGHTS.keys())
def test_a_witness_is_believed_where_nothing_newer_was_said(
    events: tuple[Heard, ...], seen: Phase, since: float, phase: Phase, is_completed: bool
) -> None:
    turns, facts = listen(*events)

    turns, new = witness(turns, seen, at(since), at(10), is_prompt_heard=True)

    assert turns.phase is phase
    assert any(isinstance(fact, Completed) for fact in [*facts, *new]) is is_completed


def test_where_no_prompts_are_told_of_a_witness_that_sees_the_agent_idle_has_seen_a_stop() -> None:
    turns = submit(Turns(phase=Phase.BUSY, at=at(0)), A, at(1), is_prompt_heard=False)

    turns, first = witness(turns, Phase.IDLE, at(2), at(3), is_prompt_heard=False)
    turns, second = witness(turns, Phase.BUSY, at(4), at(5), is_prompt_heard=False)
    turns, third = witness(turns, Phase.IDLE, at(6), at(7), is_prompt_heard=False)

    assert (first, second) == ((), ())
    assert third == (Completed(A, at(6), is_seen=True),)


def test_the_end_of_a_turn_that_was_told_of_before_does_not_end_the_next_one() -> None:
    """Two witnesses, and one is slow."""
    late = heard(Said.STOPPED, 4, A)

    turns, facts = listen(prompt(1, A), stop(2), prompt(3, B), late)

    assert facts == [Acknowledged(A, at(1)), Completed(A, at(2)), Acknowledged(B, at(3))]
    assert listen(heard(Said.STOPPED, 5, B), turns=turns)[1] == [Completed(B, at(5))]


def test_a_message_is_beginning_until_the_agent_tells_of_it() -> None:
    given = submit(Turns(), A, at(1), is_prompt_heard=True)
    begun, _ = listen(prompt(2, A), turns=given)

    assert beginning(given, at(1.5)) == (A,)
    assert beginning(begun, at(2)) == ()


def test_a_message_is_beginning_until_its_agent_is_seen_to_be_done_where_prompts_are_not_told() -> None:
    given = submit(Turns(phase=Phase.IDLE, at=at(0)), A, at(1), is_prompt_heard=False)
    seen_idle_before, _ = witness(given, Phase.IDLE, at(0.5), at(3), is_prompt_heard=False)
    done, _ = witness(given, Phase.IDLE, at(2), at(3), is_prompt_heard=False)

    assert beginning(seen_idle_before, at(3)) == (A,)
    assert beginning(done, at(3)) == ()


@given(st.floats(BEGINS_WITHIN_S, 1e6), st.booleans())
def test_no_message_is_beginning_for_ever(later_s: float, is_prompt_heard: bool) -> None:
    given = submit(Turns(), A, at(1), is_prompt_heard=is_prompt_heard)

    assert beginning(given, at(1 + later_s)) == ()


@pytest.mark.parametrize(
    ("fact", "taken_s", "cut_s", "expected"),
    [
        # Hark told the turn to end, and it ended without a word of the agent.
        (Completed(A, at(5), was_interrupted=True), 1, 4, True),
        (Completed(A, at(5), is_inferred=True), 1, 4, True),
        (Completed(A, at(5), is_seen=True), 1, 4, True),
        # The agent itself says that it has stopped.
        (Completed(A, at(5)), 1, 4, False),
        # Somebody else interrupted the turn.
        (Completed(A, at(5), was_interrupted=True), 1, None, False),
        # The turn had ended before hark told it to end.
        (Completed(A, at(3), was_interrupted=True), 1, 4, False),
        # The agent was given the message after that: it belongs to the next turn.
        (Completed(A, at(5), was_interrupted=True), 4.5, 4, False),
        (Completed(A, at(5), was_interrupted=True), None, 4, False),
    ],
)
def test_a_turn_is_cut_if_it_ended_because_hark_told_it_to(
    fact: Completed, taken_s: float | None, cut_s: float | None, expected: bool
) -> None:
    taken_at = None if taken_s is None else at(taken_s)
    cut_at = None if cut_s is None else at(cut_s)

    assert is_cut(fact, taken_at, cut_at) is expected
