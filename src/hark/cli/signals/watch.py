"""hark watch: hear signals in the output of any command, such as a terminal on a host where hark cannot be installed."""

import contextlib
import os
import queue
import threading
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from hark.cli.client import Client, ConnectionDropped, segment
from hark.cli.settings import signal_namespaces
from hark.cli.signals.inner_terminal import Between
from hark.cli.text import one_line, say
from hark.model.errors import HarkError

if TYPE_CHECKING:
    from hark.signals.marker import Found, NearMiss

AWAY = ("daemon-unreachable", "daemon-not-started")
AGAIN_S = 2.0
"""The time between two attempts to reach a daemon that is away."""
LAST_WORDS_S = 5.0
"""How long to wait after the command's end until the daemon has heard all announcements."""
MOST_WAITING = 1000


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("-n", "--name", metavar="NAME", help="Session to announce the signals for.")
@click.option("-q", "--quiet", is_flag=True, help="Do not show the output of CMD.")
@click.argument("words", metavar="CMD…", nargs=-1, required=True, type=click.UNPROCESSED)
def command(name: str | None, quiet: bool, words: tuple[str, ...]) -> int:
    """Run CMD on a terminal of its own, pass on its output and what you type, and hear signals in its output.

    With -n, or inside a session, hark announces the signals for that session; otherwise it prints each on stderr. If
    there is no such session, CMD is not started. Nothing that happens to the daemon ends CMD: signals that come while
    the daemon is away are announced when it is back. This command ends with CMD's own exit code.

    \b
    Example:
      hark watch -n far -- ssh HOST tmux attach
      hark watch -q -- ./run-agent.sh
    """
    namespaces = signal_namespaces()
    own = os.environ.get("HARK_SESSION")
    teller = Teller(name or own, is_own_pane=not name and not quiet)
    teller.check()
    return watch(list(words), teller, namespaces, is_quiet=quiet)


def watch(words: list[str], teller: "Teller", namespaces: tuple[str, ...], *, is_quiet: bool) -> int:
    from hark.signals.detector import DRAWS, FLUSH_S, SignalDetector

    detector = SignalDetector(namespaces)

    def hear(data: bytes) -> None:
        teller.is_drawn = teller.is_drawn or DRAWS.search(data) is not None
        teller.tell(detector.feed(data))

    between = Between(hear, teller.typed, lambda: teller.tell(detector.flush()), FLUSH_S, is_shown=not is_quiet)
    exit_code = between.run(words)
    teller.tell(detector.flush())
    teller.close()
    return exit_code


class Teller:
    """Tells each signal once, to the daemon or on stderr. A program that draws may draw the same words again: they count once until
    the person presses Enter.

    A thread tells the daemon the signals in their order, so that the command's terminal goes on however long the daemon takes."""

    def __init__(self, session: str | None, *, is_own_pane: bool = False) -> None:
        self._session = session
        self._is_own_pane = is_own_pane
        """True if the output of the command appears in the session's own pane."""
        self._is_silent = False
        self._client = Client()
        self._told: set[str] = set()
        self._misses: Any = None
        self._waiting: queue.Queue[tuple[str, dict[str, Any]] | None] = queue.Queue(MOST_WAITING)
        self._lost = 0
        self._has_complained = False
        self._ends_at_s = float("inf")
        self._thread: threading.Thread | None = None
        self.is_drawn = False

    def check(self) -> None:
        """Raise session-not-found before the command starts. If the daemon is away, only say so, because it may come back."""
        if not self._session:
            return
        try:
            session = self._client.get(f"/sessions/{segment(self._session)}")
        except HarkError as failure:
            if failure.code not in AWAY:
                raise
            self._complain(failure)
            return
        if session["state"] == "gone":
            raise HarkError("session-not-found", f"{session['name']} is gone", "`hark ls --all` shows what there was")
        self._session = session["id"]
        # The daemon itself reads the pane of a program that it does not know, so this command must not tell its signals again.
        self._is_silent = self._is_own_pane and session["agent"] == "generic"

    def typed(self, data: bytes) -> None:
        if b"\r" in data or b"\n" in data:
            self._told.clear()

    def tell(self, found: "list[Found]") -> None:
        from hark.signals.marker import Marker

        for one in found if not self._is_silent else ():
            if not isinstance(one, Marker):
                self._tell_miss(one)
            elif not (self.is_drawn and one.fingerprint in self._told):
                self._told.add(one.fingerprint)
                self._tell_signal(str(one.state), one.text)

    def close(self) -> None:
        """Wait a moment until the daemon has heard the remaining announcements, and say how many did not reach it."""
        if self._thread is None:
            return
        self._ends_at_s = monotonic() + LAST_WORDS_S
        self._put(None)
        self._thread.join(LAST_WORDS_S + 1.0)
        left = self._lost + self._waiting.qsize() - (1 if not self._waiting.empty() else 0)
        if left or self._thread.is_alive():
            _say(f"hark watch: {max(1, left)} announcements did not reach the daemon")

    def _tell_signal(self, state: str, text: str) -> None:
        if self._session:
            self._put(("signal", {"state": state, "text": text, "source": "terminal"}))
        else:
            _say(f"hark: signal {state}: {one_line(text)}")

    def _tell_miss(self, miss: "NearMiss") -> None:
        from hark.signals.near_misses import NearMissLog

        now_s = monotonic()
        self._misses = self._misses or NearMissLog(now_s)
        self._misses.end_hour(now_s)
        if not self._misses.admit(miss):
            return
        if self._session:
            self._put(("near-miss", {"line": miss.line, "why": miss.why, "is_mention": miss.is_mention}))
        elif not miss.is_mention:
            _say(f"hark: potential missed signal: {one_line(miss.line)}: {miss.why}")

    def _put(self, item: tuple[str, dict[str, Any]] | None) -> None:
        try:
            self._waiting.put_nowait(item)
        except queue.Full:
            self._lost += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while item := self._waiting.get():
            self._post_until_told(*item)

    def _post_until_told(self, call: str, body: dict[str, Any]) -> None:
        asked_at = datetime.now(UTC)
        while True:
            try:
                self._client.post(f"/sessions/{segment(self._session or '')}/{call}", body)
                return
            except ConnectionDropped as failure:
                self._complain(failure)
                if call == "near-miss" or self._is_told(body, asked_at):
                    return
            except HarkError as failure:
                self._complain(failure)
                if failure.code not in AWAY:
                    self._lost += 1
                    return
            if monotonic() + AGAIN_S >= self._ends_at_s:
                self._lost += 1
                return
            threading.Event().wait(AGAIN_S)

    def _is_told(self, body: dict[str, Any], asked_at: datetime) -> bool:
        """Return True if a daemon that went away before it answered has recorded the signal."""
        try:
            session = self._client.get(f"/sessions/{segment(self._session or '')}")
        except HarkError:
            return False
        said = (session["signal_state"], session["signal_text"]) == (body["state"], body["text"])
        return said and datetime.fromisoformat(session["last_signal_at"]) >= asked_at

    def _complain(self, failure: HarkError) -> None:
        if not self._has_complained:
            self._has_complained = True
            _say(
                f"hark watch: {failure.detail}; the command goes on, and hark announces its signals when the daemon is back"
            )


def _say(text: str) -> None:
    """Print a line on stderr, also while the person's terminal is in raw mode."""
    with contextlib.suppress(OSError):
        say(text, is_raw=os.isatty(2))
