"""This program starts Codex with an app-server of its own, by which hark can reach Codex. It uses only the stdlib and runs without the
package.

Codex by itself shares one server among all its terminals: hark could not send a message to the terminal that it is for, and
hooks would run in the environment of whichever terminal came first. So a session that hark starts gets a server of its own:

    this process ──fork──► keeper: starts `codex app-server`, waits until the server listens, and ends it when Codex has ended
         │
         └─exec──► codex --remote unix://SOCKET …, in the same process: terminal, signals and exit status are as ever

If the server does not come up (another version, a broken configuration), Codex starts as if we had not been here. Keeper and
server have no descriptor of the terminal, and no process is left behind: a keeper that is killed takes the server with it.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
from time import monotonic, sleep
from typing import NoReturn

USAGE = "usage: agents/codex/server.py --socket PATH -- CODEX [ARGUMENT…]"
READY_S = 10.0
POLL_S = 0.02
GONE_POLL_S = 0.5
STOP_S = 2.0
PR_SET_PDEATHSIG = 1
# The options whose settings the server must know as well as the TUI.
SHARED = ("-c", "--config", "--enable", "--disable")


def main() -> NoReturn:
    if len(sys.argv) < 5 or sys.argv[1] != "--socket" or sys.argv[3] != "--":
        sys.exit(USAGE)
    socket, words = sys.argv[2], sys.argv[4:]
    become(with_remote(words, socket) if start_keeper(socket, words) else words)


def with_remote(words: list[str], socket: str) -> list[str]:
    return [words[0], "--remote", f"unix://{socket}", *words[1:]]


def become(words: list[str]) -> NoReturn:
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        print(f"{words[0]}: {failure.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(failure, FileNotFoundError) else 126)


def start_keeper(socket: str, words: list[str]) -> bool:
    """Fork the keeper, and return True if the server listens."""
    heard, said = os.pipe()
    agent = os.getpid()
    try:
        if os.fork() == 0:
            os.close(heard)
            keep(agent, socket, words, said)
    except OSError:
        return False
    finally:
        os.close(said)
    with os.fdopen(heard, "rb") as report:
        ready, _, _ = select.select([report], [], [], READY_S + 1)
        return bool(ready) and report.read(1) == b"1"


def keep(agent: int, socket: str, words: list[str], said: int) -> NoReturn:
    """Be the keeper, from its fork to its end. Whatever happens, the keeper never returns into the code that becomes the agent."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        make_room(socket)
        server, real = start_server(socket, words), socket
        try:
            wait_listening(server, socket)
            # Codex puts the socket elsewhere: the path that we gave it is only a link.
            real = os.path.realpath(socket)
            os.write(said, b"1")
            os.close(said)
            wait_gone(agent, server)
        finally:
            stop(server)
            tidy(socket, real)
    finally:
        os._exit(0)


def make_room(socket: str) -> None:
    os.makedirs(os.path.dirname(socket), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(socket)


def start_server(socket: str, words: list[str]) -> "subprocess.Popen[bytes]":
    command = [words[0], "app-server", *shared_settings(words[1:]), "--listen", f"unix://{socket}"]
    keeper = os.getpid()
    return subprocess.Popen(command, start_new_session=True, preexec_fn=lambda: die_with(keeper))


def shared_settings(words: list[str]) -> list[str]:
    """Return the options `-c name=value`, `--config=name=value` and the like, in the order in which they were given."""
    found: list[str] = []
    for index, word in enumerate(words):
        if word in SHARED:
            found += words[index : index + 2]
        elif word.startswith(tuple(f"{name}=" for name in SHARED if name.startswith("--"))):
            found.append(word)
    return found


def die_with(parent: int) -> None:
    """Make Linux end this process when its parent dies. The server's process runs this before it becomes the server. On other systems
    the server ends only if the keeper ends it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


def wait_listening(server: "subprocess.Popen[bytes]", socket: str) -> None:
    deadline = monotonic() + READY_S
    while not os.path.exists(socket):
        if server.poll() is not None or monotonic() > deadline:
            raise TimeoutError(socket)
        sleep(POLL_S)


def wait_gone(agent: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the agent, our parent, has ended, or the server has ended."""
    try:
        watched = os.pidfd_open(agent)
    except (OSError, AttributeError):
        watched = None
    while os.getppid() == agent and server.poll() is None:
        if watched is None:
            sleep(GONE_POLL_S)
        else:
            select.select([watched], [], [], GONE_POLL_S)


def stop(server: "subprocess.Popen[bytes]") -> None:
    """End the server's whole process group: npm's `codex` is a script that starts the program."""
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(STOP_S)
            return


def tidy(socket: str, real: str) -> None:
    for path in (socket, real, f"{real}.lock"):
        with contextlib.suppress(OSError):
            os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(socket))


if __name__ == "__main__":
    main()
