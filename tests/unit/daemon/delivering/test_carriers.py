"""Which carrier serves a session now, and what has to be remembered from one attempt to the next for that."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.daemon.delivering import carriers as module
from hark.daemon.delivering.carriers import SLOW_FOR_S, Carriers
from hark.daemon.panes import Panes
from hark.delivery.budget import HOLD_S, SLOW_S
from hark.delivery.screen.box import read_box
from hark.model.message import Carrier, Mode
from tests.integration.contract.samples import make_session
from tests.unit.delivery.screens import KINDS, draw_box

STALE_S = 120.0
STARTED = make_session("a", agent="codex", airlock="/run/airlock.sock")
ADOPTED = make_session("b", agent="codex")
CODEX, CLAUDE, DEMO = (KINDS.get(name) for name in ("codex", "claude", "demo"))


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        monkeypatch.setattr(module, "_now_s", lambda: self.now_s)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def make(quiet_s: float | None = None) -> Carriers:
    return Carriers(cast(Panes, SimpleNamespace(quiet_s=lambda _: quiet_s)), STALE_S)


def test_a_session_that_hark_started_has_the_editor_and_an_adopted_one_has_not(clock: Clock) -> None:
    carriers = make()

    assert carriers.means(STARTED, CODEX).has_editor
    assert not carriers.means(ADOPTED, CODEX).has_editor


def test_an_agent_counts_as_idle_when_it_has_printed_nothing_for_a_while(clock: Clock) -> None:
    assert not make(None).means(STARTED, CODEX).is_idle
    assert not make(0.1).means(STARTED, CODEX).is_idle
    assert make(60.0).means(STARTED, CODEX).is_idle


def test_an_editor_that_was_slow_counts_as_slow_for_a_while(clock: Clock) -> None:
    carriers = make()
    carriers.note_hold(Carrier.STASH, SLOW_S + 1)
    assert not carriers.means(STARTED, CODEX).is_editor_slow

    carriers.note_hold(Carrier.EDITOR, SLOW_S + 0.1)
    assert carriers.means(STARTED, CODEX).is_editor_slow

    clock.now_s += SLOW_FOR_S + 0.1
    assert not carriers.means(STARTED, CODEX).is_editor_slow


def test_a_quick_delivery_clears_the_name_of_an_editor(clock: Clock) -> None:
    carriers = make()
    carriers.note_hold(Carrier.EDITOR, SLOW_S + 0.1)

    carriers.note_hold(Carrier.EDITOR, SLOW_S - 0.1)

    assert not carriers.means(STARTED, CODEX).is_editor_slow


def test_a_slow_editor_waits_for_a_pause_of_the_human(clock: Clock) -> None:
    carriers = make()
    carriers.note_hold(Carrier.EDITOR, SLOW_S + 0.1)
    assert carriers.may_carry_in_s(STARTED, CODEX) is None

    carriers.note_key(0.5)

    assert carriers.means(STARTED, CODEX).is_human_typing
    assert carriers.may_carry_in_s(STARTED, CODEX) == pytest.approx(HOLD_S - 0.5)
    clock.now_s += HOLD_S
    assert not carriers.means(STARTED, CODEX).is_human_typing


@pytest.mark.parametrize(
    ("kind", "draft", "expected"),
    [(CLAUDE, "", Carrier.STASH), (CLAUDE, "a draft", Carrier.STASH), (DEMO, "", Carrier.STASH)],
)
def test_an_agent_with_a_stash_is_carried_by_it(clock: Clock, kind: Any, draft: str, expected: Carrier) -> None:
    screen = draw_box(draft, len(draft))

    chosen = make().choose(STARTED, kind, screen, read_box(screen, kind.box), Mode.SEQUENTIAL)

    assert chosen is expected


def test_a_box_that_is_not_seen_is_nobodys_draft(clock: Clock) -> None:
    screen = draw_box("", 0)

    assert make().choose(ADOPTED, CODEX, screen, None, Mode.URGENT) is Carrier.NONE


def test_how_long_the_box_has_held_the_same_draft_outlives_an_attempt(clock: Clock) -> None:
    carriers, screen = make(), draw_box("a draft", 3)
    box = read_box(screen, CLAUDE.box)
    carriers.see(box)
    clock.now_s += 10

    carriers.see(box)
    assert carriers.untouched.for_s(clock.now_s) == 10

    other = draw_box("another draft", 3)
    carriers.see(read_box(other, CLAUDE.box))
    assert carriers.untouched.for_s(clock.now_s) == 0


def test_the_daemon_before_this_one_may_have_pressed_an_interrupt_just_now(clock: Clock) -> None:
    carriers = make()
    clock.now_s += 3

    assert carriers.means(ADOPTED, CODEX).interrupted_ago_s == 3
