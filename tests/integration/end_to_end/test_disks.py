"""Disks that are full, read-only or hold rubbish: a clear word, nothing lost, nothing overwritten, and back to work after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.calling import DEADLINE_S
from tests.integration.end_to_end.disks import fill, mounted, unwritable
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until


def forget_what_could_not_be_logged(hark: RunningHark) -> None:
    """The log is on the full disk too: that its lines did not fit is told on stderr."""
    (hark.home / "stderr").write_text("")


def test_a_full_disk_refuses_a_message_and_a_free_one_takes_it_with_the_same_daemon(hark: RunningHark) -> None:
    with mounted(hark.home / "state", "size=2m") as state:
        agent = Agent(hark)
        pid = hark.daemon_pid()
        filler = fill(state)

        refusal = hark.refused("send", "a", "-", stdin="no room " * 1000)

        assert (refusal.exit_code, refusal.code) == (1, "disk-full")
        assert "free some space" in refusal.hint
        filler.unlink()
        forget_what_could_not_be_logged(hark)
        agent.send_and_wait("room again", "completed")
        assert agent.bodies() == ["room again"]
        assert hark.daemon_pid() == pid
        hark.ok("daemon", "stop")


def test_a_daemon_outlives_what_happens_while_its_disk_is_full(hark: RunningHark) -> None:
    with mounted(hark.home / "state", "size=2m") as state:
        agent, other = Agent(hark), Agent(hark, "other")
        pid = hark.daemon_pid()
        filler = fill(state)

        hark.tmux("kill-pane", "-t", agent.pane)
        hark.tmux("send-keys", "-t", other.pane, "prompt", "Enter")
        other.wait_event("stopped")
        hark.refused("send", "other", "no room")
        filler.unlink()

        hark.wait_gone("a")
        forget_what_could_not_be_logged(hark)
        other.send_and_wait("room again", "completed")
        assert hark.daemon_pid() == pid
        hark.ok("daemon", "stop")


def test_a_long_text_that_finds_no_room_for_its_file_waits_for_it(hark: RunningHark) -> None:
    text = "long " * 20_000
    with mounted(hark.home / "state/texts", "size=256k") as texts:
        agent = Agent(hark)
        filler = fill(texts)

        message_id = hark.ok("send", "-q", "a", "-", stdin=text).strip()

        message = hark.wait_status(message_id, "held", "internal")
        assert "no space left" in message["receipts"][-1]["detail"].lower()
        filler.unlink()
        hark.wait_status(message_id, "completed")
        assert (texts / f"{message_id}.txt").read_text() == text
        assert len(agent.bodies()) == 1
        hark.ok("daemon", "stop")


def test_a_read_only_state_directory_is_named(hark: RunningHark) -> None:
    with unwritable(hark.home / "state") as state:
        refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (4, "state-not-writable")
    assert str(state) in refusal.detail
    assert "HARK_HOME" in refusal.hint


@pytest.mark.parametrize("name", ["run", "state"])
def test_a_file_where_a_directory_should_be_is_named(hark: RunningHark, name: str) -> None:
    (hark.home / name).write_text("in the way")

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (4, "state-not-writable")
    assert str(hark.home / name) in refusal.detail
    assert (hark.home / name).read_text() == "in the way"


def corrupt_header(database: Path) -> None:
    database.write_bytes(b"this is not a database, and never was one\n" * 200)


def corrupt_middle(database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[5000 : len(data) - 100] = b"\xa5" * (len(data) - 5100)
    database.write_bytes(data)


@pytest.mark.parametrize("corrupt", [corrupt_header, corrupt_middle])
def test_a_corrupt_database_is_refused_and_left_as_it_is(hark: RunningHark, corrupt: Callable[[Path], None]) -> None:
    hark.ok("new", "-d", "-n", "a", "--", "cat")
    hark.ok("kill", "a")
    hark.ok("daemon", "stop")
    corrupt(hark.database)
    before = hark.database.read_bytes()

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (1, "store-corrupt")
    assert str(hark.database) in refusal.detail
    assert "mv " in refusal.hint
    assert hark.database.read_bytes() == before
    wait_until(lambda: hark.daemon_pid() is None, DEADLINE_S, "the end of the daemon that refuses")
