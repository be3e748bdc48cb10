"""A daemon of the benchmark's own, in a throw-away HARK_HOME, and how numbers are told."""

import contextlib
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PROGRAMS = Path(sys.executable).parent


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("hark")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))


class Stage:
    def __init__(self, home: Path, programs: Path = PROGRAMS) -> None:
        self.home = home
        self.programs = programs
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HARK_", "TMUX"))}
        self.environment = kept | {"HARK_HOME": str(home), "HARK_TMUX_CONFIG": "/dev/null", "HARK_LOG_LEVEL": "warning"}
        self.tmux = home / "run" / "tmux"

    def hark(self, *words: str) -> str:
        return subprocess.run(
            [self.programs / "hark", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout.strip()

    def connection(self) -> UnixConnection:
        return UnixConnection(self.home / "run" / "hark.sock")

    def call(self, connection: UnixConnection, method: str, path: str, body: Any = None) -> Any:
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status >= 400:
            raise RuntimeError(answer)
        return answer

    def daemon_pid(self) -> int:
        return int((self.home / "run" / "hark.lock").read_text())


@contextlib.contextmanager
def stage(serve_command: str = "", programs: Path = PROGRAMS) -> Iterator[Stage]:
    """Run a daemon by the programs in that directory. `serve_command` is started instead of `hark serve`."""
    home = Path(tempfile.mkdtemp(prefix="hk", dir="/tmp"))
    made = Stage(home, programs)
    if serve_command:
        made.environment["HARK_SERVE_COMMAND"] = serve_command
    try:
        made.hark("daemon", "start")
        yield made
    finally:
        subprocess.run(
            [programs / "hark", "daemon", "stop"], env=made.environment, capture_output=True, timeout=60, check=False
        )
        subprocess.run(
            ["tmux", "-S", made.tmux, "kill-server"], env=made.environment, capture_output=True, timeout=60, check=False
        )
        shutil.rmtree(home, ignore_errors=True)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def tell(what: str, seconds: Sequence[float]) -> None:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    print(
        f"  {what:<46} median {statistics.median(ordered) * 1000:8.2f} ms   p95 {p95 * 1000:8.2f} ms   n {len(ordered)}",
        flush=True,
    )
