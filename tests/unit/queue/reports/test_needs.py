"""Who needs a human, since when, in which order, and what a status line says."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.ids import SessionId
from hark.model.session import Pane, Session, SessionState
from hark.model.signal import SignalState
from hark.queue.reports.needs import Need, Overview, Why, find_need, is_working, last_line, segment, survey
from hark.queue.turns import Phase, Turns

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def make_session(
    number: int = 1,
    state: SessionState = SessionState.RUNNING,
    signal: SignalState | None = None,
    signal_s: float | None = None,
    text: str = "",
) -> Session:
    return Session(
        id=SessionId(f"{number:08x}"),
        name=f"agent-{number}",
        agent="demo",
        host="here",
        pane=Pane(socket="/tmp/tmux", pane_id="%1", pid=1),
        command=("demo",),
        directory="/",
        created_at=START,
        state=state,
        signal_state=signal,
        signal_text=text,
        last_signal_at=None if signal_s is None else at(signal_s),
    )


def turns(phase: Phase, at_s: float | None = None, detail: str = "") -> Turns:
    return Turns(phase=phase, at=None if at_s is None else at(at_s), detail=detail)


@pytest.mark.parametrize(
    ("signal", "text", "now", "expected"),
    [
        # The agent has announced nothing and is at rest, at work or unheard.
        (None, "", turns(Phase.IDLE, 5), None),
        (None, "", turns(Phase.BUSY, 5), None),
        (None, "", turns(Phase.UNKNOWN), None),
        # An agent that has finished asks for nothing.
        (SignalState.COMPLETED, "done", turns(Phase.IDLE, 5), None),
        (SignalState.WORKING, "at it", turns(Phase.BUSY, 5), None),
        # Each announcement that asks for a person, with the last line of its text.
        (
            SignalState.NEEDS_INPUT,
            "Two ports are free.\nWhich one?\n",
            turns(Phase.IDLE, 20),
            (Why.INPUT, 10, "Which one?"),
        ),
        (SignalState.NEEDS_TESTING, "", turns(Phase.IDLE, 20), (Why.TESTING, 10, "")),
        (SignalState.ERROR, "no disk", turns(Phase.UNKNOWN), (Why.ERROR, 10, "no disk")),
        # A dialog is open.
        (None, "", turns(Phase.WAITING, 5, "Bash: make"), (Why.PERMISSION, 5, "Bash: make")),
        (SignalState.WORKING, "at it", turns(Phase.WAITING, 5, "Bash: make"), (Why.PERMISSION, 5, "Bash: make")),
        # A dialog comes first, and the time counts from whatever began first.
        (SignalState.NEEDS_INPUT, "Which?", turns(Phase.WAITING, 5, "Bash: make"), (Why.PERMISSION, 5, "Bash: make")),
        (SignalState.NEEDS_INPUT, "Which?", turns(Phase.WAITING, 20, "Bash: make"), (Why.PERMISSION, 10, "Bash: make")),
        (SignalState.NEEDS_INPUT, "Which?", turns(Phase.WAITING, 20), (Why.PERMISSION, 10, "Which?")),
        # Nobody knows since when the dialog is open.
        (None, "", turns(Phase.WAITING), (Why.PERMISSION, 0, "")),
    ],
)
def test_a_session_needs_a_human_if_its_agent_asks_for_one(
    signal: SignalState | None, text: str, now: Turns, expected: tuple[Why, float, str] | None
) -> None:
    need = find_need(make_session(signal=signal, signal_s=10, text=text), now)

    assert (need and (need.why, (need.since - START).total_seconds(), need.question)) == expected


def test_a_session_that_is_gone_needs_nobody_and_does_not_work() -> None:
    gone = make_session(state=SessionState.GONE, signal=SignalState.ERROR, signal_s=1)

    assert find_need(gone, turns(Phase.WAITING, 1)) is None
    assert not is_working(gone, turns(Phase.BUSY, 1))


@pytest.mark.parametrize(
    ("signal", "phase", "expected"),
    [
        (None, Phase.BUSY, True),
        (None, Phase.IDLE, False),
        (None, Phase.UNKNOWN, False),
        # The agent's own announcement counts only where its turns are not heard.
        (SignalState.WORKING, Phase.UNKNOWN, True),
        (SignalState.WORKING, Phase.IDLE, False),
        # An agent that needs a human is not counted as working as well.
        (SignalState.ERROR, Phase.BUSY, False),
        (None, Phase.WAITING, False),
    ],
)
def test_an_agent_works_if_it_is_busy_and_needs_nobody(
    signal: SignalState | None, phase: Phase, expected: bool
) -> None:
    assert is_working(make_session(signal=signal, signal_s=1), turns(phase, 1)) is expected


def test_the_session_that_has_waited_longest_comes_first() -> None:
    overview = survey(
        [
            (make_session(1, signal=SignalState.ERROR, signal_s=30), turns(Phase.IDLE, 1)),
            (make_session(3), turns(Phase.WAITING, 10)),
            (make_session(2, signal=SignalState.NEEDS_INPUT, signal_s=10), turns(Phase.IDLE, 1)),
            (make_session(4), turns(Phase.BUSY, 1)),
        ]
    )

    assert [need.name for need in overview.needs] == ["agent-2", "agent-3", "agent-1"]
    assert overview.working == 1


@pytest.mark.parametrize(
    ("needing", "working", "words"),
    [
        (0, 0, ""),
        (1, 0, "1 needs you"),
        (2, 5, "2 need you · 5 working"),
        (0, 1, "1 working"),
    ],
)
def test_a_segment_says_only_what_there_is_to_say(needing: int, working: int, words: str) -> None:
    need = Need(session_id=SessionId("00000001"), name="a", why=Why.INPUT, since=START, question="")

    assert segment(Overview((need,) * needing, working)) == words


@pytest.mark.parametrize(
    ("text", "line"), [("", ""), ("one", "one"), ("one\ntwo\n\n  \n", "two"), ("a\r\n b ", "b"), ("\n", "")]
)
def test_the_last_line_is_the_last_that_is_not_blank(text: str, line: str) -> None:
    assert last_line(text) == line


some_sessions = st.lists(
    st.builds(
        make_session,
        st.integers(1, 99),
        st.sampled_from(SessionState),
        st.none() | st.sampled_from(SignalState),
        st.none() | st.integers(0, 50),
        st.text(max_size=20),
    ),
    max_size=8,
    unique_by=lambda session: session.id,
)
some_turns = st.builds(turns, st.sampled_from(Phase), st.none() | st.integers(0, 50), st.text(max_size=10))


@given(st.data(), some_sessions)
def test_every_session_is_counted_at_most_once_and_the_order_of_asking_does_not_matter(
    data: st.DataObject, sessions: list[Session]
) -> None:
    known = [(session, data.draw(some_turns)) for session in sessions]

    overview = survey(known)

    assert overview == survey(data.draw(st.permutations(known)))
    assert [need.since for need in overview.needs] == sorted(need.since for need in overview.needs)
    assert len({need.session_id for need in overview.needs}) == len(overview.needs)
    assert len(overview.needs) + overview.working <= sum(one.state is not SessionState.GONE for one in sessions)
    assert (segment(overview) == "") == (not overview.needs and not overview.working)
    assert segment(overview).isprintable()
