"""One tmux server that comes and goes; its panes found, started and ended."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hark.model.errors import HarkError
from hark.terminal.tmux.commands import command, line
from hark.terminal.tmux.facts import PaneFacts
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import (
    DEADLINE_S,
    ask,
    connected,
    in_thread,
    new_pane,
    pane_of,
    start,
    until,
    write_program,
)
from tests.support.terminals import PrivateTmux, wait_until


@contextmanager
def fails_with(code: str) -> Iterator[None]:
    with pytest.raises(HarkError) as failed:
        yield
    assert failed.value.code == code


def is_running(tmux: PrivateTmux) -> bool:
    """Asks without starting one."""
    return tmux._call(("-N", "list-sessions"), None).returncode == 0


def start_again(tmux: PrivateTmux) -> None:
    """A server that is still on its way out turns new clients away."""
    start = ("new-session", "-d", "-s", "again", "cat")
    wait_until(lambda: tmux._call(start, None).returncode == 0, DEADLINE_S, "a new server")


def test_a_server_that_is_gone_is_not_started_again_by_asking_it(tmux: PrivateTmux) -> None:
    changes: list[TmuxServer] = []

    async def act() -> None:
        server = TmuxServer(str(tmux.socket), changes.append)
        try:
            await server.connect()
            changes.clear()
            tmux.run("kill-server")

            async def is_told() -> bool:
                return bool(changes)

            await until(is_told, "on_change")
            for _ in range(5):
                with fails_with("tmux-gone"):
                    await server.facts()
            assert not is_running(tmux)
        finally:
            await server.close()

    asyncio.run(act())


def test_a_server_that_is_there_again_is_connected_to_again(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> None:
        await server.connect()
        tmux.run("kill-server")
        with fails_with("tmux-gone"):
            for _ in range(1000):
                await server.facts()
        start_again(tmux)

        async def names() -> list[str]:
            try:
                return await ask(server, "list-sessions", "-F", "#{session_name}")
            except HarkError:
                return []

        assert "again" in await until(names, "the connection")

    connected(tmux, act)


def test_after_a_failure_no_process_is_started_until_the_pause_is_over(
    tmux: PrivateTmux, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hark.terminal.tmux.server.BACKOFF_S", (0.0, 3600.0))
    log = tmux.directory / "log"
    program = write_program(tmux.directory / "tmux", f'#!/bin/sh\necho started >>{log}\nexec tmux "$@"\n')

    async def act() -> None:
        server = TmuxServer(str(tmux.directory / "none"), lambda changed: None, program)
        try:
            for _ in range(20):
                with fails_with("tmux-gone"):
                    await server.facts()
        finally:
            await server.close()

    asyncio.run(act())

    assert log.read_text() == "started\n"


def test_a_closed_server_stays_closed(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> None:
        await server.connect()
        await server.close()
        with fails_with("tmux-gone"):
            await server.facts()

    connected(tmux, act)


def test_changes_of_the_panes_are_told(tmux: PrivateTmux) -> None:
    changes: list[TmuxServer] = []

    async def act() -> None:
        server = TmuxServer(str(tmux.socket), changes.append)
        try:
            await server.connect()
            for change in (("new-session", "-d", "-s", "work", "cat"), ("new-window", "-d", "-t", "work", "cat")):
                changes.clear()
                await asyncio.to_thread(tmux.run, *change)
                await in_thread(lambda: changes, f"a word about {change[0]}")
        finally:
            await server.close()

    asyncio.run(act())


def test_targets_are_resolved_to_panes(tmux: PrivateTmux) -> None:
    tmux.run("new-session", "-d", "-s", "work", "-n", "first", "cat")
    tmux.run("split-window", "-d", "-t", "work:first", "cat")
    tmux.run("new-window", "-d", "-t", "work", "-n", "second", "cat")
    tmux.run("select-pane", "-t", "work:first.1", ";", "select-pane", "-t", "work:first.0")
    expected = {
        "%0": "%0",
        "work": "%0",
        "work:first.1": "%1",
        "=work:second": "%2",
        "work:0": "%0",
        "work:first.{last}": "%1",
        "@1": "%2",
        "$0": "%0",
    }

    async def act(server: TmuxServer) -> dict[str, PaneFacts]:
        return {target: await server.resolve(target) for target in expected}

    found = connected(tmux, act)

    assert {target: facts.pane_id for target, facts in found.items()} == expected
    assert found["@1"].pid == pane_of(tmux, "%2").pid
    assert found["work"].foreground == "cat"
    assert found["work"].tty == tmux.read("%0", "#{pane_tty}")


UNKNOWN = [
    "nope",
    "work:9",
    "%99",
    "@99",
    "$99",
    "work:.9",
    "",
    ":",
    "{last}",
    "_hark",
    "_h",
    "-x",
    "a b",
    "#{pane_id}",
]


def test_targets_that_mean_no_pane_of_the_user_are_not_found(tmux: PrivateTmux) -> None:
    tmux.run("new-session", "-d", "-s", "work", "cat")

    async def act(server: TmuxServer) -> None:
        for target in UNKNOWN:
            with fails_with("pane-not-found"):
                raise AssertionError((target, await server.resolve(target)))

    connected(tmux, act)


def test_facts_are_those_of_every_pane(tmux: PrivateTmux) -> None:
    first, second = new_pane(tmux, "one", 100, 30), new_pane(tmux, "two")
    tmux.run("copy-mode", "-t", second.pane_id)

    facts = connected(tmux, lambda server: server.facts())
    seen = connected(tmux, lambda server: server.pane_facts(second))

    shown = facts.panes[first.pane_id]
    assert (shown.pid, shown.columns, shown.rows, shown.in_mode, shown.is_dead) == (first.pid, 100, 30, False, False)
    assert facts.panes[second.pane_id].in_mode
    assert seen.panes == {second.pane_id: facts.panes[second.pane_id]}


def test_a_program_starts_with_its_environment_and_directory_exactly(tmux: PrivateTmux, tmp_path: Path) -> None:
    values = {"PLAIN": "x", "ODD": "a b;\"'$HOME`id`~#{pane_id}\\%H\n漢;", "EMPTY": "", "DASH": "-x", "EQUALS": "a=b"}
    directory = tmp_path / "dir with; $odd 'name"
    directory.mkdir()
    script = f"tr '\\0' '\\1' </proc/self/environ >{tmp_path}/environment; pwd -P >{tmp_path}/directory; exec cat"

    async def act(server: TmuxServer) -> None:
        pane = await start(server, "work", ["sh", "-c", script], str(directory), values, 90, 20)
        await in_thread((tmp_path / "directory").exists, "the program")
        assert pane == pane_of(tmux, pane.pane_id)
        assert (await server.resolve("work")).columns == 90

    connected(tmux, act)

    wait_until(lambda: (tmp_path / "directory").read_text(), DEADLINE_S, "the directory")
    seen = dict(entry.split("=", 1) for entry in (tmp_path / "environment").read_text().split("\1") if entry)
    assert {name: seen.get(name) for name in values} == values
    assert (tmp_path / "directory").read_text() == f"{directory}\n"


def test_a_command_of_one_word_is_not_taken_apart(tmux: PrivateTmux, tmp_path: Path) -> None:
    program = write_program(tmp_path / "a program; with $blanks", f"#!/bin/sh\necho $# >{tmp_path}/ran\nexec cat\n")

    async def act(server: TmuxServer) -> None:
        await start(server, "work", [program], "/", {}, 80, 24)
        await in_thread((tmp_path / "ran").exists, "the program")

    connected(tmux, act)


def test_a_session_starts_a_server_where_there_is_none() -> None:
    with PrivateTmux() as tmux:
        tmux.run("kill-server")
        tmux.socket = tmux.directory / "another"

        async def act() -> None:
            server = TmuxServer(str(tmux.socket), lambda changed: None, config=["/dev/null"])
            try:
                pane = await start(server, "work", ["cat"], "/", {}, 80, 24)
                assert (await server.resolve("work")).pid == pane.pid
            finally:
                await server.close()

        asyncio.run(act())

        assert tmux.run("list-sessions", "-F", "#{session_name}") == "work\n"


def test_a_name_that_is_taken_is_told_in_tmuxs_words(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> None:
        await start(server, "work", ["cat"], "/", {}, 80, 24)
        with fails_with("tmux-failed"):
            await start(server, "work", ["cat"], "/", {}, 80, 24)

    connected(tmux, act)


def test_a_pane_is_killed_only_if_it_is_the_right_process(tmux: PrivateTmux) -> None:
    pane = new_pane(tmux, "one")

    async def act(server: TmuxServer) -> None:
        tmux.run("respawn-pane", "-k", "-t", pane.pane_id, "cat")
        assert not await server.kill_pane(pane)
        assert pane.pane_id in (await server.facts()).panes
        assert await server.kill_pane(pane_of(tmux, pane.pane_id))
        assert pane.pane_id not in (await server.facts()).panes

    connected(tmux, act)


def test_history_joins_what_was_wrapped(tmux: PrivateTmux) -> None:
    text = "".join(f"{number:03} {'x' * 60}\r\n" for number in range(60)) + "end\r\n\r\n"
    pane = new_pane(tmux, text, columns=40, rows=10)

    async def act(server: TmuxServer) -> tuple[list[str], list[str]]:
        return await server.history(pane.pane_id, 1000), await server.history(pane.pane_id, 3)

    whole, last = connected(tmux, act)

    assert whole == [*(f"{number:03} {'x' * 60}" for number in range(60)), "end"]
    assert last == whole[-3:]


def state_of(tmux: PrivateTmux) -> dict[str, str]:
    """All that a user could find changed."""
    asked = {
        "sessions": ("list-sessions", "-F", "#{session_id} #{session_name} #{session_group} #{session_windows}"),
        "panes": ("list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_width}x#{pane_height} #{pane_pipe}"),
        "buffers": ("list-buffers",),
        "server options": ("show-options", "-s"),
        "global options": ("show-options", "-g"),
        "window options": ("show-options", "-gw"),
        "hooks": ("show-hooks", "-g"),
        "keys": ("list-keys",),
        "environment": ("show-environment", "-g"),
        "clients": ("list-clients",),
    }
    return {name: tmux.run(*words) for name, words in asked.items()}


def test_nothing_of_ours_remains_in_the_users_server(tmux: PrivateTmux) -> None:
    pane = new_pane(tmux, "\x1b[?2004h")
    tmux.run("set-buffer", "-b", "mine", "a human's")
    before = state_of(tmux)

    async def act(server: TmuxServer) -> None:
        await server.facts()
        await server.paste(pane, "text")
        await server.press_if_unmoved(pane, "Enter", await server.screen(pane), "")
        await server.history(pane.pane_id, 10)
        with pytest.raises(HarkError):
            await server.run(line(command("kill-pane", "-t", "%99")))

    connected(tmux, act)

    wait_until(lambda: state_of(tmux) == before, DEADLINE_S, "the server as it was", lambda: state_of(tmux))


def test_a_killed_client_is_replaced_at_the_next_call(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")

    async def act(server: TmuxServer) -> None:
        client = await server.connect()
        [pid] = await ask(server, "list-clients", "-F", "#{client_pid}")
        os.kill(int(pid), signal.SIGKILL)

        async def is_lost() -> bool:
            return client.is_lost

        await until(is_lost, "the client's end")
        assert (await server.facts()).panes

    connected(tmux, act)
