"""The control connection: hidden, in order, with deadlines, and gone without a trace."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.demo.human import Human
from hark.model.errors import HarkError
from hark.terminal.tmux.client import ControlClient, clean_environment
from hark.terminal.tmux.commands import Line, command, line
from hark.terminal.tmux.control import Reply
from hark.terminal.tmux.expansion import Format
from hark.terminal.tmux.orphans import HIDDEN_SESSION
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import (
    DEADLINE_S,
    connected,
    in_thread,
    new_pane,
    pane_of,
    until,
    write_program,
)
from tests.support.terminals import PrivateTmux, wait_until

# tmux answers these at once, and keeps what comes after them waiting.
BLOCKED_FOR_EVER = line(command("wait-for", "never"))
BLOCKED_FOR_A_SECOND = line(command("run-shell", "sleep 1"))


def say(words: str) -> Line:
    return line(command("display-message", "-p", words))


def sessions(tmux: PrivateTmux) -> list[str]:
    return tmux.run("list-sessions", "-F", "#{session_name}").split()


def code_of(answer: list[Reply] | BaseException) -> str:
    return answer.code if isinstance(answer, HarkError) else repr(answer)


@pytest.fixture
def human(tmux: PrivateTmux) -> Iterator[Human]:
    with Human(tmux.socket, new_pane(tmux, "work").pane_id, columns=70, rows=20) as person:
        person.wait_attached(DEADLINE_S)
        yield person


def test_it_attaches_to_its_hidden_session_and_to_no_other(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")

    async def act(server: TmuxServer) -> list[str]:
        await server.connect()
        return tmux.run("list-clients", "-F", "#{session_name} #{client_control_mode} #{client_flags}").splitlines()

    [client] = connected(tmux, act)

    name, is_control, flags = client.split(" ")
    assert (name, is_control) == (HIDDEN_SESSION, "1")
    assert {"ignore-size", "no-output"} <= set(flags.split(","))


def test_it_does_not_resize_what_the_user_has(tmux: PrivateTmux) -> None:
    new_pane(tmux, "detached", columns=133, rows=44)
    sizes = (
        "list-windows",
        "-a",
        "-f",
        f"#{{!=:#{{session_name}},{HIDDEN_SESSION}}}",
        "-F",
        "#{window_id} #{window_layout}",
    )

    async def act(server: TmuxServer) -> str:
        await server.connect()
        await server.facts()
        return tmux.run(*sizes)

    with Human(tmux.socket, new_pane(tmux, "attached").pane_id, columns=70, rows=20) as human:
        human.wait_attached(DEADLINE_S)
        before = tmux.run(*sizes)

        assert connected(tmux, act) == before

    assert "133x44" in before
    assert "70x" in before


def test_it_is_not_counted_as_a_human(tmux: PrivateTmux, human: Human) -> None:
    shown = tmux.run("list-clients", "-F", "#{pane_id} #{client_name}").split()

    facts = connected(tmux, lambda server: server.facts())

    assert [[client.pane_id, client.name] for client in facts.clients] == [shown]
    assert facts.last_key_at(shown[0]) == facts.clients[0].activity_at
    assert facts.last_key_at("%99") is None


def test_its_session_is_gone_when_it_closes(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")

    async def act(server: TmuxServer) -> list[str]:
        await server.connect()
        return sessions(tmux)

    assert HIDDEN_SESSION in connected(tmux, act)
    wait_until(lambda: HIDDEN_SESSION not in sessions(tmux), DEADLINE_S, "the hidden session to go")


def test_its_session_is_gone_when_it_is_killed(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")

    async def act(server: TmuxServer) -> None:
        await server.connect()
        [pid] = tmux.run("list-clients", "-F", "#{client_pid}").split()
        os.kill(int(pid), signal.SIGKILL)
        await in_thread(lambda: HIDDEN_SESSION not in sessions(tmux), "the hidden session to go")

    connected(tmux, act)


def test_the_users_server_survives_every_time_we_leave(tmux: PrivateTmux) -> None:
    """tmux can crash when a client ends while another one does, if the hidden session is ended in the wrong way."""
    pane = new_pane(tmux, "work")

    async def act(server: TmuxServer) -> None:
        await server.connect()
        tmux.run("list-sessions")

    for _ in range(150):
        connected(tmux, act)

    assert pane_of(tmux, pane.pane_id) == pane
    wait_until(lambda: HIDDEN_SESSION not in sessions(tmux), DEADLINE_S, "the hidden session to go")


def test_two_connections_share_the_session_and_the_last_one_ends_it(tmux: PrivateTmux) -> None:
    new_pane(tmux, "work")

    async def act(first: TmuxServer) -> None:
        second = TmuxServer(str(tmux.socket), lambda changed: None)
        await first.connect()
        await second.connect()
        await second.close()
        await until(lambda: asyncio.to_thread(lambda: tmux.run("list-clients").count("\n") == 1), "one client")
        assert await first.run(say("still here"))
        assert HIDDEN_SESSION in sessions(tmux)

    connected(tmux, act)


def test_every_call_gets_its_own_answer_though_some_fail(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> list[list[Reply] | BaseException]:
        calls = (server.run(say(f"n{number}") if number % 5 else failing(number)) for number in range(200))
        return await asyncio.gather(*calls, return_exceptions=True)

    def failing(number: int) -> Line:
        """An unknown pane, in the middle of a line whose other commands would answer; or no command at all."""
        unknown = command("kill-pane", "-t", f"%{90000 + number}")
        return (
            line(*say("before").commands, unknown, *say("after").commands) if number % 10 else line("no-such-command")
        )

    answers = connected(tmux, act)

    for number, answer in enumerate(answers):
        if number % 5:
            assert isinstance(answer, list)
            assert answer[0].lines == [f"n{number}".encode()]
        else:
            assert isinstance(answer, HarkError)
            assert answer.code == "tmux-failed"
            assert (f"%{90000 + number}" if number % 10 else "no-such-command") in answer.detail


def test_a_line_gets_one_reply_per_command(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> list[list[bytes]]:
        replies = await server.run(line(*say("one").commands, "set-option -g @x y", *say("two").commands))
        return [reply.lines for reply in replies]

    assert connected(tmux, act) == [[b"one"], [], [b"two"]]


def test_a_late_answer_is_dropped_and_the_order_is_kept(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> None:
        await server.connect()
        await server.run(BLOCKED_FOR_A_SECOND)
        with pytest.raises(HarkError) as late:
            await server.run(say("late"), deadline_s=0.2)
        assert late.value.code == "tmux-timeout"
        answers = await asyncio.gather(*(server.run(say(f"n{number}"), DEADLINE_S) for number in range(20)))
        assert [answer[0].lines for answer in answers] == [[f"n{number}".encode()] for number in range(20)]

    connected(tmux, act)


def test_a_call_that_is_given_up_does_not_take_anothers_answer(tmux: PrivateTmux) -> None:
    async def act(server: TmuxServer) -> None:
        await server.run(BLOCKED_FOR_A_SECOND)
        given_up = asyncio.create_task(server.run(say("given up"), DEADLINE_S))
        await asyncio.sleep(0)
        given_up.cancel()
        assert (await server.run(say("mine"), DEADLINE_S))[0].lines == [b"mine"]

    connected(tmux, act)


@pytest.mark.parametrize("victim", ["#{pid}", "#{client_pid}"], ids=["the server", "the client"])
def test_calls_fail_when_the_server_or_the_client_is_killed(tmux: PrivateTmux, victim: str) -> None:
    lost: list[None] = []

    async def act() -> None:
        program = ["tmux", "-u", "-S", str(tmux.socket)]
        client = await ControlClient.connect(
            program, clean_environment(), lambda notice: None, lambda: lost.append(None), DEADLINE_S
        )
        try:
            [pid] = await client.run(line(command("list-clients", "-F", Format(victim))))
            await client.run(BLOCKED_FOR_EVER)
            pending = [asyncio.create_task(client.run(say("x"), DEADLINE_S)) for _ in range(3)]
            await asyncio.sleep(0)
            os.kill(int(pid.lines[0]), signal.SIGKILL)
            answers = await asyncio.gather(*pending, return_exceptions=True)
            assert [code_of(answer) for answer in answers] == ["tmux-gone"] * 3
        finally:
            await client.close()
        assert client.is_lost
        with pytest.raises(HarkError) as gone:
            await client.run(say("x"))
        assert gone.value.code == "tmux-gone"

    asyncio.run(act())

    assert len(lost) == 1


async def connect_with(program: str, socket: Path) -> None:
    server = TmuxServer(str(socket), lambda changed: None, program)
    try:
        await server.connect(may_start=True)
    finally:
        await server.close()


def code_with(program: str, socket: Path) -> tuple[str, str]:
    with pytest.raises(HarkError) as failed:
        asyncio.run(connect_with(program, socket))
    return failed.value.code, failed.value.detail


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    code, detail = code_with("no-such-tmux", tmp_path / "s")

    assert (code, detail) == ("tmux-missing", "no-such-tmux: command not found")


def test_a_program_that_may_not_be_run_is_as_good_as_missing(tmp_path: Path) -> None:
    program = tmp_path / "tmux"
    program.write_text("not executable")

    assert code_with(str(program), tmp_path / "s")[0] == "tmux-missing"


# Speaks enough of control mode to be attached to and asked for its version.
OLD_TMUX = """#!/bin/sh
printf '%%begin 1 0 0\\n%%end 1 0 0\\n'
n=0
while read -r line; do
    n=$((n + 1))
    case $line in *version*) answer='3.2a\\n' ;; *) answer='' ;; esac
    printf "%%begin 1 $n 1\\n$answer%%end 1 $n 1\\n"
done
"""


def test_a_server_that_is_too_old_is_refused(tmp_path: Path) -> None:
    program = write_program(tmp_path / "tmux", OLD_TMUX)

    code, detail = code_with(program, tmp_path / "s")

    assert code == "tmux-too-old"
    assert "3.2a" in detail


def test_a_tmux_that_ends_at_once_is_gone_and_its_words_are_kept(tmp_path: Path) -> None:
    program = write_program(tmp_path / "tmux", "#!/bin/sh\necho 'server version mismatch' >&2\nexit 1\n")

    code, detail = code_with(program, tmp_path / "s")

    assert code == "tmux-gone"
    assert "server version mismatch" in detail


def test_a_tmux_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hark.terminal.tmux.server.CONNECT_DEADLINE_S", 0.2)
    program = write_program(tmp_path / "tmux", "#!/bin/sh\nexec cat >/dev/null\n")

    assert code_with(program, tmp_path / "s")[0] == "tmux-timeout"
