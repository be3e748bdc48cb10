"""The first keys that come out of a hold keep their distance: some agents put a paste before the key in front of it, and lose a paste that
they read together with the key behind it."""

import pytest

from hark.demo.human import Human
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, PASTE_BEGIN, PASTE_END, Recorder, begin, state_of, wait_read
from tests.integration.keyhold.test_enters import READ, wait_for_all
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux

GAP_S = 0.06
HOLDS = 8
RIGHT = b"\x1b[C"


@pytest.fixture
def recorder(tmux: PrivateTmux) -> Recorder:
    """It records what each of its reads brought."""
    return Recorder(tmux, after_each_read=READ.decode())


def is_before_3_4(tmux: PrivateTmux) -> bool:
    return tmux.run("display-message", "-p", "#{version}").startswith("3.3")


def press_during_a_hold(tmux: PrivateTmux, recorder: Recorder, human: Human, key_gap_s: float) -> bytes:
    """What each read of the program brought of a word, two arrows, a paste and another word."""

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, key_gap_s=key_gap_s)
        human.type("é世🙂", AT_ONCE)
        human.press("Right")
        human.press("Right")
        human.paste("one two")
        human.type("end", AT_ONCE)
        wait_read(tmux)
        await hold.release()

    before = len(recorder.record)
    connected(tmux, act)
    pressed = "é世🙂".encode() + RIGHT * 2 + PASTE_BEGIN + b"one two" + PASTE_END + b"end"
    wait_for_all(recorder, recorder.record[:before].replace(READ, b"") + pressed)
    return recorder.record[before:]


def test_a_paste_does_not_come_together_with_the_key_before_it(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    before = state_of(tmux)

    record = press_during_a_hold(tmux, recorder, human, GAP_S)

    # tmux 3.3 cannot tell the keys of a paste from others: its gap is for the key behind a paste, and too short for this.
    if not is_before_3_4(tmux):
        assert RIGHT + PASTE_BEGIN not in record
    assert state_of(tmux) == before


def test_a_paste_does_not_come_together_with_the_key_behind_it(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    before = state_of(tmux)

    # A program that is not run for a few milliseconds reads at once what came with a gap, so one hold of several must do.
    records = (press_during_a_hold(tmux, recorder, human, GAP_S) for _ in range(HOLDS))

    assert any(PASTE_END + b"e" not in record for record in records)
    assert state_of(tmux) == before


def test_without_a_gap_the_paste_comes_together_with_the_key(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    """What the other tests could not see otherwise."""
    record = press_during_a_hold(tmux, recorder, human, 0.0)

    assert RIGHT + PASTE_BEGIN in record
    assert PASTE_END + b"end" in record
