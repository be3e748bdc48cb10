"""Quoting: whatever a text is, tmux takes it for data. Proven on tmux itself."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hark.model.errors import HarkError
from hark.terminal.tmux.commands import act_if, command, line, paste_if, quote
from hark.terminal.tmux.expansion import Format, all_of, equals, not_
from hark.terminal.tmux.server import TmuxServer
from tests.support.terminals import PrivateTmux

ACTIVE = st.sampled_from([*"'\"$`~#;\\{}-=% \n\t\x1b\x7f\x85漢🎉\u0301"]) | st.sampled_from(
    ["${HOME}", "`id`", "#{pane_id}", "#(id)", "#[bold]", "%H:%M", "%if", " ; kill-server", "\\033", "\\;", "--"]
)
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
TEXT = st.lists(ACTIVE | ANY, min_size=1).map("".join).filter(bool)


TRUE, FALSE = Format("1"), Format("0")


class Connection:
    """One tmux and one control connection for many examples."""

    def __init__(self, tmux: PrivateTmux, runner: asyncio.Runner) -> None:
        self._tmux = tmux
        self._runner = runner
        self._server = TmuxServer(str(tmux.socket), lambda changed: None)

    def round_trip(self, text: str) -> str:
        self._runner.run(self._server.run(line(command("set-buffer", "-b", "x", "--", text))))
        return self.buffer()

    def buffer(self) -> str:
        file = self._tmux.directory / "buffer"
        self._tmux.run("save-buffer", "-b", "x", str(file))
        return file.read_bytes().decode()

    def decide(self, condition: Format, action: str) -> list[list[bytes]]:
        pane_id = self._tmux.run("list-panes", "-t", "work", "-F", "#{pane_id}").strip()
        replies = self._runner.run(self._server.run(act_if(pane_id, condition, action)))
        return [reply.lines for reply in replies]

    def option(self) -> str:
        return self._tmux.run("show-options", "-gv", "@tried").strip()

    def reset_option(self) -> None:
        self._tmux.run("set-option", "-g", "@tried", "no")

    def close(self) -> None:
        self._runner.run(self._server.close())


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with PrivateTmux() as tmux, asyncio.Runner() as runner:
        tmux.run("new-session", "-d", "-s", "work", "cat")
        opened = Connection(tmux, runner)
        try:
            yield opened
        finally:
            opened.close()


@settings(max_examples=300)
@given(TEXT)
@example("-b")
@example("--")
@example("ends in ;")
@example("ends in \\")
@example("#{pane_id} %H:%M ~ $HOME `id` {x} \"'\n\t;")
@example("a" * 100_000)
def test_every_text_arrives_in_tmux_byte_for_byte(connection: Connection, text: str) -> None:
    assert connection.round_trip(text) == text


def test_a_nul_cannot_be_quoted() -> None:
    with pytest.raises(HarkError) as refused:
        quote("a\0b")

    assert refused.value.code == "text-control-bytes"


REFUSED = ["\x1b[201~", "a\x1bb", "\x00", "\x03", "\r", "\x0b", "\x7f", "\x80", "\x9b", "\x9f"]


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_control_bytes_are_never_pasted(text: str) -> None:
    with pytest.raises(HarkError) as refused:
        paste_if("%1", TRUE, f"before {text} after", "b", frozenset())

    assert refused.value.code == "text-control-bytes"


@pytest.mark.parametrize("text", ["a\nb\tc", "漢字 🎉", "\u00a0", "~}|"], ids=ascii)
def test_printable_text_newlines_and_tabs_are_pasted(text: str) -> None:
    assert len(paste_if("%1", TRUE, text, "b", frozenset()).commands) == 2


def test_tmux_is_told_not_to_rewrite_a_paste_where_it_would() -> None:
    assert " -S " in paste_if("%1", TRUE, "x", "b", frozenset({"paste-sanitises"})).text
    assert " -S " not in paste_if("%1", TRUE, "x", "b", frozenset()).text


CONDITIONS = {
    "true": (TRUE, True),
    "false": (FALSE, False),
    "an equal variable": (equals("pane_in_mode", 0), True),
    "another value": (equals("pane_in_mode", 1), False),
    "all true": (all_of(TRUE, equals("pane_dead", 0), TRUE), True),
    "one of them false": (all_of(TRUE, equals("pane_dead", 1), TRUE), False),
    "not true": (not_(Format("#{pane_pipe}")), True),
    "not false": (not_(Format("#{session_name}")), False),
    "a variable that there is not": (Format("#{no_such_thing}"), False),
}


@pytest.mark.parametrize(("condition", "is_true"), CONDITIONS.values(), ids=CONDITIONS.keys())
def test_tmux_acts_only_if_the_condition_is_true(connection: Connection, condition: Format, is_true: bool) -> None:
    connection.reset_option()

    *_, answer = connection.decide(condition, command("set-option", "-g", "@tried", "yes"))

    assert answer == ([b"done"] if is_true else [b"withheld"])
    assert connection.option() == ("yes" if is_true else "no")


@settings(max_examples=100)
@given(TEXT)
def test_an_action_keeps_its_words_through_two_rounds_of_parsing(connection: Connection, text: str) -> None:
    *_, answer = connection.decide(TRUE, command("set-buffer", "-b", "x", "--", text))

    assert answer == [b"done"]
    assert connection.buffer() == text


def test_an_action_that_fails_says_so(connection: Connection) -> None:
    with pytest.raises(HarkError) as failed:
        connection.decide(TRUE, command("kill-pane", "-t", "%999"))

    assert failed.value.code == "tmux-failed"
    assert "%999" in failed.value.detail
