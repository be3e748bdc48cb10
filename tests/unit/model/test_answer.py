from datetime import UTC, datetime

import pytest

from hark.model.answer import LONGEST_ANSWER, AnswerSource, make_answer
from hark.model.ids import MessageId

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def made(text: str) -> tuple[str, bool]:
    answer = make_answer(MessageId("m1"), text, AnswerSource.RECORD, NOW)
    return answer.text, answer.is_cut


@pytest.mark.parametrize("text", ["", "Yes", "tab\tand\x00NUL\x1b[2J", "漢字 👩‍👩‍👧 e\u0301", "x" * LONGEST_ANSWER])
def test_an_answer_is_kept_as_it_is(text: str) -> None:
    assert made(text) == (text, False)


def test_a_longer_answer_is_cut_between_two_characters() -> None:
    text, is_cut = made("漢" * LONGEST_ANSWER)

    assert is_cut
    assert LONGEST_ANSWER - 3 < len(text.encode()) <= LONGEST_ANSWER
    assert set(text) == {"漢"}


def test_halves_of_characters_become_a_mark() -> None:
    assert made("a\ud800b\udfffc") == ("a\ufffdb\ufffdc", False)
