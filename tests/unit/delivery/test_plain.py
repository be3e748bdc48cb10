"""Which drafts the line keys may take: those that stand on the screen as they are, in a mode in which keys are keys."""

import msgspec
import pytest

from hark.delivery.carriers import interrupt as by_interrupt
from hark.delivery.carriers import sentinel as by_sentinel
from hark.delivery.carriers.draft_reader import LineKeys
from hark.delivery.carriers.interrupt import InterruptKeys
from hark.delivery.carriers.sentinel import is_plain
from hark.delivery.carriers.steps import Held, Look
from hark.delivery.carriers.submit import Job
from hark.delivery.screen.box import read_box
from hark.model.message import HoldReason
from tests.unit.delivery.screens import DEMO
from tests.unit.delivery.scripted import MESSAGE_ID, TEXT, ScriptedTerminal, box

COLUMNS = box("‸").columns
LONG = "x" * (COLUMNS // 2)

DRAFTS: dict[str, tuple[tuple[str, ...], bool]] = {
    "one line": (("a draft‸",), True),
    "lines": (("a draft", "", "of lines‸"), True),
    "a word that would not have fitted above": ((f"{LONG} and", f"{LONG}‸"), False),
    "a row that is full": (("x" * (COLUMNS - 2), "y‸"), False),
    "a collapsed paste": (("[Pasted text #1 +9 lines]‸",), False),
    "one letter": (("a‸",), False),
    "what opens a completion": (("/help‸",), False),
    "an exception of the agent's": (("has    blanks‸",), False),
    "more rows than a paste may have": (("a", "b", "c", "d‸"), False),
}


@pytest.mark.parametrize(("rows", "expected"), DRAFTS.values(), ids=DRAFTS.keys())
def test_a_draft_is_plain(rows: tuple[str, ...], expected: bool) -> None:
    screen = box(*rows)
    found = read_box(screen, DEMO)
    assert found is not None

    assert is_plain(found, screen, DEMO, LineKeys(most_rows=3, not_for="(?s).*    ")) is expected


NORMAL = box("half a thought‸", footer="Vim: Normal")
JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO)


def test_no_key_is_pressed_in_a_mode_in_which_the_line_keys_do_something_else() -> None:
    terminal = ScriptedTerminal([NORMAL])

    outcome = terminal.play(by_sentinel.deliver(JOB, LineKeys(not_while="Vim: Normal")))

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.DRAFT
    assert [step for step in terminal.steps if not isinstance(step, Look)] == []


def test_no_draft_is_put_back_in_such_a_mode() -> None:
    keys = LineKeys(not_while="Vim: Normal")
    terminal = ScriptedTerminal([box("‸", footer="Vim: Normal")])

    put_back = by_sentinel.put_back(JOB, keys, "half a thought")

    assert isinstance(next(put_back), Look)
    with pytest.raises(StopIteration) as end:
        put_back.send(terminal.answer(Look()))
    assert end.value.value is False


def test_no_interrupt_in_a_pane_that_is_too_small_to_show_the_message() -> None:
    terminal = ScriptedTerminal([msgspec.structs.replace(box("half a thought‸"), columns=5)])

    outcome = terminal.play(by_interrupt.deliver(JOB, InterruptKeys()))

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.DRAFT
    assert [step for step in terminal.steps if not isinstance(step, Look)] == []
