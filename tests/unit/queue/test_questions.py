"""How a question ends, and which answers fit it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.model.heard import Heard, Said
from hark.model.ids import QuestionId, SessionId
from hark.model.message import Channel
from hark.model.question import AnsweredBy, Asked, Question, QuestionEnd, QuestionKind, QuestionPart, make_question
from hark.queue.questions import end_by_phase, end_by_sight, end_by_word, fit_answer, is_contradicted
from hark.queue.turns import Phase

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WORK = "$ make"


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def question(**fields: Any) -> Question:
    known: dict[str, Any] = {"kind": QuestionKind.PERMISSION, "text": "make", "agents_id": WORK, "is_command": True}
    return Question(id=QuestionId("q"), session_id=SessionId("s"), asked_at=NOW, **(known | fields))


def choice(*parts: QuestionPart) -> Question:
    return question(kind=QuestionKind.CHOICE, parts=parts)


# What is heard after a question, how the question ends by it, what the answer was, and who gave it.
WORDS: list[tuple[Heard, str | None, str, str | None]] = [
    (Heard(said=Said.TOOL_DONE, at=at(1), work=WORK), "answered", "allow", "terminal"),
    # A tool of a helper that the agent has started.
    (Heard(said=Said.NOTIFIED, at=at(1), work=WORK), "answered", "allow", "terminal"),
    # Another tool, which needed no permission.
    (Heard(said=Said.TOOL_DONE, at=at(1), work="$ ls"), None, "", None),
    (Heard(said=Said.TOOL_DONE, at=at(1)), None, "", None),
    (Heard(said=Said.TOOL_STARTING, at=at(1)), None, "", None),
    (Heard(said=Said.PERMISSION_ASKED, at=at(1)), None, "", None),
    (Heard(said=Said.NOTIFIED, at=at(1)), None, "", None),
    (Heard(said=Said.PERMISSION_ANSWERED, at=at(1)), "answered", "", "unknown"),
    (Heard(said=Said.STOPPED, at=at(1)), "turn-ended", "", None),
    (Heard(said=Said.INTERRUPTED, at=at(1)), "turn-ended", "", None),
    (Heard(said=Said.PROMPT_SUBMITTED, at=at(1)), "turn-ended", "", None),
    (Heard(said=Said.SESSION_ENDED, at=at(1)), "session-gone", "", None),
    # What was said before the question, and comes late.
    (Heard(said=Said.STOPPED, at=at(-1)), None, "", None),
    (Heard(said=Said.TOOL_DONE, at=at(-1), work=WORK), None, "", None),
]


@pytest.mark.parametrize(("heard", "end", "answer", "by"), WORDS)
def test_a_question_ends_by_what_its_agent_says(heard: Heard, end: str | None, answer: str, by: str | None) -> None:
    ending = end_by_word(question(), heard)

    found = (ending.end, ending.answer, ending.answered_by) if ending else (None, "", None)
    assert found == (end, answer, by)


@pytest.mark.parametrize("heard", [row[0] for row in WORDS])
def test_words_do_not_end_a_question_of_an_agents_own_api(heard: Heard) -> None:
    assert end_by_word(question(channel=Channel.NATIVE), heard) is None


@pytest.mark.parametrize(
    ("phase", "is_carried", "end"),
    [
        (Phase.WAITING, False, None),
        # Nothing was heard for a long time: the human is away.
        (Phase.UNKNOWN, False, None),
        (Phase.BUSY, False, QuestionEnd.ANSWERED),
        (Phase.IDLE, False, QuestionEnd.TURN_ENDED),
        # A hook still waits: the dialog may only be held back because the human types.
        (Phase.BUSY, True, None),
        (Phase.IDLE, True, QuestionEnd.TURN_ENDED),
    ],
)
def test_a_question_ends_by_what_its_agent_does(phase: Phase, is_carried: bool, end: QuestionEnd | None) -> None:
    ending = end_by_phase(question(), phase, is_carried=is_carried)

    assert (ending.end if ending else None) is end
    assert end_by_phase(question(channel=Channel.NATIVE), phase, is_carried=is_carried) is None


@pytest.mark.parametrize(
    ("phase", "since_s", "was_waiting", "end"),
    [
        # The status is from before the question, or has not changed yet.
        (Phase.BUSY, -1, False, None),
        (Phase.BUSY, 0.1, False, None),
        (Phase.BUSY, 0.1, True, QuestionEnd.ANSWERED),
        (Phase.BUSY, 3, False, QuestionEnd.ANSWERED),
        (Phase.IDLE, 3, False, QuestionEnd.TURN_ENDED),
        (Phase.WAITING, 3, True, None),
        (Phase.UNKNOWN, 3, True, None),
    ],
)
def test_a_question_ends_by_the_status_of_its_agent(
    phase: Phase, since_s: float, was_waiting: bool, end: QuestionEnd | None
) -> None:
    ending = end_by_sight(question(), phase, at(since_s), was_waiting=was_waiting)

    assert (ending.end if ending else None) is end


def test_a_tool_that_has_run_although_hark_denied_it_was_allowed_at_the_terminal() -> None:
    denied = question(end=QuestionEnd.ANSWERED, ended_at=at(1), answer="deny", answered_by=AnsweredBy.HARK)
    has_run = Heard(said=Said.TOOL_DONE, at=at(2), work=WORK)

    assert is_contradicted(denied, has_run)
    assert not is_contradicted(denied, Heard(said=Said.TOOL_DONE, at=at(2), work="$ ls"))
    assert not is_contradicted(denied, Heard(said=Said.TOOL_DONE, at=at(-1), work=WORK))
    allowed = question(end=QuestionEnd.ANSWERED, ended_at=at(1), answer="allow", answered_by=AnsweredBy.HARK)
    assert not is_contradicted(allowed, has_run)


COLOUR = QuestionPart(text="Which colour?", options=("Blue", "Red"))
SIZES = QuestionPart(text="Which sizes?", options=("S", "M", "L"), is_multiple=True)
STRICT = QuestionPart(text="Sure?", options=("Yes", "No"), allows_text=False)


def test_answers_that_fit() -> None:
    assert fit_answer(question(), ["allow"]).answer == "allow"
    denied = fit_answer(question(), ["deny"], "not now")
    assert (denied.answer, denied.message, denied.words) == ("deny", "not now", "deny")
    assert fit_answer(choice(COLOUR), ["blue"]).chosen == (("Blue",),)
    assert fit_answer(choice(COLOUR), [" green "]).texts == ("green",)
    both = fit_answer(choice(COLOUR, SIZES), ["Red", "s, L"])
    assert (both.texts, both.chosen, both.words) == (("Red", "S, L"), (("Red",), ("S", "L")), "Red; S, L")
    assert fit_answer(choice(COLOUR), ["deny"]).answer == "deny"


@pytest.mark.parametrize(
    ("asked", "answers", "message"),
    [
        (question(), [], ""),
        (question(), ["yes"], ""),
        (question(), ["Allow"], ""),
        (question(), ["allow", "allow"], ""),
        (question(), ["allow"], "but be careful"),
        (question(), ["deny"], "x" * 10_000),
        (choice(COLOUR), [], ""),
        (choice(COLOUR), ["Blue", "S"], ""),
        (choice(COLOUR, SIZES), ["Blue"], ""),
        (choice(COLOUR), [" "], ""),
        (choice(STRICT), ["Perhaps"], ""),
    ],
)
def test_answers_that_do_not_fit_are_refused(asked: Question, answers: list[str], message: str) -> None:
    with pytest.raises(HarkError) as refused:
        fit_answer(asked, answers, message)

    assert refused.value.code == "answer-invalid"


def test_nobody_allows_what_hark_could_not_keep_whole() -> None:
    asked = Asked(kind=QuestionKind.PERMISSION, text="x" * 100_000)
    cut = make_question(QuestionId("q"), SessionId("s"), asked, NOW, Channel.HOOK)

    with pytest.raises(HarkError) as refused:
        fit_answer(cut, ["allow"])

    assert refused.value.code == "not-answerable"
    assert fit_answer(cut, ["deny"]).answer == "deny"


@given(st.text(), st.text())
def test_a_question_is_kept_to_the_letter_as_far_as_a_database_can(text: str, detail: str) -> None:
    asked = Asked(kind=QuestionKind.PERMISSION, text=text, detail=detail)

    made = make_question(QuestionId("q"), SessionId("s"), asked, NOW, Channel.HOOK)

    assert made.text == text
    made.text.encode()
    assert not made.is_cut
