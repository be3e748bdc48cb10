"""Our text was never seen in the box: the keys that take it out go right behind it, but not all of them into an agent that does not
read."""

import pytest
from msgspec.structs import replace

from hark.delivery.carriers.empty_box import deliver
from hark.delivery.carriers.steps import Answer, AskUnread, Press, Step
from tests.unit.delivery.screens import DEMO, tall
from tests.unit.delivery.scripted import EMPTY, MESSAGE_ID, TEXT, ScriptedTerminal

LOOK = replace(DEMO, row_erasers=("C-u", "C-k"))


class Reading(ScriptedTerminal):
    """An agent that draws nothing, and reads what is written to it, or does not."""

    has_unread = False

    def answer(self, step: Step) -> Answer:
        return self.has_unread if isinstance(step, AskUnread) else super().answer(step)


@pytest.mark.parametrize("has_unread", [False, True])
def test_keys_that_erase_rows_are_pressed_only_if_the_agent_has_read_the_ones_before(has_unread: bool) -> None:
    """Claude Code takes forty of them in one read for a paste."""
    terminal = Reading([tall(EMPTY)])
    terminal.has_unread = has_unread

    terminal.play(deliver(TEXT, MESSAGE_ID, LOOK, 0.0))

    pressed = {key for step in terminal.steps if isinstance(step, Press) for key in step.keys}
    assert pressed == ({"BSpace", "DC"} if has_unread else {"BSpace", "DC", "C-u", "C-k"})
