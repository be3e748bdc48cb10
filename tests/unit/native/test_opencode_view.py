"""What an OpenCode's title, its list of sessions and its screen tell of what its pane shows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.agents.opencode import view

UNTITLED = "New session - 2026-11-16T02:18:07.184Z"


def session(name: str, title: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "title": title, **more}


LONG = "a title that is longer than all that fits there"
TITLES = (
    ("the only one with this title", "OC | A title", [session("1", "A title"), session("2", "Another")], "1"),
    ("two have it", "OC | A title", [session("1", "A title"), session("2", "A title")], None),
    ("nobody has it", "OC | A title", [session("2", "Another")], None),
    ("at home", "OpenCode", [session("1", "A title")], None),
    ("another program's", "vim", [session("1", "vim")], None),
    ("cut off", f"OC | {LONG[:37]}…", [session("1", LONG), session("2", "Another")], "1"),
    ("two are the same when cut off", f"OC | {LONG[:37]}…", [session("1", LONG), session("2", LONG + "!")], None),
    ("a subagent's", "OC | A title", [session("1", "A title", parentID="0")], None),
)


@pytest.mark.parametrize(("name", "title", "sessions", "expected"), TITLES, ids=[name for name, *_ in TITLES])
def test_the_terminals_title_tells_the_session(
    name: str, title: str, sessions: list[dict[str, Any]], expected: str | None
) -> None:
    assert view.shown_session(title, sessions) == expected


HOME = (
    "",
    "             █▀▀█ █▀▀█ █▀▀█ █▀▀▄",
    "",
    "             ┃",
    "             ┃  half a draft",
    "             ┃",
    "             ┃  Build · stand-in stand-in",
    "             ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
    "                  tab agents  ctrl+p commands",
    "",
    "",
    "  ~/project                              1.18.33",
)
IN_SESSION = (
    "  ┃",
    "  ┃  hello",
    "  ┃",
    "",
    "     good morning",
    "",
    "  ┃",
    "  ┃  half a draft",
    "  ┃",
    "  ┃  Build · stand-in stand-in",
    "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
    "   ⬝⬝⬝⬝  esc interrupt        tab agents  ctrl+p commands",
    "",
)
IN_SHELL_MODE = tuple(row.replace("Build · stand-in stand-in", "Shell") for row in HOME)
COVERED = tuple(row if "Build" not in row else "      a dialog" for row in HOME)
QUOTED = (*HOME[:10], *IN_SESSION)
PLACES = (
    ("the home screen", "OpenCode", HOME, True),
    ("the home screen after an editor", "", HOME, True),
    ("a session without a title", "OpenCode", IN_SESSION, False),
    ("a session after an editor", "", IN_SESSION, False),
    ("a session in which a home screen is quoted", "OpenCode", QUOTED, False),
    ("a session with a title", "OC | A title", HOME, False),
    ("the mode for shell commands", "OpenCode", IN_SHELL_MODE, False),
    ("a dialog before the box", "OpenCode", COVERED, False),
    ("nothing drawn yet", "OpenCode", (), False),
    ("a box at the top", "OpenCode", HOME[7:], False),
)


@pytest.mark.parametrize(("name", "title", "rows", "expected"), PLACES, ids=[name for name, *_ in PLACES])
def test_the_screen_tells_home(name: str, title: str, rows: tuple[str, ...], expected: bool) -> None:
    assert view.is_home(title, rows) is expected


def test_a_box_is_seen_at_home_and_in_a_session_and_not_before_it_is_drawn() -> None:
    assert view.shows_box(HOME)
    assert view.shows_box(IN_SESSION)
    assert not view.shows_box(())
    assert not view.shows_box(IN_SESSION[:6])


ALL = [
    session("a", "A title", time={"updated": 1}),
    session("b", UNTITLED, time={"updated": 2}),
    session("c", "A title", time={"updated": 3}),
    session("d", "Another", time={"updated": 4}),
]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("", ["d", "c", "b"]),
        ("OpenCode", ["b"]),
        ("OC | A title", ["c", "a"]),
        ("OC | Gone", []),
        ("vim", ["d", "c", "b"]),
    ],
)
def test_only_what_may_have_this_title_is_asked_about_the_newest_first(title: str, expected: list[str]) -> None:
    assert [one["id"] for one in view.candidates(title, ALL, 3)] == expected


@given(st.text(max_size=60), st.integers(1, 99), st.integers(1, 99))
def test_a_mark_is_read_in_the_terminals_title_and_comes_off_again(title: str, number: int, other: int) -> None:
    own = view.unmarked(title)
    marked = view.marked(title, number)

    assert view.marked_number(f"OC | {view.shown_title(marked)} ") == number or not own.strip()
    assert view.unmarked(marked) == own
    assert view.marked(marked, other) == view.marked(title, other)
    assert view.is_marked(marked)
    assert view.marked_number(view.HOME_TITLE) is None


PAYLOADS = (
    ("[Input from: ann via hark send · 0123456789ab]\nlook  at\tthis\nand that", "look at this"),
    ("[Input from: ann via hark send · 0123456789ab]\n\n  \n", "A message"),
    ("x" * 100, "x" * 60),
)


@pytest.mark.parametrize(("text", "expected"), PAYLOADS)
def test_a_session_is_called_after_the_first_words_of_its_message(text: str, expected: str) -> None:
    assert view.title_for(text) == expected


AGENTS: list[dict[str, Any]] = [
    {"name": "build", "mode": "primary"},
    {"name": "plan", "mode": "primary"},
    {"name": "docs-writer", "mode": "all"},
    {"name": "explore", "mode": "subagent"},
    {"name": "title", "mode": "primary", "hidden": True},
]
PROVIDERS: list[dict[str, Any]] = [
    {"id": "p", "name": "Prov", "models": {"m": {"id": "m", "name": "Mod", "variants": {"high": {}}}}},
    {"id": "q", "name": "Quo", "models": {"m": {"id": "m", "name": "Mod"}, "n": {"id": "n", "name": "Mod Quo"}}},
]
CHOICES = (
    ("the usual", "Build · Mod Prov", ("build", {"providerID": "p", "modelID": "m"})),
    ("another agent", "Plan · Mod Quo", ("plan", {"providerID": "q", "modelID": "m"})),
    ("an agent of two words", "Docs-Writer · Mod Prov", ("docs-writer", {"providerID": "p", "modelID": "m"})),
    ("a variant", "Build · Mod Prov · high", ("build", {"providerID": "p", "modelID": "m", "variant": "high"})),
    ("an unknown variant", "Build · Mod Prov · low", None),
    ("an unknown agent", "Explore · Mod Prov", None),
    ("a hidden agent", "Title · Mod Prov", None),
    ("an unknown model", "Build · Mod", None),
    ("the mode for shell commands", "Shell", None),
)


@pytest.mark.parametrize(("name", "row", "expected"), CHOICES, ids=[name for name, *_ in CHOICES])
def test_the_row_below_the_box_tells_what_is_chosen(name: str, row: str, expected: tuple[str, Any] | None) -> None:
    rows = [one.replace("Build · stand-in stand-in", row) for one in HOME]

    found = view.chosen_on(rows, AGENTS, PROVIDERS)

    assert found == (expected and {"agent": expected[0], "model": expected[1]})
