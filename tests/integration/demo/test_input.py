"""The input box, through a real terminal."""

from __future__ import annotations

import pytest

from tests.integration.demo.running import RunningAgent
from tests.support.terminals import PrivateTmux, wait_until

TEXTS = {
    "one line": "hello",
    "CJK": "漢字かな交じり文 한국어",
    "emoji": "🎉 👩‍💻 🇩🇪 ❤️",
    "combining accents are not normalised": "e\u0301 \u00e9",
    "tabs": "\tif x:\n\t\treturn\t1",
    "empty lines": "\n\nfirst\n\n\nlast\n\n",
    "blanks at the ends": "  two before, two behind  ",
    "what a shell or a slash command would take": "/clear !ls $HOME `id` \\",
    "a semicolon at the end": "a;b;",
    "more than a screen": "\n".join(f"line {number} " + "x" * number for number in range(90)),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_paste_arrives_exactly(agent: RunningAgent, text: str) -> None:
    agent.submit(text)

    assert agent.wait_event("prompt")["text"] == text


def test_many_kilobytes_arrive_exactly(agent: RunningAgent) -> None:
    text = "漢字 and words " * 3000

    agent.submit(text)

    assert agent.wait_event("prompt")["text"] == text


def test_the_screen_has_rules_prompt_and_footer(agent: RunningAgent) -> None:
    agent.paste("first\nsecond")
    agent.wait_box("first", "second")

    rows = agent.screen().rstrip("\n").splitlines()

    assert rows[-5:] == ["─" * 60, "❯ first", "  second", "─" * 60, "  demo agent · idle"]
    assert agent.tmux.read(agent.pane, "#{alternate_on}") == "0"


def test_long_lines_wrap_by_character_under_the_first_column(agent: RunningAgent) -> None:
    agent.paste("word " * 20 + "end")

    agent.wait_box(("word " * 20)[:58], ("word " * 20 + "end")[58:])


def test_the_cursor_is_visible_at_the_text_cursor(agent: RunningAgent) -> None:
    agent.paste("漢字\nabc")
    agent.press("Left")

    wait_until(lambda: agent.cursor() == "4,4", 20, "the cursor before the c")
    assert agent.tmux.read(agent.pane, "#{cursor_flag}") == "1"


def test_the_rules_follow_the_width(agent: RunningAgent) -> None:
    agent.type("draft")
    agent.wait_box("draft")

    agent.tmux.run("resize-window", "-t", agent.pane, "-x", "90", "-y", "20")

    agent.wait_screen("─" * 90)
    agent.wait_box("draft")


@pytest.mark.parametrize("blank", ["", "  ", "\n\n"], ids=["empty", "spaces", "newlines"])
def test_enter_on_a_blank_box_submits_nothing(agent: RunningAgent, blank: str) -> None:
    agent.paste(blank + " ")
    agent.press("Enter")
    agent.submit("x")

    assert agent.wait_event("prompt")["text"] == blank + " x"


@pytest.mark.parametrize("key", ["C-j", "M-Enter"])
def test_newline_keys_do_not_submit(agent: RunningAgent, key: str) -> None:
    agent.type("a")
    agent.press(key)
    agent.type("b")

    agent.wait_box("a", "b")
    assert agent.named("prompt") == []


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        (["Up", "X"], ["one Xtwo", "red blue"]),
        (["Up", "Down", "X"], ["one two", "red Xblue"]),
        (["C-a", "X"], ["one two", "Xred blue"]),
        (["C-a", "C-e", "X"], ["one two", "red blueX"]),
        (["Home", "X"], ["one two", "Xred blue"]),
        (["End", "X"], ["one two", "red blueX"]),
        (["C-k"], ["one two", "red"]),
        (["C-u"], ["one two", "blue"]),
        (["C-w"], ["one two", "blue"]),
        (["BSpace"], ["one two", "redblue"]),
    ],
    ids=lambda value: "+".join(value),
)
def test_editing_keys_work_as_in_emacs(agent: RunningAgent, keys: list[str], rows: list[str]) -> None:
    agent.paste("one two\nred blue")
    agent.press(*["Left"] * 4)

    agent.press(*keys)

    agent.wait_box(*rows)


def test_ctrl_c_clears_the_draft(agent: RunningAgent) -> None:
    agent.type("draft")
    agent.press("C-c")
    agent.submit("kept")

    assert agent.wait_event("prompt")["text"] == "kept"
    assert agent.named("quit") == []


def test_a_stashed_draft_comes_back_after_the_next_submit(agent: RunningAgent) -> None:
    agent.paste("my\n\ndraft ")
    agent.press("C-s")
    agent.wait_screen("· stashed")
    agent.wait_box("")

    agent.submit("message")

    agent.wait_box("my", "", "draft")
    assert agent.wait_event("prompt")["text"] == "message"
    agent.press("Enter")
    assert agent.wait_event("prompt", 2)["text"] == "my\n\ndraft "


def test_ctrl_s_on_an_empty_box_brings_the_stash_back_with_its_cursor(agent: RunningAgent) -> None:
    agent.type("draft")
    agent.press("Left", "Left", "C-s")
    agent.wait_box("")

    agent.press("C-s")
    agent.type("X")

    agent.wait_box("draXft")


def test_there_is_one_stash_only(agent: RunningAgent) -> None:
    agent.type("first")
    agent.press("C-s")
    agent.type("second")
    agent.press("C-s")
    agent.submit("message")

    agent.wait_box("second")


def test_an_enter_too_soon_after_a_paste_starts_a_new_line(tmux: PrivateTmux) -> None:
    agent = RunningAgent(tmux, "--newlines-after-paste", "1")

    for _ in range(2):
        agent.paste("pasted")
        agent.press("Enter")
        agent.wait_box("pasted", "")
        agent.type("typed")
        agent.press("Enter")
        agent.wait_box("")

    assert [agent.wait_event("prompt", count)["text"] for count in (1, 2)] == ["pasted\ntyped"] * 2


def test_large_pastes_collapse_and_expand_on_submit(tmux: PrivateTmux) -> None:
    agent = RunningAgent(tmux, "--collapse", "3")
    small, large, larger = "1\n2\n3", "1\n2\n3\n4", "a\n" * 20

    agent.paste(small)
    agent.wait_box("1", "2", "3")
    agent.press("C-c")
    agent.paste(large)
    agent.type(" and ")
    agent.paste(larger)

    agent.wait_box("[Pasted text #1 +3 lines] and [Pasted text #2 +20 lines]")
    agent.press("Enter")
    assert agent.wait_event("prompt")["text"] == f"{large} and {larger}"
