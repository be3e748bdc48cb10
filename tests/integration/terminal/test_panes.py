"""What one pane shows, and what reaches the program in it: screens, pastes and keys on real tmux."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from hark.delivery.screen.capture import Screen
from hark.demo.human import Human
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import DEADLINE_S, connected, new_pane, pane_of
from tests.support.terminals import PrivateTmux, wait_until

# A raw-mode program that prints its second argument, and writes all that it receives into a file.
RECORD = """
import os, sys, tty
tty.setraw(0)
os.write(1, sys.argv[2].encode().decode("unicode_escape").encode("latin-1"))
with open(sys.argv[1], "ab", buffering=0) as record:
    record.write(b"ready:")
    while data := os.read(0, 65536):
        record.write(data)
"""


class Recorder:
    def __init__(self, tmux: PrivateTmux, prints: str, cursor_x: int) -> None:
        """Returns when tmux has read what it prints."""
        self._file: Path = tmux.directory / "record"
        script = tmux.directory / "record.py"
        script.write_text(RECORD)
        self.pane = pane_of(tmux, tmux.new([sys.executable, "-ISE", str(script), str(self._file), prints]))
        self.wait_for(b"")
        wait_until(lambda: tmux.read(self.pane.pane_id, "#{cursor_x}") == str(cursor_x), DEADLINE_S, "its first words")

    @property
    def received(self) -> bytes:
        return self._file.read_bytes() if self._file.exists() else b""

    def wait_for(self, expected: bytes) -> None:
        whole = b"ready:" + expected
        wait_until(lambda: self.received == whole, DEADLINE_S, f"{expected[:200]!r}", lambda: self.received[:1000])


# Asks for pastes in brackets.
BRACKETED = (r"\x1b[?2004hready", 5)

SCREENS: dict[str, tuple[str, tuple[int, int], list[str]]] = {
    "text": ("one\r\ntwo", (3, 1), ["one", "two"]),
    "trailing blanks": ("one   ", (6, 0), ["one"]),
    "wide characters": ("漢字x", (5, 0), ["漢字x"]),
    "combining marks": ("e\u0301x", (2, 0), ["e\u0301x"]),
    "joined emoji": ("👩\u200d💻x", (3, 0), ["👩\u200d💻x"]),
    "a flag": ("🇩🇪x", (3, 0), ["🇩🇪x"]),
    "the cursor in the middle": ("one two\x1b[1;4H", (3, 0), ["one two"]),
    "the cursor alone": ("\x1b[5;7H", (6, 4), [""]),
}


@pytest.mark.parametrize(("text", "cursor", "rows"), SCREENS.values(), ids=SCREENS.keys())
def test_a_screen_is_rows_and_cursor(tmux: PrivateTmux, text: str, cursor: tuple[int, int], rows: list[str]) -> None:
    pane = new_pane(tmux, text, columns=40, rows=8)

    seen = connected(tmux, lambda server: server.screen(pane))

    assert (seen.cursor_x, seen.cursor_y) == cursor
    assert [row.text for row in seen.rows] == rows + [""] * (8 - len(rows))
    assert (seen.columns, seen.in_mode, seen.is_alternate, seen.is_cursor_visible) == (40, False, False, True)


@pytest.mark.parametrize("text", ["漢字", "e\u0301", "👩\u200d💻", "🇩🇪", "❤\ufe0f", "plain"])
def test_the_cells_before_the_cursor_are_what_was_printed(tmux: PrivateTmux, text: str) -> None:
    pane = new_pane(tmux, f"{text}\x1b7 behind\x1b8")

    seen = connected(tmux, lambda server: server.screen(pane))

    assert seen.rows[0].part(0, seen.cursor_x) == text
    assert seen.rows[0].part(seen.cursor_x) == " behind"


def test_dim_text_is_ghost_text(tmux: PrivateTmux) -> None:
    pane = new_pane(tmux, "\x1b[38;5;2;48;2;2;2;2mtyped\x1b[0m\x1b[2mghost\r\nghost too\x1b[0mtyped\x1b[2;4:3mcurly")

    seen = connected(tmux, lambda server: server.screen(pane))

    assert seen.rows[0].typed(0) == "typed"
    assert seen.rows[1].typed(0) == "typed"
    assert seen.rows[1].text == "ghost tootypedcurly"


def test_copy_mode_is_seen_and_does_not_cover_the_screen(tmux: PrivateTmux) -> None:
    pane = new_pane(tmux, "one\r\ntwo")
    tmux.run("copy-mode", "-t", pane.pane_id, ";", "send-keys", "-t", pane.pane_id, "-X", "cursor-up")

    seen = connected(tmux, lambda server: server.screen(pane))

    assert seen.in_mode
    assert (seen.cursor_x, seen.cursor_y) == (3, 1)
    assert [row.text for row in seen.rows][:2] == ["one", "two"]


def test_the_alternate_screen_and_a_hidden_cursor_are_seen(tmux: PrivateTmux) -> None:
    pane = new_pane(tmux, "below\x1b[?1049h\x1b[?25l\x1b[Habove")

    seen = connected(tmux, lambda server: server.screen(pane))

    assert seen.is_alternate
    assert not seen.is_cursor_visible
    assert seen.rows[0].text == "above"


def test_a_pane_with_another_process_is_not_the_pane(tmux: PrivateTmux) -> None:
    pane = new_pane(tmux, "one")
    tmux.run("respawn-pane", "-k", "-t", pane.pane_id, "cat")

    async def act(server: TmuxServer) -> list[str]:
        codes = []
        for gone in (pane, replace(pane, pane_id="%99")):
            with pytest.raises(HarkError) as failed:
                await server.screen(gone)
            codes.append(failed.value.code)
        return codes

    assert connected(tmux, act) == ["pane-not-found", "tmux-failed"]


TEXTS = {
    "one line": "hello",
    "lines and tabs": "one\n\ttwo\n\nthree\n",
    "what tmux could take for its own": "#{pane_id} %H $HOME `id` ~ ; \\ \"'{}",
    "ends in a semicolon": "a;",
    "begins with a dash": "-x",
    "Unicode": "漢字 e\u0301 👩\u200d💻 \u00a0",
    "many kilobytes": "漢 0123456789\n" * 1000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_paste_arrives_in_brackets_byte_for_byte(tmux: PrivateTmux, text: str) -> None:
    recorder = Recorder(tmux, *BRACKETED)

    connected(tmux, lambda server: server.paste(recorder.pane, text))

    recorder.wait_for(b"\x1b[200~" + text.encode() + b"\x1b[201~")


def test_pastes_leave_no_buffer_and_take_none(tmux: PrivateTmux) -> None:
    recorder = Recorder(tmux, *BRACKETED)
    tmux.run("set-buffer", "-b", "mine", "a human's")
    tmux.run("set-buffer", "the human's last")
    before = tmux.run("list-buffers")

    async def act(server: TmuxServer) -> None:
        for number in range(3):
            await server.paste(recorder.pane, f"p{number}")

    connected(tmux, act)

    recorder.wait_for(b"".join(b"\x1b[200~p%d\x1b[201~" % number for number in range(3)))
    assert tmux.run("list-buffers") == before


def test_nothing_is_written_where_another_program_has_come_to_the_front(tmux: PrivateTmux) -> None:
    recorder = Recorder(tmux, *BRACKETED)

    async def act(server: TmuxServer) -> list[bool]:
        pane, wrong = recorder.pane, "zsh"
        [right] = [facts.foreground for facts in (await server.facts()).panes.values() if facts.pid == pane.pid]
        return [
            await server.paste(pane, "rm -rf", wrong),
            await server.press(pane, ("Home", "C-k"), wrong),
            await server.paste(pane, "text", right),
            await server.press(pane, ("C-a", "C-k"), right),
        ]

    assert connected(tmux, act) == [False, False, True, True]
    recorder.wait_for(b"\x1b[200~text\x1b[201~\x01\x0b")
    assert tmux.run("list-buffers") == ""


def test_a_paste_into_a_pane_that_is_gone_is_withheld_and_leaves_no_buffer(tmux: PrivateTmux) -> None:
    pane = replace(new_pane(tmux, "work"), pane_id="%99")

    assert connected(tmux, lambda server: server.paste(pane, "secret")) is False
    assert tmux.run("list-buffers") == ""


def test_a_paste_with_control_bytes_reaches_nobody(tmux: PrivateTmux) -> None:
    recorder = Recorder(tmux, *BRACKETED)

    async def act(server: TmuxServer) -> None:
        with pytest.raises(HarkError):
            await server.paste(recorder.pane, "a\x1b[201~\r")
        await server.paste(recorder.pane, "b")

    connected(tmux, act)

    recorder.wait_for(b"\x1b[200~b\x1b[201~")


PROOF = "0123456789ab"


def press(tmux: PrivateTmux, pane: Pane, seen: Screen, proof: str = PROOF) -> bool:
    return connected(tmux, lambda server: server.press_if_unmoved(pane, "Enter", seen, proof))


@pytest.fixture
def recorder(tmux: PrivateTmux) -> Recorder:
    return Recorder(tmux, f"id {PROOF}", 15)


def look(tmux: PrivateTmux, pane: Pane) -> Screen:
    return connected(tmux, lambda server: server.screen(pane))


def assert_nothing_was_pressed(tmux: PrivateTmux, recorder: Recorder) -> None:
    """A key that is pressed now comes after all that came before it."""
    tmux.press(recorder.pane.pane_id, "x")
    recorder.wait_for(b"x")


def test_enter_is_pressed_on_the_screen_that_was_seen(tmux: PrivateTmux, recorder: Recorder) -> None:
    assert press(tmux, recorder.pane, look(tmux, recorder.pane))

    recorder.wait_for(b"\r")


def test_enter_needs_no_proof_where_a_paste_is_collapsed(tmux: PrivateTmux, recorder: Recorder) -> None:
    assert press(tmux, recorder.pane, look(tmux, recorder.pane), proof="")

    recorder.wait_for(b"\r")


@pytest.mark.parametrize(("right", "down"), [(1, 0), (-1, 0), (0, 1)])
def test_enter_is_withheld_when_the_cursor_has_moved(
    tmux: PrivateTmux, recorder: Recorder, right: int, down: int
) -> None:
    seen = look(tmux, recorder.pane)
    moved = replace(seen, cursor_x=seen.cursor_x + right, cursor_y=seen.cursor_y + down)

    assert not press(tmux, recorder.pane, moved)

    assert_nothing_was_pressed(tmux, recorder)


def test_enter_is_withheld_in_copy_mode(tmux: PrivateTmux, recorder: Recorder) -> None:
    seen = look(tmux, recorder.pane)
    tmux.run("copy-mode", "-t", recorder.pane.pane_id)

    assert not press(tmux, recorder.pane, seen)

    tmux.run("send-keys", "-t", recorder.pane.pane_id, "-X", "cancel")
    assert_nothing_was_pressed(tmux, recorder)


def test_enter_is_withheld_when_the_proof_is_gone(tmux: PrivateTmux, recorder: Recorder) -> None:
    assert not press(tmux, recorder.pane, look(tmux, recorder.pane), proof="ffffffffffff")

    assert_nothing_was_pressed(tmux, recorder)


def test_enter_is_withheld_from_another_process_in_the_same_pane(tmux: PrivateTmux, recorder: Recorder) -> None:
    seen = look(tmux, recorder.pane)

    assert not press(tmux, replace(recorder.pane, pid=recorder.pane.pid + 1), seen)

    assert_nothing_was_pressed(tmux, recorder)


def test_enter_is_withheld_from_a_respawned_pane(tmux: PrivateTmux, recorder: Recorder) -> None:
    seen = look(tmux, recorder.pane)
    tmux.run("respawn-pane", "-k", "-t", recorder.pane.pane_id, f"printf 'id {PROOF}'; exec cat")
    wait_until(lambda: tmux.read(recorder.pane.pane_id, "#{cursor_x}") == "15", DEADLINE_S, "the id again")

    assert not press(tmux, recorder.pane, seen)


def test_enter_is_withheld_from_a_pane_that_is_gone(tmux: PrivateTmux, recorder: Recorder) -> None:
    seen = look(tmux, recorder.pane)
    tmux.run("kill-pane", "-t", recorder.pane.pane_id)

    assert not press(tmux, recorder.pane, seen)


def test_a_focus_is_reported_only_where_nobody_looks(tmux: PrivateTmux, recorder: Recorder) -> None:
    async def act(server: TmuxServer) -> bool:
        return await server.report_focus(recorder.pane, "")

    assert connected(tmux, act)
    recorder.wait_for(b"\x1b[I")

    with Human(tmux.socket, recorder.pane.pane_id, columns=70, rows=20) as human:
        human.wait_attached(DEADLINE_S)
        assert not connected(tmux, act)
