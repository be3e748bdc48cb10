"""Values of ours arrive in tmux as they are, wherever tmux would expand them; nothing in them is ever executed."""

import ast
import asyncio
import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hark
from hark.model.session import Pane
from hark.terminal.tmux.commands import act_if, command, line
from hark.terminal.tmux.expansion import PLACES, Format, all_of, arguments, equals, literal, not_
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import start
from tests.support.terminals import PrivateTmux, wait_until

DEADLINE_S = 90.0

TRAP = "trap"
"""A file that exists as soon as anything is executed."""
CHARACTERS = "#{}()[],;:%'\"\\$`~*?=-+@ \n\t\x1b\x7f漢🎉\u0301é"
FORMATS = [
    "#H",
    "#{pane_id}",
    f"#(touch {TRAP})",
    "#[bold]",
    "##[",
    "#,",
    "#}",
    "##",
    "#{l:x}",
    "#{E:@trap}",
    "#{?1,a,b}",
]
SYNTAX = ["%H", "%Y", "%%", "; kill-server ;", "--", "${HOME}", "\\012", f"$(touch {TRAP})", f"`touch {TRAP}`"]
ACTIVE = st.sampled_from([*CHARACTERS, *FORMATS, *SYNTAX])
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
TEXT = st.lists(ACTIVE | ANY, min_size=1, max_size=8).map("".join)
# What tmux keeps in a name or a title: it writes control characters in its own way, and takes no dots and colons in names.
NAME = st.lists(
    st.sampled_from([*"#{}()[],;%'\"$`~*?=+@ 漢🎉"])
    | st.sampled_from(["#H", "#{pane_id}", f"#(touch {TRAP})", "%H", "##["]),
    min_size=1,
    max_size=8,
).map(lambda parts: "n" + "".join(parts))
DIRECTORY = TEXT.map(lambda text: text.replace("/", "∕")).filter(lambda text: text not in (".", ".."))


class Stage:
    """One tmux and one connection for many examples. The server's own directory is where a trap would spring."""

    def __init__(self, tmux: PrivateTmux, runner: asyncio.Runner) -> None:
        self.tmux = tmux
        self._runner = runner
        self.server = TmuxServer(str(tmux.socket), lambda changed: None)
        self.numbers = itertools.count(1)
        self.pane_id = tmux.run("list-panes", "-t", "work", "-F", "#{pane_id}").strip()

    def ask(self, name: str, *words: str) -> str:
        [reply] = self._runner.run(self.server.run(line(command(name, *words))))
        return "\n".join(self.server.text(reply))

    def printable(self, text: str) -> str:
        """tmux 3.4 and 3.5 print control characters in their own way, which cannot be told from text: without them there."""
        if "escaped-controls" not in self.server.features:
            return text
        return "".join(character for character in text if character in "\n\t" or category(character) != "Cc")

    def decides(self, condition: Format) -> bool:
        replies = self._runner.run(self.server.run(act_if(self.pane_id, condition, command("has-session"))))
        return replies[-1].lines == [b"done"]

    def start(self, name: str, directory: str, environment: dict[str, str], words: list[str]) -> Pane:
        return self._runner.run(start(self.server, name, words, directory, environment, 80, 24))

    def was_executed(self) -> bool:
        """tmux runs `#(command)` in the background; a command that has to wait for its end comes after it."""
        self.tmux.run("run-shell", "true")
        return any((Path(at) / TRAP).exists() for at in (self.tmux.directory, "/", os.getcwd(), Path.home()))

    def close(self) -> None:
        self._runner.run(self.server.close())


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with PrivateTmux() as tmux, asyncio.Runner() as runner:
        tmux.run("set", "-g", "remain-on-exit", "off", ";", "set", "-g", "@trap", f"#(touch {TRAP})")
        tmux.run("new-session", "-d", "-s", "work", "-c", str(tmux.directory), "cat")
        opened = Stage(tmux, runner)
        try:
            yield opened
            assert not opened.was_executed()
        finally:
            opened.close()


@settings(max_examples=200)
@given(TEXT)
@example("#[#{##[###(x)#,#}")
@example("a\nb %H %% ;")
def test_a_plain_text_is_shown_as_it_is(stage: Stage, text: str) -> None:
    shown = stage.printable(text)

    assert not shown or stage.ask("display-message", "-p", "--", shown) == shown


@settings(max_examples=100)
@given(NAME)
def test_names_and_titles_arrive_as_they_are(stage: Stage, text: str) -> None:
    stage.ask("rename-window", "-t", stage.pane_id, "--", text)
    stage.ask("select-pane", "-t", stage.pane_id, "-T", text)

    shown = stage.ask("display-message", "-p", "-t", stage.pane_id, Format("#{window_name}\n#{pane_title}"))

    assert shown == f"{text}\n{text}"


@settings(max_examples=200)
@given(TEXT, TEXT)
@example("#,", "#,")
@example("a}", "a#}")
@example("##[", "#[")
def test_a_value_is_compared_as_it_is(stage: Stage, value: str, other: str) -> None:
    stage.ask("set-option", "-s", "--", "@value", value)

    assert stage.decides(equals("@value", value))
    assert stage.decides(all_of(equals("@value", value), equals("@value", other))) is (value == other)
    assert stage.decides(not_(equals("@value", other))) is (value != other)


# The program says, for each of its variables, and for its directory, what it got.
REPORT = """
import json, os, pathlib, sys
pathlib.Path(sys.argv[1]).write_text(json.dumps([os.getcwd(), os.environ["VALUE"], sys.argv[2:]]))
"""


@settings(max_examples=60)
@given(NAME, DIRECTORY, TEXT, TEXT)
@example("n#H", "#H", "#H", "#H")
@example("n", f"#(touch {TRAP})", f"#(touch {TRAP})", "x")
@example("n##[", "##[x#[", "%H;", ";")
def test_a_program_starts_where_it_shall_with_what_it_shall_have(
    stage: Stage, name: str, directory: str, value: str, word: str
) -> None:
    place = stage.tmux.directory / "d" / directory
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:  # longer than a file's name may be
        return
    report = stage.tmux.directory / "report"
    report.unlink(missing_ok=True)
    words = [sys.executable, "-ISE", "-c", REPORT, str(report), word]

    stage.start(f"{next(stage.numbers)}-{name}", str(place), {"VALUE": value}, words)

    wait_until(lambda: report.exists() and report.read_text().endswith("]]"), DEADLINE_S, f"a program in {place}")
    assert json.loads(report.read_text()) == [str(place), value, [word]]


def test_a_format_is_refused_where_tmux_would_not_expand_it() -> None:
    with pytest.raises(ValueError, match="expands no format"):
        command("set-option", "-s", "@x", Format("#{pane_id}"))


def test_a_command_that_nobody_has_looked_at_is_refused() -> None:
    with pytest.raises(KeyError):
        command("display-popup", "-E", "x")


def test_options_words_and_their_end_are_told_apart() -> None:
    given_words = list(arguments("new-window", "-d", "-c", "#H", "-e", "A=#H", "-n", "-c", "--", "#H", "-c", "#H"))

    texts = [argument.text for argument in given_words]
    assert texts == ["-d", "-c", "##H", "-e", "A=#H", "-n", "-c", "--", "#H", "-c", "#H"]
    assert [argument.text for argument in given_words if not argument.is_flag] == [
        "##H",
        "A=#H",
        "-c",
        "#H",
        "-c",
        "#H",
    ]


@pytest.mark.parametrize("text", ["", "plain", "%H"])
def test_what_holds_nothing_active_is_not_changed(text: str) -> None:
    assert literal(text) == text


def test_no_command_of_ours_is_put_together_outside() -> None:
    """Formats are made from constants and by the functions of `expansion`; a place that makes others is to be looked at."""
    made = {}
    for path in Path(hark.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text())
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        formats = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Format"]
        computed = [ast.unparse(call) for call in formats if not isinstance(call.args[0], ast.Constant)]
        if computed and path.name != "expansion.py":
            made[path.name] = computed

    assert set(made) == {"server.py", "rendering.py", "key_tables.py", "control.py", "feed.py", "picture.py"}
    # Those of live terminals are made of names of tmux's own, which are constants of the module.
    assert [len(made[name]) for name in ("control.py", "feed.py", "picture.py")] == [2, 1, 1]
    assert len(made["server.py"]) == 1
    assert len(made["rendering.py"]) == 1
    assert len(made["key_tables.py"]) == 3


def test_every_command_of_ours_is_in_the_table() -> None:
    for path in (Path(hark.__file__).parent / "terminal").rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call) and node.args]
        ours = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("command", "question")]
        names = [call.args[0] for call in ours]
        assert all(str(name.value) in PLACES for name in names if isinstance(name, ast.Constant))
