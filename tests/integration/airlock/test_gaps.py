"""How far held keys keep from each other when they follow: what comes too soon, an agent takes for something else."""

import pytest

from hark.inside.airlock import Hold, Token, _gap_s

HOLD = Hold("a", None, 0.0, 0.004, 0.06)

GAPS = {
    "a letter": (Token(b"a", "key"), 0.004),
    "an arrow": (Token(b"\x1b[A", "key"), 0.004),
    "Enter": (Token(b"\r", "key"), 0.06),
    "Enter, by the newer protocol": (Token(b"\x1b[13;2u", "key"), 0.06),
    "a paste": (Token(b"\x1b[200~two\rlines\x1b[201~", "key"), 0.06),
    "the mouse": (Token(b"\x1b[<35;1;1M", "mouse"), 0.0),
}


@pytest.mark.parametrize(("token", "gap_s"), GAPS.values(), ids=GAPS.keys())
def test_each_key_keeps_its_distance(token: Token, gap_s: float) -> None:
    assert _gap_s(token, HOLD) == gap_s


BEHIND_ENTER = {
    "a letter": (Token(b"a", "key"), 0.15),
    "Enter": (Token(b"\r", "key"), 0.15),
    "the mouse": (Token(b"\x1b[<35;1;1M", "mouse"), 0.0),
    "the human's own keys": (None, 0.15),
}


@pytest.mark.parametrize(("token", "gap_s"), BEHIND_ENTER.values(), ids=BEHIND_ENTER.keys())
def test_behind_an_enter_it_is_a_longer_one(token: Token | None, gap_s: float) -> None:
    hold = HOLD._replace(after_enter_s=0.15)

    assert _gap_s(token, hold, is_behind_enter=True) == gap_s
    assert _gap_s(token, HOLD, is_behind_enter=True) == _gap_s(token, HOLD)
