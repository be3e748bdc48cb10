"""hark as a user runs it: the real command, the real daemon, real tmux, in a home that exists for one test.

Nothing of it outlives the test, also when the test fails: the daemon is stopped (by its pid if it will not go), the tmux
server is ended by its socket, the home is removed. And nothing may go wrong unseen: a traceback in the daemon's log or
anything on its stderr fails the test, whatever else it says.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import quote

from tests.integration.end_to_end.calling import Answer, UnixConnection, call
from tests.integration.end_to_end.following import Following
from tests.support.terminals import wait_until

HARK = str(Path(sys.executable).with_name("hark"))
DEADLINE_S = 90.0

# The command that hark itself starts, but with its warnings and whatever else it says kept in a file. The connection to a
# tmux server that was killed is closed by the garbage collector.
_WARNINGS = "-W default -W 'ignore:unclosed transport:ResourceWarning'"
_SERVE = f'exec "$0" {_WARNINGS} -m hark.cli.main serve "$@" 2>>"$HARK_HOME/stderr"'

Fields = dict[str, Any]


class Refusal(NamedTuple):
    exit_code: int
    code: str
    detail: str
    hint: str


class RunningHark:
    def __init__(self, **settings: str) -> None:
        """`settings` are HARK_* variables, by their names in lower case."""
        # A socket path has room for about 100 bytes, which pytest's own temporary directories can exceed.
        self.home = Path(tempfile.mkdtemp(prefix="hk", dir="/tmp"))
        self.socket = self.home / "run/hark.sock"
        self.tmux_socket = self.home / "run/tmux"
        self.state = self.home / "state"
        self.database = self.state / "hark.db"
        self.runtime_lock = self.home / "run/hark.lock"
        self.environment = clean_environment() | {
            "HARK_HOME": str(self.home),
            "HARK_TMUX_CONFIG": "/dev/null",
            "HARK_SERVE_COMMAND": shlex.join(["sh", "-c", _SERVE, sys.executable]),
        }
        self.set(**settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        complaints = self.close()
        if error is None:
            assert not complaints, f"the daemon complained:\n{complaints}"

    def set(self, **settings: str) -> None:
        self.environment |= {f"HARK_{name.upper()}": value for name, value in settings.items()}

    def run(
        self, *arguments: str, stdin: str | bytes = b"", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        finished = subprocess.run(
            [HARK, *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**self.environment, **(environment or {})},
            timeout=DEADLINE_S,
            check=False,
        )
        words = (finished.stdout.decode(), finished.stderr.decode())
        return subprocess.CompletedProcess(finished.args, finished.returncode, *words)

    def ok(self, *arguments: str, stdin: str | bytes = b"", environment: Mapping[str, str] | None = None) -> str:
        """What it prints; it must succeed."""
        finished = self.run(*arguments, stdin=stdin, environment=environment)
        if finished.returncode != 0:
            raise AssertionError(f"hark {shlex.join(arguments)[:200]}: {finished.returncode}\n{finished.stderr}")
        return finished.stdout

    def json(self, *arguments: str, stdin: str | bytes = b"", environment: Mapping[str, str] | None = None) -> Any:
        return json.loads(self.ok(*with_json(arguments), stdin=stdin, environment=environment))

    def refused(
        self, *arguments: str, stdin: str | bytes = b"", environment: Mapping[str, str] | None = None
    ) -> Refusal:
        """It must fail, and its words for people must be the same as those for programs."""
        finished = self.run(*with_json(arguments), stdin=stdin, environment=environment)
        assert finished.returncode != 0, finished.stdout
        assert finished.stdout == ""
        problem = json.loads(finished.stderr)
        return Refusal(finished.returncode, problem["code"], problem["detail"], problem["hint"])

    def follow(self, *arguments: str) -> Following:
        """A command that goes on, such as `hark events -f`."""
        return Following([HARK, *arguments], self.environment)

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-S", str(self.tmux_socket), *arguments]
        finished = subprocess.run(
            command, capture_output=True, encoding="utf-8", env=self.environment, timeout=DEADLINE_S, check=False
        )
        if finished.returncode != 0:
            raise AssertionError(f"tmux {shlex.join(arguments)}: {finished.stderr.strip()}")
        return finished.stdout

    def api(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Answer:
        return call(UnixConnection(self.socket), method, path, body, headers)

    def message(self, message_id: str) -> Fields:
        return dict(self.api("GET", f"/messages/{message_id}").json)

    def describe_demo(
        self, carriers: str | None = None, *, lines: str = "logical", prefers_editor: bool = False, more: str = ""
    ) -> None:
        """A data file of the user's own for the demo agent, with these sections for its carriers and more top-level fields; before
        the daemon starts."""
        text = (resources.files("hark.agents") / "demo" / "kind.toml").read_text()
        head, box, rest = text.partition("[box]")
        look, stash, usual = rest.partition("[stash]")
        preference = f'prefers_editor = {str(prefers_editor).lower()}\nlines = "{lines}"\n' + more
        place = self.home / "config/agents"
        place.mkdir(parents=True)
        (place / "demo.toml").write_text(
            head + preference + box + look + (stash + usual if carriers is None else carriers)
        )

    def wait_end(self, message_id: str) -> str:
        """The status with which nothing more happens to the message by itself."""
        ends = ("completed", "interrupted", "failed", "uncertain", "expired", "cancelled", "dead")

        def end() -> str | None:
            try:
                message = self.message(message_id)
            except OSError:
                # No daemon is there: a command starts one.
                message = self.json("show", message_id)
            status: str = message["status"]
            return status if status in ends else None

        return wait_until(end, DEADLINE_S, f"{message_id} to end", lambda: self.message(message_id)) or ""

    def wait_status(self, message_id: str, status: str, reason: str | None = None) -> Fields:
        """Until the message has that status now, and is held for that reason."""

        def current() -> Fields | None:
            message = self.message(message_id)
            return message if (message["status"], message["reason"]) == (status, reason) else None

        wanted = f"{message_id} to be {status} ({reason})"
        found = wait_until(current, DEADLINE_S, wanted, lambda: json.dumps(self.message(message_id), indent=1))
        assert found is not None
        return found

    def wait_reached(self, message_id: str, goal: str) -> Fields:
        """Until the message is that, or past it: an agent may say more before anybody has asked."""
        order = ("submitted", "acknowledged", "completed")
        story = lambda: json.dumps(self.message(message_id), indent=1)  # noqa: E731
        wait_until(
            lambda: self.message(message_id)["status"] in order[order.index(goal) :],
            DEADLINE_S,
            f"{message_id} to be {goal} at least",
            story,
        )
        return self.message(message_id)

    def session(self, name: str) -> Fields:
        return dict(self.api("GET", f"/sessions/{quote(name, safe='')}").json)

    def wait_gone(self, name: str) -> Fields:
        wait_until(lambda: self.session(name)["state"] == "gone", DEADLINE_S, f"{name} to be gone", self.log)
        return self.session(name)

    def wait_keys_flow(self, name: str = "a") -> None:
        """Until the airlock of a session holds nothing and has nothing to replay: it drops an Enter that comes in the second after an
        answer from elsewhere."""

        def facts() -> Fields:
            with socket.socket(socket.AF_UNIX) as airlock:
                airlock.connect(self.session(name)["airlock"])
                airlock.sendall(b'{"op":"facts"}\n')
                return dict(json.loads(airlock.makefile().readline()))

        def flows() -> bool:
            seen = facts()
            return seen["hold"] is None and seen["held_bytes"] == 0

        wait_until(flows, DEADLINE_S, "the keys to flow again", facts)

    def daemon_pid(self) -> int | None:
        """None when no daemon holds the lock, whatever pid stands in its file."""
        try:
            with open(self.runtime_lock) as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    return int(lock.read() or 0) or None
        except (FileNotFoundError, NotADirectoryError):
            pass
        return None

    def kill_daemon(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Returns when it is gone."""
        pid = wait_until(self.daemon_pid, DEADLINE_S, "a daemon to kill")
        assert pid is not None
        os.kill(pid, number)
        # Another one may have come by then: a command that finds none starts one, and that may wait for the lock already.
        wait_until(lambda: self.daemon_pid() != pid, DEADLINE_S, f"daemon {pid} to end")

    def log(self) -> list[Fields]:
        with suppress(FileNotFoundError, NotADirectoryError):
            text = (self.state / "hark.log").read_text()
            return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return []

    def close(self) -> str:
        """Ends everything; answers what the daemon complained about."""
        try:
            with suppress(subprocess.TimeoutExpired):
                self.run("daemon", "stop", environment={"HARK_NO_AUTOSTART": "1"})
            if self.daemon_pid():
                self.kill_daemon()
            with suppress(AssertionError):
                self._end_control_clients()
                self.tmux("kill-server")
            return self._complaints()
        finally:
            wait_until(self._is_removed, DEADLINE_S, f"{self.home} to be removed")

    def _end_control_clients(self) -> None:
        """Those of killed daemons: tmux would wait for them."""
        for pid in self.tmux("list-clients", "-F", "#{?client_control_mode,#{client_pid},}").split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def _complaints(self) -> str:
        try:
            said = (self.home / "stderr").read_text()
        except (FileNotFoundError, NotADirectoryError):
            said = ""
        # What `hark serve` says to people when it refuses to start is no complaint.
        unasked = [line for line in said.splitlines() if not line.startswith(("hark: ", "  hint: ", "hark is ready"))]
        return "\n".join(unasked + [str(line) for line in self.log() if "error" in line])

    def _is_removed(self) -> bool:
        """An agent that is just ending may still write a file while we remove."""
        if self.home.is_dir():
            shutil.rmtree(self.home, ignore_errors=True)
        else:
            self.home.unlink(missing_ok=True)
        return not self.home.exists()


def with_json(arguments: tuple[str, ...]) -> list[str]:
    """The option after the command's name: what follows `--` is data."""
    name_ends = 2 if arguments[0] in ("daemon", "dashboard") and len(arguments) > 1 else 1
    return [*arguments[:name_ends], "--json", *arguments[name_ends:]]


def clean_environment() -> dict[str, str]:
    """This process's environment without what would lead hark or tmux to the user's own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HARK_", "TMUX", "XDG_", "LC_"))}
    return {**kept, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
