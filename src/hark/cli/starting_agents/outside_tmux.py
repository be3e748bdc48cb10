"""hark run outside tmux: show a session in this terminal as if its program ran right here.

tmux draws, in a child process. For the shell, this process takes the place of the plain program: it passes signals on to the
agent, stops when the agent stops (Ctrl-Z), continues the agent when the shell continues this process, and ends as the agent
ended, with the agent's last lines left in the terminal. The airlock reports what the agent does (its operation `watch`).

The child has a process group of its own, so that the shell continues this process alone: a tmux client that wakes up in the
background would draw over the shell.
"""

import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic, sleep
from typing import Any, NoReturn

from hark.cli.sessions.attach import attach, attach_command
from hark.cli.text import say
from hark.inside.airlock import end_like

FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
CONNECT_S = 5.0
"""How long to wait for the airlock, which listens only a moment after its pane has opened."""
CLIENT_S = 3.0
"""How long a tmux client may take to stop or to end."""
SIZE_S = 1.0
MOST_LINES = 2000
"""How many lines of the program's output from above the screen stay in the terminal when the program ends."""
_POLL_S = 0.01
_COMMAND_S = 5.0
_CHUNK = 65536
_SGR = re.compile(r"\x1b\[[0-9;:]*m")


class EarlySignals:
    """Remembers the signals that ask this process to end while its session starts: they are meant for the agent, which cannot get
    them yet. Without this class, a terminal that is closed at this moment would leave an agent that nobody sees."""

    NUMBERS = (signal.SIGHUP, signal.SIGTERM)

    def __init__(self) -> None:
        self.arrived: list[int] = []
        self._before = {number: signal.getsignal(number) for number in self.NUMBERS}
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, lambda number, frame: self.arrived.append(number))

    def give_back(self) -> None:
        """Restore the signal handlers and send this process the remembered signals, because nobody passes them on to an agent."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for arrived in self.arrived:
            os.kill(os.getpid(), arrived)


def show(session: Mapping[str, Any], early: EarlySignals) -> NoReturn:
    """Show the session in this terminal and never return: end as the session's program ends, or with 0 when the human detaches."""
    watch = _connect(session.get("airlock"))
    if watch is None:
        early.give_back()
        attach(session)
    Foreground(session, watch, early).run()


class Foreground:
    def __init__(self, session: Mapping[str, Any], watch: socket.socket, early: EarlySignals) -> None:
        self._session = session
        self._watch = watch
        self._early = early
        self._received = b""
        self._terminal = _terminal_name()
        self._client: subprocess.Popen[bytes] | None = None
        self._airlock = 0

    def run(self) -> NoReturn:
        self._ask("watch")
        facts = self._hear()
        if facts is None:
            self._early.give_back()
            attach(self._session)
        self._airlock = facts["airlock_pid"]
        if facts["status"] is not None:
            self._end(facts["status"])
        wakeup = self._take_signals()
        self._client = self._start_client()
        with selectors.DefaultSelector() as selector:
            selector.register(self._watch, selectors.EVENT_READ)
            selector.register(wakeup, selectors.EVENT_READ)
            if facts["is_stopped"]:
                self._stop()
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._watch:
                        self._on_news(self._hear())
                    else:
                        self._on_signals(wakeup.recv(_CHUNK))

    def _take_signals(self) -> socket.socket:
        wakeup, told = socket.socketpair()
        told.setblocking(False)
        signal.set_wakeup_fd(told.detach(), warn_on_full_buffer=False)
        for number in FORWARDED:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda number, frame: self._signal_agent(number))
        for number in (signal.SIGCHLD, signal.SIGWINCH):
            signal.signal(number, lambda number, frame: None)
        for arrived in self._early.arrived:
            self._signal_agent(arrived)
        return wakeup

    def _start_client(self) -> "subprocess.Popen[bytes]":
        words, environment = attach_command(self._session, os.environ)
        # The tmux client draws on its stdin; its stdout would only show the line with which it ends.
        return subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, process_group=0)

    def _on_signals(self, numbers: bytes) -> None:
        assert self._client
        if signal.SIGWINCH in numbers:
            with suppress(ProcessLookupError):
                self._client.send_signal(signal.SIGWINCH)
        if self._client.poll() is not None:
            self._leave()

    def _on_news(self, news: dict[str, Any] | None) -> None:
        if news is None:
            self._leave()
        elif news.get("event") == "ended":
            self._end(news["status"])
        elif news.get("event") == "stopped":
            self._stop()

    def _leave(self) -> NoReturn:
        """End this process when the tmux client or the airlock has gone: the agent has just ended, the human has detached, or somebody
        has ended the session from outside."""
        self._ask("facts")
        while (news := self._hear()) is not None:
            if news.get("event") == "ended":
                self._end(news["status"])
            if news.get("is_running"):
                say(
                    f"{self._session['name']} goes on without this terminal; `hark attach {self._session['name']}` shows it"
                )
                sys.exit(0)
        self._end_client()
        say(f"hark run: {self._session['name']} was ended from outside")
        sys.exit(1)

    def _stop(self) -> None:
        """Hand the terminal back to the shell until the shell continues this process; then continue the agent."""
        words = self._capture(history=0)
        self._tmux("suspend-client", "-t", self._terminal)
        self._await_client()
        _print(words)
        before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        # Stop the whole job, as the terminal does on Ctrl-Z. The kernel ignores this if no shell could ever continue the job.
        os.killpg(0, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, before)
        while not _has_terminal():
            # `bg` has continued this process. The kernel would stop the plain program for drawing in the background.
            os.kill(os.getpid(), signal.SIGSTOP)
        if self._client:
            with suppress(ProcessLookupError):
                self._client.send_signal(signal.SIGCONT)
                self._client.send_signal(signal.SIGWINCH)
        self._await_size()
        self._signal_agent(signal.SIGCONT)

    def _end(self, status: int) -> NoReturn:
        """Print the agent's last lines and end as the agent ended. The airlock keeps the pane until this process has read it."""
        words = self._capture(MOST_LINES)
        self._end_client()
        self._watch.close()
        _print(words)
        end_like(status)

    def _end_client(self) -> None:
        if self._client is None:
            return
        self._tmux("detach-client", "-t", self._terminal)
        try:
            self._client.wait(CLIENT_S)
        except subprocess.TimeoutExpired:
            self._client.terminate()
            self._client.wait(CLIENT_S)

    def _await_client(self) -> None:
        """Wait until the tmux client has stopped; the client hands the terminal back before it stops."""
        assert self._client
        until = monotonic() + CLIENT_S
        wanted = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
        while os.waitid(os.P_PID, self._client.pid, wanted) is None and monotonic() < until:
            sleep(_POLL_S)

    def _await_size(self) -> None:
        """Wait until the agent's terminal has the size of this terminal, so that the agent finds the right size when it goes on.

        tmux may take a moment. Give up after SIZE_S: another tmux client may keep the size different."""
        size, until = os.get_terminal_size(0), monotonic() + SIZE_S
        while monotonic() < until:
            self._ask("facts")
            facts = self._hear()
            if facts is None or "event" in facts:
                self._on_news(facts)
                return
            if (facts["columns"], facts["rows"]) == tuple(size):
                return
            sleep(_POLL_S)

    def _signal_agent(self, number: int) -> None:
        """Send a signal to the agent's airlock, which passes it on to the agent."""
        with suppress(ProcessLookupError):
            os.kill(self._airlock, number)

    def _capture(self, history: int) -> str:
        """Return the text of the pane with its colours, preceded by at most `history` lines from above the screen."""
        text = self._tmux("capture-pane", "-p", "-e", "-J", "-S", str(-history), "-t", self._session["pane_id"])
        lines = text.split("\n")
        while lines and not _SGR.sub("", lines[-1]).strip():
            lines.pop()
        return "\n".join(line.rstrip(" ") for line in lines)

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-u", "-S", str(self._session["socket"]), *words]
        with suppress(OSError, subprocess.TimeoutExpired):
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_COMMAND_S, check=False
            ).stdout  # fmt: skip
        return ""

    def _ask(self, operation: str) -> None:
        with suppress(OSError):
            self._watch.sendall(json.dumps({"op": operation}).encode() + b"\n")

    def _hear(self) -> dict[str, Any] | None:
        """Return the airlock's next line, decoded; None if the airlock has gone."""
        while b"\n" not in self._received:
            try:
                data = self._watch.recv(_CHUNK)
            except OSError:
                data = b""
            if not data:
                return None
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        news: dict[str, Any] = json.loads(line)
        return news


def _connect(path: str | None) -> socket.socket | None:
    """Connect to the airlock at the path; return None if none listens there within CONNECT_S."""
    until = monotonic() + CONNECT_S
    while path and monotonic() < until:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            sleep(_POLL_S)
    return None


def _terminal_name() -> str:
    """Return the path of this terminal; if the terminal was closed, a name that no tmux client has."""
    try:
        return os.ttyname(0)
    except OSError:
        return "closed"


def _has_terminal() -> bool:
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return True


def _print(words: str) -> None:
    if words:
        with suppress(OSError):
            sys.stdout.write(words + ("\x1b[0m" if "\x1b" in words else "") + "\n")
            sys.stdout.flush()
