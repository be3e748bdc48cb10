"""Clients that do not take keys in the moment in which a hold begins lose none, and go on with what they do."""

import pytest

from hark.demo.human import Human
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.server import TmuxServer
from tests.integration.keyhold.stage import AT_ONCE, DEADLINE_S, Recorder, begin, wait_read
from tests.integration.terminal.connected import connected, in_thread
from tests.support.terminals import PrivateTmux, wait_until

KEY_MODES = {"plain keys": "", "some extended keys": "\x1b[>4;1m", "all keys extended": "\x1b[>4;2m"}
"""What a program prints to say how it wants its keys."""


@pytest.fixture(params=KEY_MODES)
def recorder(tmux: PrivateTmux, request: pytest.FixtureRequest) -> Recorder:
    """The keys that tmux writes for a key that nobody took depend on what the program has asked for."""
    tmux.run("set-option", "-s", "extended-keys", "on")
    return Recorder(tmux, KEY_MODES[request.param])


async def try_to_hold(server: TmuxServer, recorder: Recorder, enter_gap_s: float) -> None:
    hold = await KeyHold.begin(server, recorder.pane, DEADLINE_S, enter_gap_s)
    if hold:
        await hold.release()


@pytest.mark.parametrize("enter_gap_s", [0.0, 0.06])
def test_a_client_that_waits_for_a_command(
    tmux: PrivateTmux, recorder: Recorder, human: Human, enter_gap_s: float
) -> None:
    """Keys are in its queue already, and a binding of the human's is among them."""
    # Keys that come out of a queue at once are a paste for tmux, with and without us.
    tmux.run("set-option", "-g", "assume-paste-time", "0")
    tmux.run("bind-key", "-n", "C-r", "set-option -g @waits 1 ; wait-for human")
    tmux.run("bind-key", "-n", "C-n", "send-keys", "bound")

    async def act(server: TmuxServer) -> None:
        await server.connect()
        human.press("C-r")
        await in_thread(lambda: "@waits" in tmux.run("show-options", "-g"), "the command")
        human.type("a", AT_ONCE)
        human.press("C-n")
        human.type("b", AT_ONCE)
        wait_read(tmux)
        if "client-keys" in server.features:
            assert await KeyHold.begin(server, recorder.pane, DEADLINE_S, enter_gap_s) is None
        tmux.run("wait-for", "-S", "human")
        await in_thread(lambda: recorder.record == b"aboundb", "the keys")
        await (await begin(server, recorder.pane, enter_gap_s=enter_gap_s)).release()

    connected(tmux, act)
    human.type("c", AT_ONCE)
    wait_until(lambda: recorder.record == b"aboundbc", DEADLINE_S, "the last key", lambda: recorder.record)


@pytest.mark.parametrize("enter_gap_s", [0.0, 0.06])
def test_a_prompt_of_tmux_stays_open(tmux: PrivateTmux, recorder: Recorder, human: Human, enter_gap_s: float) -> None:
    [client] = tmux.run("list-clients", "-F", "#{client_name}").split()

    async def act(server: TmuxServer) -> None:
        await server.connect()
        tmux.run("command-prompt", "-b", "-t", client, "-p", "name", "set-option -g @answer '%%'")
        human.type("half", AT_ONCE)
        wait_read(tmux)
        await try_to_hold(server, recorder, enter_gap_s)
        human.type("whole\r", AT_ONCE)
        await in_thread(lambda: "@answer halfwhole" in tmux.run("show-options", "-g"), "the answer")

    connected(tmux, act)
    human.type("c", AT_ONCE)
    wait_until(lambda: recorder.record == b"c", DEADLINE_S, "the key", lambda: recorder.record)


def test_a_paste_that_is_half_there(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    async def act(server: TmuxServer) -> None:
        await server.connect()
        human.type("\x1b[200~first", AT_ONCE)
        wait_read(tmux)
        await try_to_hold(server, recorder, 0.0)
        human.type("second\x1b[201~c", AT_ONCE)
        await recorder.wait_for(b"\x1b[200~firstsecond\x1b[201~c")

    connected(tmux, act)
    assert "hark-" not in tmux.run("list-keys") + tmux.run("show-options", "-s")


def test_bindings_keep_their_turn_where_enters_wait(tmux: PrivateTmux, recorder: Recorder, human: Human) -> None:
    tmux.run("bind-key", "-n", "C-n", "send-keys -l '$x ~ ; ${y}'")

    async def act(server: TmuxServer) -> None:
        hold = await begin(server, recorder.pane, enter_gap_s=0.06)
        for key in ("C-n", "a", "Enter", "C-n", "b"):
            human.type(key, AT_ONCE) if len(key) == 1 else human.press(key)
        wait_read(tmux)
        assert recorder.record == b""
        await hold.release()
        await recorder.wait_for(b"$x ~ ; ${y}a\r$x ~ ; ${y}b")

    connected(tmux, act)
