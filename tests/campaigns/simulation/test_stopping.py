"""The key that ends a turn, among dialogs that open, turns that end by themselves and a typist: it never answers a dialog that
was to be seen, never goes into an idle box that was to be seen, and touches no draft."""

from collections import Counter
from collections.abc import Generator
from random import Random
from typing import TypeVar

from msgspec import Struct

from hark.delivery.carriers.rest import come_to_rest
from hark.delivery.carriers.steps import Answer, Held, Step
from hark.delivery.screen.capture import Screen
from hark.delivery.stop_turn import NothingRuns, Pressed, StopKeys, press_stop, wait_for_end
from tests.campaigns.simulation.run import set_up
from tests.campaigns.simulation.scenario import draw_scenario
from tests.campaigns.simulation.terminal import Terminal

SEEDS = 4000
GIVEN_BACK = "what I asked for"
Returned = TypeVar("Returned")


class Played(Struct, frozen=True):
    terminal: Terminal
    stopped: Pressed | NothingRuns | Held
    ended: Screen | None
    draft: str


def is_running(screen: Screen) -> bool:
    return any(row.startswith("  busy") for row in screen.rows.plain)


def drive(terminal: Terminal, delivery: Generator[Step, Answer, Returned]) -> Returned:
    try:
        step = next(delivery)
        while True:
            step = delivery.send(terminal.answer(step))
    except StopIteration as end:
        returned: Returned = end.value
        return returned


def play(seed: int, *, gives_back: bool = False) -> Played:
    random = Random(seed)
    scenario = draw_scenario(random, seed)
    terminal = set_up(scenario)
    terminal.agent.busy_until = random.choice((0.0, scenario.start_ms + random.random() * 200, 60_000.0))
    terminal.agent.unanswered = GIVEN_BACK if gives_back else ""
    terminal.at(terminal.agent.busy_until, "tick")
    terminal.redraw()
    terminal.advance(scenario.start_ms)
    terminal.hold()
    drive(terminal, come_to_rest(scenario.flavour.look, terminal.at_hold()))
    draft = terminal.agent.buffer.text
    look = scenario.flavour.look
    stopped = drive(terminal, press_stop(look, StopKeys(), is_running))
    ended = drive(terminal, wait_for_end(look, is_running, 1.0)) if isinstance(stopped, Pressed) else None
    return Played(terminal, stopped, ended, draft)


def test_no_dialog_is_answered_and_no_idle_box_is_pressed_into() -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(SEEDS):
        played = play(seed)
        assert not played.terminal.wrongs, (seed, played.terminal.wrongs)
        outcomes[type(played.stopped).__name__] += 1

    assert all(outcomes[name] > SEEDS // 40 for name in ("Pressed", "NothingRuns", "Held")), outcomes


def test_a_draft_stays_as_it_was() -> None:
    for seed in range(SEEDS):
        played = play(seed)
        if not played.terminal.has_overrun:
            assert played.terminal.agent.buffer.text == played.draft, seed


def test_what_is_given_back_stands_in_front_of_the_draft_and_nothing_is_lost() -> None:
    seen = 0
    for seed in range(SEEDS // 4):
        played = play(seed, gives_back=True)
        if isinstance(played.stopped, Pressed) and not played.terminal.has_overrun:
            seen += 1
            texts = (played.draft, f"{GIVEN_BACK}\n{played.draft}")
            assert played.terminal.agent.buffer.text in texts, seed

    assert seen > SEEDS // 40
