"""After a hold tmux is as it was, whoever ended it: we, or tmux's own timer because we were killed."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hark.demo.human import Human
from hark.model.errors import HarkError
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.commands import Line
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import (
    AT_ONCE,
    DEADLINE_S,
    Interposed,
    Recorder,
    begin,
    differences,
    state_of,
    wait_read,
)
from tests.integration.terminal.connected import connected
from tests.support.terminals import PrivateTmux, clean_environment, wait_until

SHORT_S = 0.5

SETTINGS = {
    "nothing is set": [],
    "everything is set in the session": [
        ("-t", "{pane}", "prefix", "C-a"),
        ("-t", "{pane}", "prefix2", "M-\\;"),
        ("-t", "{pane}", "assume-paste-time", "5"),
    ],
    "set in the session to what a hold sets": [
        ("-t", "{pane}", "prefix", "None"),
        ("-t", "{pane}", "assume-paste-time", "0"),
    ],
    "set for all sessions": [("-g", "prefix", "`"), ("-g", "prefix2", "'"), ("-g", "assume-paste-time", "7")],
    "keys that mean something to a shell": [("-t", "{pane}", "prefix", "\\;"), ("-t", "{pane}", "prefix2", "#")],
}


def configure(tmux: PrivateTmux, recorder: Recorder, settings: list[tuple[str, ...]]) -> None:
    for words in settings:
        tmux.run("set-option", *(word.format(pane=recorder.pane.pane_id) for word in words))


@contextmanager
def held_by_a_victim(
    recorder: Recorder, enter_gap_s: float = 0.0, seconds: float = SHORT_S, undo_of: str = ""
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own holds the keys, and is killed when the block ends. `undo_of`: the program for which it has left an undo."""
    pane = recorder.pane
    words = [pane.socket, pane.pane_id, str(pane.pid), str(seconds), str(enter_gap_s), "", undo_of]
    victim = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.keyhold.victim", *words],
        stdout=subprocess.PIPE,
        env=clean_environment(),
    )
    try:
        assert victim.stdout is not None
        assert victim.stdout.readline() == b"held\n"
        yield victim
    finally:
        victim.kill()
        victim.communicate()


def is_as_before(tmux: PrivateTmux, before: dict[str, str]) -> bool:
    def left() -> object:
        return differences(before, state_of(tmux))

    wait_until(lambda: not left(), DEADLINE_S, "nothing to be left", left)
    return True


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_release_puts_everything_back(
    tmux: PrivateTmux, recorder: Recorder, human: Human, settings: list[tuple[str, ...]]
) -> None:
    configure(tmux, recorder, settings)

    async def act(server: TmuxServer) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        await server.connect()
        before = state_of(tmux)
        hold = await begin(server, recorder.pane)
        during = state_of(tmux)
        await hold.release()
        unpressed = state_of(tmux)
        hold = await begin(server, recorder.pane)
        human.type("abc", AT_ONCE)
        wait_read(tmux)
        await hold.release()
        await recorder.wait_for(b"abc")
        assert during != before
        return before, unpressed, state_of(tmux)

    before, unpressed, pressed = connected(tmux, act)

    assert unpressed == before
    assert pressed == before


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_the_timer_puts_everything_back(
    tmux: PrivateTmux, recorder: Recorder, human: Human, settings: list[tuple[str, ...]]
) -> None:
    configure(tmux, recorder, settings)
    before = state_of(tmux)

    with held_by_a_victim(recorder):
        human.type("abc", AT_ONCE)
    wait_until(lambda: recorder.record == b"abc", DEADLINE_S, "the keys", lambda: recorder.record)

    assert is_as_before(tmux, before)


def test_the_keys_of_a_killed_daemon_do_not_wait_for_the_timer(
    tmux: PrivateTmux, recorder: Recorder, human: Human
) -> None:
    before = state_of(tmux)

    with held_by_a_victim(recorder, seconds=100 * DEADLINE_S) as victim:
        human.type("abc", AT_ONCE)
        # Its parent, which are we, does not ask for it yet.
        victim.kill()
        wait_until(lambda: recorder.record == b"abc", DEADLINE_S, "the keys", lambda: recorder.record)

    assert is_as_before(tmux, before)


def test_killed_20_times(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    before = state_of(tmux)
    typed = b""

    for number in range(20):
        with held_by_a_victim(recorder):
            human.type(f"during {number} ", AT_ONCE)
        human.type(f"after {number} ", 200)
        typed += f"during {number} after {number} ".encode()
        wait_until(lambda: len(recorder.record) >= len(typed), DEADLINE_S, "the keys", lambda: recorder.record)  # noqa: B023
        assert recorder.record == typed
        assert is_as_before(tmux, before)


def test_killed_between_the_keys_and_the_options(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    before = state_of(tmux)

    def die(line: Line) -> None:
        if "assume-paste-time" in line.text and "set-option" in line.text and "bind-key" not in line.text:
            raise HarkError("tmux-gone", "killed here", "")

    async def act() -> None:
        server = Interposed(tmux, die)
        try:
            hold = await begin(server, recorder.pane, SHORT_S)
            human.type("abc", AT_ONCE)
            wait_read(tmux)
            await hold.release()
            await recorder.wait_for(b"abc")
            assert "@hark-hold" in state_of(tmux)["server options"]
        finally:
            await server.close()

    asyncio.run(act())

    assert is_as_before(tmux, before)


def test_the_timer_of_a_released_hold_changes_nothing(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> tuple[dict[str, str], dict[str, str], KeyHold]:
        await (await begin(server, recorder.pane, seconds=0.2)).release()
        tmux.run("set-option", "-t", recorder.pane.pane_id, "prefix", "C-x")
        tmux.run("set-option", "-t", recorder.pane.pane_id, "assume-paste-time", "9")
        hold = await begin(server, recorder.pane)
        during = state_of(tmux)
        human.type("abc", AT_ONCE)
        # Started after the timer, over after it.
        tmux.run("run-shell", "-d", "0.6", "true")
        after_timer = state_of(tmux)
        assert recorder.record == b""
        await hold.release()
        await recorder.wait_for(b"abc")
        return during, after_timer, hold

    during, after_timer, _ = connected(tmux, act)

    # A key was pressed in between, and the client is on its way back.
    del during["clients"], after_timer["clients"]
    assert after_timer == during
    assert tmux.run("show-options", "-v", "-t", recorder.pane.pane_id, "prefix") == "C-x\n"


def test_a_hold_that_begins_as_another_ends(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """What it read while the other held must not be put back as the human's."""
    before = state_of(tmux)

    def wait_for_the_other(line: Line) -> None:
        if "switch-client" in line.text:
            wait_until(lambda: "@hark-hold" not in tmux.run("show-options", "-s"), DEADLINE_S, "the other hold to end")

    async def act(other: TmuxServer) -> None:
        server = Interposed(tmux, wait_for_the_other)
        try:
            await begin(other, recorder.pane, SHORT_S)
            human.type("abc", AT_ONCE)
            wait_read(tmux)
            await (await begin(server, recorder.pane)).release()
        finally:
            await server.close()

    connected(tmux, act)

    assert is_as_before(tmux, before)


def test_two_sessions_that_share_the_window(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    shared = tmux.run("new-session", "-d", "-P", "-F", "#{session_id}", "-t", tmux.read(recorder.pane.pane_id, "#S"))
    session = shared.strip()
    tmux.run("set-option", "-t", f"{session}:", "prefix", "C-a")

    async def act(server: TmuxServer) -> None:
        await server.connect()
        before = state_of(tmux)
        hold = await begin(server, recorder.pane)
        human.type("abc", AT_ONCE)
        wait_read(tmux)
        other.type("def", AT_ONCE)
        wait_read(tmux)
        assert recorder.record == b""
        await hold.release()
        await recorder.wait_for(b"abcdef")
        assert state_of(tmux) == before

    with Human(tmux.socket, session) as other:
        other.wait_attached(DEADLINE_S)
        connected(tmux, act)


def test_a_session_that_ends_during_the_hold(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    """What belongs to the other session is put back all the same, and its keys flow."""
    shared = tmux.run("new-session", "-d", "-P", "-F", "#{session_id}", "-t", tmux.read(recorder.pane.pane_id, "#S"))
    before = state_of(tmux)

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane)
        human.type("abc", AT_ONCE)
        wait_read(tmux)
        tmux.run("kill-session", "-t", shared.strip())
        await hold.release()
        await recorder.wait_for(b"abc")

    with Human(tmux.socket, shared.strip()) as other:
        other.wait_attached(DEADLINE_S)
        connected(tmux, act)

    after = state_of(tmux)
    for what in ("keys", "server options", "global options", "buffers", "hooks"):
        assert after[what] == before[what]
    assert not any("hark-" in text for text in after.values())
