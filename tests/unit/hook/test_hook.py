"""`hark-hook` against daemons of every kind: what it says, what it prints, and that it never harms its agent."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hark import paths
from hark.inside import hook

DEADLINE_S = 20.0
FILE = Path(hook.__file__)
AS_FILE = (sys.executable, "-ISE", str(FILE))
AS_PROGRAM = (str(Path(sys.executable).with_name("hark-hook")),)

Behaviour = Callable[[socket.socket], None]


class Daemon:
    """Listens where the real one does, and behaves as it is told."""

    def __init__(self, home: Path, behaviour: Behaviour) -> None:
        self.home = home
        self.reports: list[bytes] = []
        self.afterwards: list[bytes] = []
        (home / "run").mkdir(exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(home / "run/hooks.sock"))
        self._listener.listen()
        self._behaviour = behaviour
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._thread.join(DEADLINE_S)
        self._listener.close()
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            connection.settimeout(DEADLINE_S)
            self.reports.append(_read_report(connection))
            self._behaviour(connection)
            self.afterwards.append(_read_all(connection))


@contextmanager
def daemon(home: Path, behaviour: Behaviour) -> Iterator[Daemon]:
    running = Daemon(home, behaviour)
    try:
        yield running
    finally:
        running.close()


def _read_report(connection: socket.socket) -> bytes:
    received = b""
    while b"\n" not in received:
        received += connection.recv(65536)
    head, _, rest = received.partition(b"\n")
    wanted = sum(int(word) for word in head.split()[2:])
    while len(rest) < wanted:
        rest += connection.recv(65536)
    return head + b"\n" + rest


def _read_all(connection: socket.socket) -> bytes:
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionError:
        pass
    return received


def answer(text: bytes) -> Behaviour:
    return lambda connection: connection.sendall(b"%d\n" % len(text) + text)


def run(
    home: Path, *words: str, stdin: bytes = b"{}", program: tuple[str, ...] = AS_FILE
) -> subprocess.CompletedProcess[bytes]:
    environment = {"HARK_HOME": str(home), "HARK_SESSION": "s1", "TMUX": "/tmp/t,1,0", "TMUX_PANE": "%7"}
    return subprocess.run(
        [*program, *words], input=stdin, capture_output=True, env=environment, timeout=DEADLINE_S, check=False
    )


def is_harmless(finished: subprocess.CompletedProcess[bytes]) -> bool:
    return (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Short enough for a socket."""
    link = Path(f"/tmp/hk-{os.getpid()}-{time.monotonic_ns()}")
    link.symlink_to(tmp_path)
    try:
        yield link
    finally:
        link.unlink()


@pytest.mark.parametrize("program", [AS_FILE, AS_PROGRAM], ids=["file", "program"])
def test_it_tells_whose_event_it_is_and_passes_the_payload_on_as_it_is(home: Path, program: tuple[str, ...]) -> None:
    before = time.time()
    with daemon(home, answer(b"")) as running:
        assert is_harmless(run(home, "claude", "Stop", stdin=b'{"a": "\xc3\xa4"}', program=program))

    head, _, rest = running.reports[0].partition(b"\n")
    assert head == b"hark-hook 1 %d 11" % (len(rest) - 11)
    agent, event, at, *where = rest[:-11].decode().split("\0")
    assert (agent, event, where) == ("claude", "Stop", ["s1", "/tmp/t,1,0", "%7"])
    assert before <= float(at) <= time.time()
    assert rest[-11:] == b'{"a": "\xc3\xa4"}'
    assert running.afterwards == [b""]


def test_it_prints_what_it_is_given_and_says_so_first(home: Path) -> None:
    text = "漢字 \n".encode() * 50_000
    with daemon(home, answer(text)) as running:
        finished = run(home, "claude", "Stop")

    assert (finished.returncode, finished.stdout, finished.stderr) == (0, text, b"")
    assert running.afterwards == [b"+"]


def less(connection: socket.socket) -> None:
    connection.sendall(b"10\nhello")
    connection.shutdown(socket.SHUT_WR)


NONSENSE: dict[str, Behaviour] = {
    "nothing at all": lambda connection: None,
    "a length that is none": lambda connection: connection.sendall(b"many\nhello"),
    "less than it promised": less,
    "more than it promised": lambda connection: connection.sendall(b"3\nhello"),
    "a negative length": lambda connection: connection.sendall(b"-1\n"),
    "too much": lambda connection: connection.sendall(b"%d\n" % 10**9 + b"x" * 100_000),
    "HTTP": lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n{}"),
}


@pytest.mark.parametrize("behaviour", NONSENSE.values(), ids=NONSENSE.keys())
def test_it_prints_nothing_when_the_daemon_talks_nonsense_and_says_that_it_will_not(
    home: Path, behaviour: Behaviour
) -> None:
    with daemon(home, behaviour) as running:
        assert is_harmless(run(home, "claude", "Stop"))

    assert running.afterwards == [b""]


def test_an_answer_that_comes_too_late_is_not_printed_and_the_daemon_can_tell(home: Path) -> None:
    def late(connection: socket.socket) -> None:
        # The hook has given up when it has closed its end.
        assert connection.recv(1) == b""
        with pytest.raises(BrokenPipeError):
            connection.sendall(b"5\nhello")

    with daemon(home, late) as running:
        assert is_harmless(run(home, "claude", "Stop"))

    assert running.afterwards == [b""]


@pytest.mark.parametrize("words", [(), ("claude",), ("claude", "Stop", "more"), ("\udcff", "\udcfe")])
def test_it_is_harmless_without_a_daemon_and_with_wrong_words(home: Path, words: tuple[str, ...]) -> None:
    assert is_harmless(run(home, *words))


@pytest.mark.parametrize(
    "stdin", [b"", b"no json", b"\x00\xff", b"[" * 100_000], ids=["empty", "text", "bytes", "deep"]
)
def test_whatever_the_agent_says_is_the_daemons_to_judge(home: Path, stdin: bytes) -> None:
    with daemon(home, answer(b"")) as running:
        assert is_harmless(run(home, "claude", "Stop", stdin=stdin))

    assert running.reports[0].endswith(stdin)


def test_a_socket_of_somebody_else_is_not_spoken_to(home: Path) -> None:
    (home / "run").mkdir()
    (home / "run/hooks.sock").symlink_to("/dev/null")

    assert is_harmless(run(home, "claude", "Stop"))


@pytest.fixture
def full_door(home: Path) -> Iterator[socket.socket]:
    """One stands before it already, and there is room for one."""
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(str(home / "door"))
        listener.listen(0)
        other.connect(str(home / "door"))
        yield listener


def test_where_others_stand_before_the_door_it_tries_again(
    home: Path, full_door: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_in = ExitStack()
    monkeypatch.setattr(time, "sleep", lambda seconds: let_in.enter_context(full_door.accept()[0]))

    with let_in, socket.socket(socket.AF_UNIX) as ours:
        hook._connect(ours, str(home / "door"), time.monotonic() + DEADLINE_S)
        ours.sendall(b"here")

        assert let_in.enter_context(full_door.accept()[0]).recv(10) == b"here"


def test_it_does_not_try_again_when_its_time_is_over(home: Path, full_door: socket.socket) -> None:
    with socket.socket(socket.AF_UNIX) as ours, pytest.raises(BlockingIOError):
        hook._connect(ours, str(home / "door"), time.monotonic())


def test_one_that_waits_does_so_beyond_the_deadline_of_others_and_wakes_its_agent(home: Path) -> None:
    def late(connection: socket.socket) -> None:
        connection.settimeout(3 * hook.DEADLINE_S)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(DEADLINE_S)
        connection.sendall(b"5\nhello")

    with daemon(home, late) as running:
        finished = run(home, "claude", hook.WAIT)

    assert (finished.returncode, finished.stdout, finished.stderr) == (2, b"", b"hello")
    assert running.afterwards == [b"+"]


@pytest.mark.parametrize("behaviour", [answer(b""), NONSENSE["less than it promised"]], ids=["nothing", "cut off"])
def test_one_that_waits_wakes_nobody_for_nothing(home: Path, behaviour: Behaviour) -> None:
    with daemon(home, behaviour):
        assert is_harmless(run(home, "claude", hook.WAIT))


PLACES: tuple[dict[str, str], ...] = (
    {"HARK_HOME": "/a/b"},
    {"XDG_RUNTIME_DIR": "/tmp"},
    {"XDG_RUNTIME_DIR": "relative"},
    {},
    {"HARK_HOME": ""},
)


@pytest.mark.parametrize("environment", PLACES)
def test_it_knows_the_socket_by_itself(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HARK_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert hook.socket_path() == str(paths.hooks_path())


def test_it_waits_for_its_answer_when_the_daemon_asks_it_to(home: Path) -> None:
    def asks_to_wait(connection: socket.socket) -> None:
        connection.sendall(b"wait\n")
        # The hook is still there when its usual time is over.
        connection.settimeout(4 * hook.DEADLINE_S)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(None)
        connection.sendall(b"5\nhello")

    with daemon(home, asks_to_wait) as running:
        finished = run(home, "claude", "PermissionRequest")

    assert (finished.returncode, finished.stdout) == (0, b"hello")
    assert running.afterwards == [b"+"]


def test_it_prints_nothing_when_the_daemon_dies_while_it_waits(home: Path) -> None:
    def dies(connection: socket.socket) -> None:
        connection.sendall(b"wait\n")
        connection.shutdown(socket.SHUT_WR)

    with daemon(home, dies):
        assert is_harmless(run(home, "claude", "PermissionRequest"))
