"""Why `codex queue` is no way to reach a Codex without a server of our own (docs/decisions/0007), on the real program: it takes a
thread, and what the thread of a pane is cannot be told where Codex has its shared server; and it takes no name for a message, so
that nobody can look whether a message is there before it is given again."""

from __future__ import annotations

import os
import re
import subprocess

import msgspec
import pytest

from hark.agents.native import processes
from tests.agents.running import COLUMNS, DEADLINE_S, ROWS, Agent, running
from tests.support.terminals import wait_until

needs_time = pytest.mark.skipif(not os.environ.get("HARK_TEST_MATRIX"), reason="`make agents` tries it")
LOCK = re.compile(r"/thread-writer-locks/([0-9a-f-]+)\.lock$")
POLLED_S = 60.0


def threads_of_pane(agent: Agent) -> set[str]:
    """Those that a process of the pane writes, as `/proc` tells."""
    pids = processes.tree(int(agent.tmux.read(agent.pane, "#{pane_pid}")))
    return {found[1] for pid in pids for path in processes.open_files(pid) if (found := LOCK.search(path))}


def begin(agent: Agent) -> None:
    agent.wait_ready()
    agent.submit(f"hello there, {agent.pane}")
    agent.stand_in.wait_received(lambda one: one.holds(f"hello there, {agent.pane}"), DEADLINE_S)
    agent.wait_ready()


def queue(agent: Agent, thread: str, text: str) -> None:
    command = [*agent.launch.command, "queue", "--thread", thread, "--message", text]
    subprocess.run(
        command,
        cwd=agent.launch.directory,
        env=agent.launch.environment,
        capture_output=True,
        check=True,
        timeout=DEADLINE_S,
    )


@needs_time
@pytest.mark.parametrize("kind", ["codex"])
def test_with_the_shared_server_no_process_of_the_second_pane_has_its_thread(kind: str) -> None:
    with running(kind, daemon=True) as first:
        begin(first)
        pane = first.tmux.new(first.launch.words(), COLUMNS, ROWS)
        second = msgspec.structs.replace(first, pane=pane)
        begin(second)

        # The server is the first one's child, and writes for both.
        assert len(threads_of_pane(first)) == 2
        assert threads_of_pane(second) == set()


@needs_time
@pytest.mark.parametrize("kind", ["codex"])
def test_without_it_a_message_that_is_given_twice_arrives_twice(kind: str) -> None:
    with running(kind) as agent:
        begin(agent)
        [thread] = threads_of_pane(agent)

        for _ in range(2):
            queue(agent, thread, "the same")

        wait_until(
            lambda: agent.stand_in.submitted().count("the same") == 2,
            POLLED_S,
            "both at the model",
            agent.stand_in.submitted,
        )
