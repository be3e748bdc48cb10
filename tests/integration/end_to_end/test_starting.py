"""The daemon starts by itself, once, in directories that are private; or a user is told why it does not."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_config(hark: RunningHark, data: bytes) -> None:
    (hark.home / "config").mkdir()
    (hark.home / "config/config.toml").write_bytes(data)


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


def test_the_first_command_starts_the_daemon_as_hark_itself_does(hark: RunningHark) -> None:
    del hark.environment["HARK_SERVE_COMMAND"]

    assert hark.run("daemon", "status").returncode == 6
    assert hark.json("ls") == {"sessions": []}

    status = hark.json("daemon", "status")
    assert (status["running"], status["pid"]) == (True, hark.daemon_pid())


def test_what_the_daemon_keeps_is_closed_to_others(hark: RunningHark) -> None:
    hark.set(listen="127.0.0.1:0")
    Agent(hark).send_and_wait("hello", "completed")

    assert mode(hark.home / "run") == 0o700
    assert mode(hark.home / "state") == 0o700
    assert mode(hark.socket) == 0o600
    files = [file for file in (hark.home / "state").iterdir() if file.is_file()]
    assert {"hark.db", "hark.log", "token"} <= {file.name for file in files}
    assert {file.name: oct(mode(file)) for file in files if mode(file) != 0o600} == {}


def test_a_runtime_directory_that_is_open_to_others_is_closed(hark: RunningHark) -> None:
    (hark.home / "run").mkdir()
    (hark.home / "run").chmod(0o777)

    hark.ok("ls")

    assert mode(hark.home / "run") == 0o700


def test_a_runtime_directory_that_is_a_link_is_not_trusted(hark: RunningHark) -> None:
    (hark.home / "elsewhere").mkdir()
    (hark.home / "run").symlink_to(hark.home / "elsewhere")

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (4, "directory-unsafe")
    assert "HARK_HOME" in refusal.hint
    assert list((hark.home / "elsewhere").iterdir()) == []


def test_without_a_daemon_and_without_leave_to_start_one_a_command_says_so(hark: RunningHark) -> None:
    hark.set(no_autostart="1")

    refusal = hark.refused("send", "a", "hi")

    assert (refusal.exit_code, refusal.code) == (6, "daemon-unreachable")
    assert "hark daemon start" in refusal.hint
    assert hark.daemon_pid() is None


def test_a_home_that_is_a_file_is_named(hark: RunningHark) -> None:
    hark.home.rmdir()
    hark.home.write_text("in the way")
    hark.environment.pop("HARK_SERVE_COMMAND")

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (4, "state-not-writable")
    assert str(hark.home) in refusal.detail
    assert "HARK_HOME" in refusal.hint


# what the file holds, and a part of what is said about it
BROKEN = {
    "no-toml": (b"listen = \n", "config.toml"),
    "unknown-setting": (b"colour = true\n", "'colour'"),
    "wrong-type": (b"human_pause = 'long'\n", "human_pause"),
    "too-small": (b"input_poll_interval = 0\n", "input_poll_interval"),
    "not-utf-8": (b"# caf\xe9\n", "config.toml"),
    "open-to-the-world": (b"listen = '0.0.0.0:7433'\n", "0.0.0.0:7433"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_configuration_is_named(hark: RunningHark, name: str) -> None:
    data, detail = BROKEN[name]
    write_config(hark, data)

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (2, "config-invalid")
    assert detail in refusal.detail
    assert refusal.hint
    assert hark.daemon_pid() is None


@pytest.mark.parametrize(
    "listen", ["0.0.0.0:7433", "192.168.1.5:7433", "[::]:7433", "example.org:80", "127.0.0.1", ":1"]
)
def test_only_loopback_addresses_are_listened_on(hark: RunningHark, listen: str) -> None:
    hark.set(listen=listen)

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (2, "config-invalid")
    assert "ssh" in refusal.hint


def test_a_port_in_use_is_named(hark: RunningHark) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        hark.set(listen=f"127.0.0.1:{port}")

        refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (2, "config-invalid")
    assert f"127.0.0.1:{port}" in refusal.detail
    assert "another port" in refusal.hint


def test_a_stale_lock_and_a_stale_socket_are_no_obstacle(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    hark.kill_daemon()
    assert hark.socket.exists()
    (hark.home / "run/hark.lock").write_text("999999\n")

    hark.ok("ls")

    assert hark.daemon_pid() not in (None, 999999)


def file_in_the_way(path: Path) -> None:
    path.write_text("precious")


def directory_in_the_way(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("put", [file_in_the_way, directory_in_the_way])
@pytest.mark.parametrize("command", [("ls",), ("serve",)], ids=["command", "daemon"])
def test_what_is_no_socket_is_neither_spoken_to_nor_removed(
    hark: RunningHark, put: Callable[[Path], None], command: tuple[str, ...]
) -> None:
    (hark.home / "run").mkdir(mode=0o700)
    put(hark.socket)

    refused = hark.run(*command)

    assert refused.returncode == 4
    assert f"{hark.socket} is not a socket of yours" in refused.stderr
    assert "hint: check who owns" in refused.stderr
    assert hark.socket.exists()
    if hark.socket.is_file():
        assert hark.socket.read_text() == "precious"


def test_something_else_that_listens_on_the_socket_is_not_taken_for_the_daemon(hark: RunningHark) -> None:
    (hark.home / "run").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(hark.socket))
        other.listen()
        process = subprocess.Popen([HARK, "ls", "--json"], env=hark.environment, stderr=subprocess.PIPE)
        try:
            connection, _ = other.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 mail.example.org ESMTP\r\n")
                _, said = process.communicate(timeout=DEADLINE_S)
        finally:
            process.kill()
            process.wait()

    assert process.returncode == 6
    assert json.loads(said)["code"] == "daemon-unreachable"


def test_a_home_too_deep_for_a_socket_is_named(hark: RunningHark) -> None:
    hark.environment["HARK_HOME"] = str(hark.home / ("deep" * 30))
    hark.environment.pop("HARK_SERVE_COMMAND")

    refusal = hark.refused("ls")

    assert (refusal.exit_code, refusal.code) == (4, "directory-unsafe")
    assert "too long for a socket" in refusal.detail
    assert "shorter HARK_HOME" in refusal.hint


def test_without_tmux_sessions_cannot_be_started_but_the_rest_works(hark: RunningHark) -> None:
    hark.set(tmux="/nonexistent/tmux")

    refusal = hark.refused("new", "--", "cat")

    assert (refusal.exit_code, refusal.code) == (1, "tmux-missing")
    assert "install tmux 3.3 or newer" in refusal.hint
    assert hark.json("ls") == {"sessions": []}


def test_a_tmux_that_cannot_be_run_counts_as_missing(hark: RunningHark) -> None:
    (hark.home / "tmux").write_text("not a program")
    hark.set(tmux=str(hark.home / "tmux"))

    refusal = hark.refused("new", "--", "cat")

    assert (refusal.exit_code, refusal.code) == (1, "tmux-missing")


def test_a_tmux_that_is_too_old_is_named(hark: RunningHark) -> None:
    hark.set(tmux=script(hark.home / "old-tmux", "echo tmux 3.2a"))

    refusal = hark.refused("new", "--", "cat")

    assert (refusal.exit_code, refusal.code) == (1, "tmux-too-old")
    assert "tmux 3.2a" in refusal.detail
    assert "upgrade" in refusal.hint


def test_a_second_daemon_is_refused_and_the_first_works_on(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    pid = hark.daemon_pid()

    second = hark.run("serve")

    assert second.returncode == 1
    assert f"another hark daemon runs already with this database (pid {pid} on " in second.stderr
    assert "hark daemon stop" in second.stderr
    assert hark.json("daemon", "status")["pid"] == pid


def test_ten_commands_at_once_start_one_daemon(hark: RunningHark) -> None:
    commands = [
        subprocess.Popen([HARK, "ls", "--json"], env=hark.environment, stdout=subprocess.PIPE) for _ in range(10)
    ]

    answers = [command.communicate(timeout=DEADLINE_S)[0] for command in commands]

    assert [command.returncode for command in commands] == [0] * 10
    assert {answer.split() == [b"{", b'"sessions":', b"[]", b"}"] for answer in answers} == {True}
    assert [line["pid"] for line in hark.log() if line["message"] == "ready"] == [hark.daemon_pid()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_daemon_in_the_foreground_ends_cleanly_on_a_signal(hark: RunningHark, number: signal.Signals) -> None:
    process = subprocess.Popen([HARK, "serve"], env=hark.environment, stderr=subprocess.PIPE)
    try:
        wait_until(hark.socket.exists, DEADLINE_S, "the socket")
        wait_until(hark.daemon_pid, DEADLINE_S, "the lock")
        hark.ok("ls")

        os.kill(process.pid, number)

        _, said = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0
        assert said.decode() == f"hark is ready on {hark.socket}\n"
        assert not hark.socket.exists()
    finally:
        process.kill()
        process.wait()
