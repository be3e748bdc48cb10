"""In a pane of a real tmux, with a human at an attached client."""

import sys
from collections.abc import Iterator

import pytest

from hark.demo.human import Human
from tests.integration.airlock.running import AIRLOCK, DEADLINE_S, RECORD, Client
from tests.integration.airlock.test_agent import SHOW_SIZE, is_alive
from tests.support.terminals import PrivateTmux, wait_until


@pytest.fixture
def tmux() -> Iterator[PrivateTmux]:
    with PrivateTmux() as server:
        yield server


def start(tmux: PrivateTmux, agent: str) -> str:
    program = tmux.directory / "agent.py"
    program.write_text(agent)
    command = [sys.executable, "-ISE", str(program), str(tmux.directory / "record")]
    pane = tmux.new([*AIRLOCK, "--socket", str(tmux.directory / "airlock"), "--", *command])
    wait_until(lambda: "READY" in tmux.capture(pane), DEADLINE_S, "the agent to be ready", lambda: tmux.capture(pane))
    return pane


def input_of(tmux: PrivateTmux) -> bytes:
    record = tmux.directory / "record"
    return bytes.fromhex(record.read_text().replace("\n", "")) if record.exists() else b""


def test_a_human_types_through_a_hold(tmux: PrivateTmux) -> None:
    pane = start(tmux, RECORD)
    with Human(tmux.socket, pane) as human, Client(tmux.directory / "airlock") as client:
        human.wait_attached()
        human.type("before", keys_per_second=100)
        wait_until(lambda: input_of(tmux) == b"before", DEADLINE_S, "the keys", lambda: input_of(tmux))

        hold = client.hold()
        human.type("held é", keys_per_second=100)
        human.press("Up")
        client.wait_facts(held_bytes=len("held é".encode()) + 3)
        client.write(hold, b"<delivery>")
        client.release(hold)
        human.type("after\n", keys_per_second=100)

        everything = "before<delivery>held é\x1b[Aafter\r".encode()
        wait_until(lambda: input_of(tmux) == everything, DEADLINE_S, "all keys", lambda: input_of(tmux))


def test_a_resized_client_resizes_the_agent(tmux: PrivateTmux) -> None:
    pane = start(tmux, SHOW_SIZE)
    with Human(tmux.socket, pane, columns=80, rows=24) as human:
        human.wait_attached()

        human.resize(100, 40)

        wait_until(lambda: "<100x39>" in tmux.capture(pane), DEADLINE_S, "the size", lambda: tmux.capture(pane))


def test_a_killed_pane_takes_the_agent_along(tmux: PrivateTmux) -> None:
    pane = start(tmux, RECORD)
    with Client(tmux.directory / "airlock") as client:
        facts = client.facts()

    tmux.run("kill-pane", "-t", pane)

    wait_until(lambda: not is_alive(facts["agent_pid"]), DEADLINE_S, "the agent to end")
    wait_until(lambda: not is_alive(facts["airlock_pid"]), DEADLINE_S, "the airlock to end")


def test_the_pane_shows_the_agents_end(tmux: PrivateTmux) -> None:
    pane = tmux.new(
        [*AIRLOCK, "--socket", str(tmux.directory / "airlock"), "--", "sh", "-c", "echo last words; exit 9"]
    )

    assert wait_until(lambda: tmux.exit_status(pane), DEADLINE_S, "the pane to end") == 9
    assert "last words" in tmux.capture(pane, history=True)  # the notice of the end has scrolled it away
