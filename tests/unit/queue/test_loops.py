"""When agents wait for each other, or answer each other without end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.ids import SessionId
from hark.queue.loops import RATE_S, find_chain, is_too_deep, is_too_fast, recent


def pairs(*words: str) -> list[tuple[SessionId, SessionId]]:
    return [(SessionId(word[0]), SessionId(word[1])) for word in words]


@pytest.mark.parametrize(
    ("waits", "asks", "chain"),
    [
        # Nobody waits, or others do.
        ([], "ab", ""),
        (["ab"], "ab", ""),
        (["bc"], "ab", ""),
        (["cb", "ca"], "ab", ""),
        # The one who is asked waits for the one who asks.
        (["ba"], "ab", "ba"),
        # Over others, by the shortest way.
        (["bc", "ca"], "ab", "bca"),
        (["bc", "cd", "da", "ca"], "ab", "bca"),
        # A circle of others is no concern of this one.
        (["bc", "cb"], "ab", ""),
        # A session that asks itself waits for itself.
        ([], "aa", "a"),
    ],
)
def test_a_question_closes_a_circle_if_the_one_who_is_asked_waits_for_the_one_who_asks(
    waits: list[str], asks: str, chain: str
) -> None:
    assert find_chain(pairs(*waits), SessionId(asks[0]), SessionId(asks[1])) == tuple(chain)


names = st.sampled_from([SessionId(letter) for letter in "abcdef"])


@given(st.lists(st.tuples(names, names), max_size=30))
def test_waits_that_were_all_allowed_never_close_a_circle(asked: list[tuple[SessionId, SessionId]]) -> None:
    allowed: list[tuple[SessionId, SessionId]] = []
    for asker, wanted in asked:
        chain = find_chain(allowed, asker, wanted)
        if chain:
            steps = list(pairwise(chain))
            assert (chain[0], chain[-1]) == (wanted, asker)
            assert all(step in allowed for step in steps)
        else:
            allowed.append((asker, wanted))

    # Whoever waits for nobody can go on, and so on, until all have gone on.
    waiting = set(allowed)
    while free := {wait for wait in waiting if wait[1] not in {asker for asker, _ in waiting}}:
        waiting -= free
    assert not waiting


@pytest.mark.parametrize(
    ("hops", "most", "expected"), [(0, 20, False), (20, 20, False), (21, 20, True), (1000, 0, False)]
)
def test_a_thread_is_too_deep_beyond_its_limit(hops: int, most: int, expected: bool) -> None:
    assert is_too_deep(hops, most) is expected


@pytest.mark.parametrize(
    ("sent_at_s", "most", "expected"),
    [
        ([], 1, False),
        ([99.0], 1, True),
        ([99.0], 2, False),
        # What is a minute old does not count any more.
        ([100.0 - RATE_S], 1, False),
        ([100.0 - RATE_S, 99.0], 2, False),
        # There is no limit.
        ([99.0] * 1000, 0, False),
    ],
)
def test_a_message_is_too_much_beyond_the_limit_of_a_minute(sent_at_s: list[float], most: int, expected: bool) -> None:
    assert is_too_fast(sent_at_s, 100.0, most) is expected


@given(st.lists(st.floats(0, 1000)), st.integers(1, 5))
def test_no_minute_has_more_messages_than_allowed(tried_at_s: list[float], most: int) -> None:
    sent: list[float] = []
    for now_s in sorted(tried_at_s):
        if not is_too_fast(sent, now_s, most):
            sent.append(now_s)

    assert all(len(recent([at_s for at_s in sent if at_s <= now_s], now_s)) <= most for now_s in sent)
