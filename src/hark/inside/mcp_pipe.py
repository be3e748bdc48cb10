"""`hark-mcp`: the pipe between an agent's stdin and stdout and the daemon's /mcp. Stdlib only: every agent runs one.

The pipe understands nothing of the tools, except that `spawn` starts a program, which needs the environment of its caller. Each line is a
request that goes to the daemon in an HTTP request of its own, on a thread of its own, since a tool may wait for minutes; the answer
becomes a line again. The pipe knows just enough of the protocol to fill the headers that HTTP wants, and adds the session that it runs
in. The daemon keeps nothing between two requests, so a restart of the daemon in between makes no difference.

A request that finds no daemon waits a moment for a daemon that is just being restarted, and then gets an error that says what to do.
"""

import contextlib
import json
import os
import socket
import sys
import threading
from collections.abc import Mapping
from time import monotonic, sleep
from typing import Any

from hark import instance, paths
from hark.environment import session_environment

PATIENCE_S = 2.0
"""How many seconds to wait for a daemon that is being restarted: it is back within this time."""
ANSWER_S = 660.0
"""How many seconds to wait for an answer: longer than any tool waits."""
GRACE_S = 5.0
"""How many seconds to wait for calls that are under way when stdin ends."""
POLL_S = 0.05

PARSE_ERROR, UNREACHABLE = -32700, -32000
ENVIRONMENT_KEY = "hark/environment"
"""The key of the environment in a call's `_meta`. The environment is not among the arguments, because those belong to the model."""
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
INHERITED = ("HARK_SESSION", "HARK_TOKEN", "HARK_AGENT_SOCKET", "HARK_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
ANCESTORS = 4

Json = dict[str, Any]


class Dropped(Exception):
    """The daemon went away before it answered."""


class Pipe:
    def __init__(self, session: str | None, environment: Mapping[str, str]) -> None:
        """`environment` is the environment of the agent. An agent that this agent starts by `spawn` will run in it."""
        self._session = session
        self._environment = environment
        self._version: str | None = None
        """The version of the protocol that `initialize` agreed on, for older agents whose requests do not name the version."""
        self._writing = threading.Lock()
        self._under_way: dict[str, socket.socket | None] = {}

    def run(self) -> None:
        threads: list[threading.Thread] = []
        for line in sys.stdin.buffer:
            if line.strip() and (thread := self._take(line)):
                threads = [one for one in threads if one.is_alive()] + [thread]
        deadline = monotonic() + GRACE_S
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))

    def _take(self, line: bytes) -> threading.Thread | None:
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("a line holds one request")
        except (ValueError, RecursionError) as wrong:
            self._write(error_line(None, PARSE_ERROR, f"this is not a JSON-RPC request: {wrong}"))
            return None
        if request.get("method") == "notifications/cancelled":
            self._cancel(request)
            return None
        if _is_spawn(request):
            line = self._with_environment(request)
        if (key := _key(request)) is not None:
            self._under_way[key] = None
        thread = threading.Thread(target=self._answer, args=(request, line), daemon=True)
        thread.start()
        return thread

    def _with_environment(self, request: Json) -> bytes:
        """Return the request with the environment that the agent which it starts needs: the daemon has another environment, because
        somebody else started it."""
        params = request["params"]
        meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
        params["_meta"] = meta | {ENVIRONMENT_KEY: session_environment(self._environment)}
        return json.dumps(request).encode() + b"\n"

    def _answer(self, request: Json, line: bytes) -> None:
        key = _key(request)
        answer = self._ask(request, line)
        # A request that was cancelled gets no answer, and neither does a notification.
        if key is not None and key in self._under_way:
            del self._under_way[key]
            self._write(answer)

    def _ask(self, request: Json, line: bytes) -> bytes:
        # A tool call is never repeated, because the tool may have done its work already; any other request can be.
        tries = 1 if request.get("method") == "tools/call" else 2
        for _ in range(tries):
            try:
                return self._understood(request, *self._exchange(request, line))
            except Dropped:
                detail = "the daemon went away before it answered: the call may have been carried out or not"
                hint = (
                    "look before you repeat it; check_inbox with again shows what was handed out and not acknowledged"
                )
            except OSError:
                detail, hint = "the daemon of hark is not running", "`hark daemon start` starts it; then try again"
                break
        return error_line(request.get("id"), UNREACHABLE, detail, "daemon-unreachable", hint)

    def _exchange(self, request: Json, line: bytes) -> tuple[int, bytes]:
        """Send one request, and return the status and the body of the answer."""
        head = "\r\n".join([*self._headers(request), f"Content-Length: {len(line)}", "", ""])
        with connect(monotonic() + PATIENCE_S) as daemon:
            key = _key(request)
            if key is not None and key in self._under_way:
                self._under_way[key] = daemon
            daemon.settimeout(ANSWER_S)
            try:
                daemon.sendall(head.encode() + line)
                return read_answer(daemon)
            except OSError as failure:
                raise Dropped from failure

    def _headers(self, request: Json) -> list[str]:
        params = request.get("params") or {}
        meta = params.get("_meta") or {} if isinstance(params, dict) else {}
        said = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        wanted = {"Hark-Session": self._session, "MCP-Protocol-Version": said or self._version}
        wanted |= instance.door().headers
        if said:
            method = request.get("method")
            wanted |= {"Mcp-Method": method, "Mcp-Name": params.get(NAMES.get(str(method), ""))}
        lines = ["POST /mcp HTTP/1.1", "Host: localhost", "Connection: close", "Content-Type: application/json"]
        lines.append("Accept: application/json, text/event-stream")
        return lines + [f"{name}: {value}" for name, value in wanted.items() if _is_plain(value)]

    def _understood(self, request: Json, status: int, body: bytes) -> bytes:
        """Return the line that answers the agent."""
        if status >= 400 or request.get("method") == "initialize":
            try:
                answer = json.loads(body)
            except ValueError:
                answer = {}
            if "jsonrpc" not in answer:
                detail, hint = answer.get("detail", f"the daemon answered with status {status}"), answer.get("hint", "")
                return error_line(request.get("id"), UNREACHABLE, detail, answer.get("code", "internal"), hint)
            self._version = (answer.get("result") or {}).get("protocolVersion") or self._version
        # JSON has line breaks only between its tokens, never inside a string, so a blank can replace each of them.
        return body.replace(b"\n", b" ") + b"\n"

    def _cancel(self, notification: Json) -> None:
        """End a call, so that the daemon hears that nobody listens any more."""
        connection = self._under_way.pop(json.dumps((notification.get("params") or {}).get("requestId")), None)
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _write(self, line: bytes) -> None:
        with self._writing:
            try:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            except OSError:
                os._exit(0)  # Nobody reads any more.


def connect(deadline: float) -> socket.socket:
    while True:
        daemon = socket.socket(socket.AF_UNIX)
        try:
            path = instance.door().path
            if not paths.socket_is_ours(path):
                raise FileNotFoundError
            daemon.connect(str(path))
            return daemon
        except OSError:
            daemon.close()
            if monotonic() >= deadline:
                raise
            sleep(POLL_S)


def read_answer(daemon: socket.socket) -> tuple[int, bytes]:
    received = b""
    while chunk := daemon.recv(65536):
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    length = next((line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b"0")
    if not head.startswith(b"HTTP/1.1 ") or len(body) != int(length):
        raise Dropped
    return int(head[9:12]), body


def error_line(request_id: Any, number: int, detail: str, code: str = "request-invalid", hint: str = "") -> bytes:
    message = f"{detail}; hint: {hint}" if hint else detail
    error = {"code": number, "message": message, "data": {"code": code, "hint": hint}}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode() + b"\n"


def _key(request: Json) -> str | None:
    """Return the key by which a request that is under way is found; None for a notification, which gets no answer."""
    return json.dumps(request["id"]) if "id" in request and "method" in request else None


def _is_spawn(request: Json) -> bool:
    params = request.get("params")
    return request.get("method") == "tools/call" and isinstance(params, dict) and params.get("name") == "spawn"


def _is_plain(value: object) -> bool:
    """Return True if the value can be the value of an HTTP header."""
    return isinstance(value, str) and value != "" and value.isascii() and value.isprintable()


def inherit(pid: int, environment: "os._Environ[str]") -> dict[str, str]:
    """Return the agent's environment, or as much of it as is known, and copy the variables that we need into `environment`. Some agents
    start their servers with next to no environment; then we find the variables in the environment of the agent's own process. An
    ancestor without a terminal is not an agent but a daemon that several agents share, which knows of none of them."""
    for _ in range(ANCESTORS):
        if environment.get("HARK_SESSION") or pid <= 1:
            break
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                found = dict(pair.split("=", 1) for pair in os.fsdecode(file.read()).split("\0") if "=" in pair)
            with open(f"/proc/{pid}/stat", "rb") as file:
                _, parent, _, _, terminal = file.read().rpartition(b")")[2].split()[:5]
        except (OSError, ValueError):
            break
        pid = int(parent)
        if "HARK_SESSION" in found and int(terminal) != 0:
            for name in INHERITED:
                if name in found:
                    environment.setdefault(name, found[name])
            return found
    return dict(environment)


def main() -> None:
    environment = inherit(os.getppid(), os.environ)
    with contextlib.suppress(KeyboardInterrupt):
        Pipe(os.environ.get("HARK_SESSION"), environment).run()
    os._exit(0)


if __name__ == "__main__":
    main()
