"""The first keys that come out of a hold keep their distance: some agents put a paste before the key in front of it."""

import pytest

from hark.demo.human import Human
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, PASTE_BEGIN, PASTE_END, Recorder, begin, state_of, wait_read
from tests.integration.keyhold.test_enters import READ, wait_for_all
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux

GAP_S = 0.06
RIGHT = b"\x1b[C"


@pytest.fixture
def recorder(tmux: PrivateTmux) -> Recorder:
    """It records what each of its reads brought."""
    return Recorder(tmux, after_each_read=READ.decode())


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

    connected(tmux, act)
    wait_for_all(recorder, "é世🙂".encode() + RIGHT * 2 + PASTE_BEGIN + b"one two" + PASTE_END + b"end")
    return recorder.record


def test_a_paste_does_not_come_together_with_the_key_before_it(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    before = state_of(tmux)

    record = press_during_a_hold(tmux, recorder, human, GAP_S)

    # tmux 3.3 cannot tell the keys of a paste from others, so nothing is spaced there.
    is_spaced = not tmux.run("display-message", "-p", "#{version}").startswith("3.3")
    assert (RIGHT + PASTE_BEGIN not in record) is is_spaced
    assert state_of(tmux) == before


def test_without_a_gap_the_paste_comes_together_with_the_key(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    """What the other test could not see otherwise."""
    assert RIGHT + PASTE_BEGIN in press_during_a_hold(tmux, recorder, human, 0.0)
