"""Speaks HTTP/1.1 over the daemon's unix socket: one connection per request, and no more of the protocol than the daemon speaks.

It is written by hand because `http.client` imports the email package and ssl, which costs more start-up time than the rest of
`hark send` together. A request has one deadline for the whole exchange; a stream has a deadline for its head only.
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

from hark import __version__, instance, paths
from hark.cli.outdated import is_daemon_outdated
from hark.model.errors import CODES, HarkError
from hark.model.text.versions import is_older

ANSWER_S = 30.0
_REPEATS = 4
"""How often to repeat a repeatable request when the daemon dies before it has answered; each time a new daemon has to start."""
_CHUNK = 65536
_CROWD_POLL_S = 0.01


class ConnectionDropped(HarkError):
    """The connection broke before the answer came, so the request may or may not have been carried out."""

    def __init__(self) -> None:
        super().__init__("daemon-unreachable", "the daemon went away before it answered", "`hark logs` may say why")


class Answer:
    """A response whose head has been read; the body is still on its way."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline: float | None = deadline
        self._buffer = b""
        version, _, rest = self._line().partition(b" ")
        if not version.startswith(b"HTTP/1."):
            raise HarkError("daemon-unreachable", "the program on the daemon's socket does not speak HTTP")
        self.status = int(rest[:3])
        self.headers: dict[bytes, bytes] = {}
        while line := self._line():
            name, _, value = line.partition(b":")
            self.headers[name.strip().lower()] = value.strip().lower()

    def body(self) -> bytes:
        return b"".join(self.pieces())

    def pieces(self, *, forever: bool = False) -> Iterator[bytes]:
        """Yield the pieces of the body as they arrive. With `forever` a piece may take as long as it likes."""
        if forever:
            self._deadline = None
        if self.headers.get(b"transfer-encoding") == b"chunked":
            while size := int(self._line().partition(b";")[0], 16):
                yield self._exactly(size)
                self._line()
        elif b"content-length" in self.headers:
            yield self._exactly(int(self.headers[b"content-length"]))

    def _line(self) -> bytes:
        while b"\n" not in self._buffer:
            self._receive()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.rstrip(b"\r")

    def _exactly(self, size: int) -> bytes:
        pieces, missing = [self._buffer], size - len(self._buffer)
        while missing > 0:
            self._buffer = b""
            self._receive()
            pieces.append(self._buffer)
            missing -= len(self._buffer)
        whole = b"".join(pieces)
        self._buffer = whole[size:]
        return whole[:size]

    def _receive(self) -> None:
        self._connection.settimeout(_time_left_s(self._deadline))
        received = self._connection.recv(_CHUNK)
        if not received:
            raise ConnectionDropped
        self._buffer += received


class Client:
    """Sends requests to the daemon, and starts the daemon if it is not running, unless `starts_daemon` is off."""

    _has_looked = False
    """True if this process has already checked whether the daemon is outdated: one check is enough."""

    def __init__(self, *, starts_daemon: bool = True, answer_s: float = ANSWER_S) -> None:
        self._starts_daemon = starts_daemon and os.environ.get("HARK_NO_AUTOSTART") != "1"
        self._answer_s = answer_s

    def get(self, path: str, *, answer_s: float | None = None) -> Any:
        return self._ask("GET", path, None, {}, answer_s, is_repeatable=True)

    def post(
        self, path: str, body: object = None, *, idempotency_key: str | None = None, answer_s: float | None = None
    ) -> Any:
        """Send a request. A request with an idempotency key is repeated if the connection drops: the daemon recognises it by its key."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._ask("POST", path, body or {}, headers, answer_s, is_repeatable=bool(idempotency_key))

    def patch(self, path: str, body: object) -> Any:
        return self._ask("PATCH", path, body, {}, None, is_repeatable=False)

    def delete(self, path: str) -> Any:
        return self._ask("DELETE", path, None, {}, None, is_repeatable=False)

    def stream(self, path: str) -> Iterator[bytes]:
        """Send the request at once, so that nothing printed after this call is missed; return the pieces of the answer as they arrive."""
        connection = self.connect()
        try:
            answer = _exchange(connection, _request("GET", path, None, {}), self._answer_s)
        except BaseException:
            connection.close()
            raise
        return _follow(connection, answer)

    def connect(self) -> socket.socket:
        if self._starts_daemon and not Client._has_looked:
            Client._has_looked = True
            if is_daemon_outdated():
                from hark.cli.restart import upgrade

                upgrade()
        try:
            return connect(self._answer_s)
        except HarkError as error:
            if error.code != "daemon-unreachable" or not self._starts_daemon:
                raise
        from hark.cli.launch import start_and_connect

        return start_and_connect()

    def _ask(
        self,
        method: str,
        path: str,
        body: object,
        headers: Mapping[str, str],
        answer_s: float | None,
        *,
        is_repeatable: bool,
    ) -> Any:
        request = _request(method, path, body, headers)
        for _ in range(_REPEATS if is_repeatable else 0):
            try:
                return self._ask_once(request, answer_s or self._answer_s)
            except ConnectionDropped:
                continue
        return self._ask_once(request, answer_s or self._answer_s)

    def _ask_once(self, request: bytes, answer_s: float) -> Any:
        with self.connect() as connection, _foreign_errors_translated(answer_s):
            return json.loads(_exchange(connection, request, answer_s).body())


def segment(text: str) -> str:
    """Quote one segment of a path, because session names may contain a slash."""
    return quote(text, safe="")


def connect(timeout_s: float = ANSWER_S) -> socket.socket:
    path = instance.door().path
    if paths.is_foreign_socket(path):
        raise HarkError("directory-unsafe", f"{path} is not a socket of yours", f"check who owns {path.parent}")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        _connect_in_the_crowd(connection, str(path), monotonic() + timeout_s)
    except OSError as error:
        connection.close()
        raise HarkError("daemon-unreachable", "the daemon is not running", "`hark daemon start` starts it") from error
    return connection


def _connect_in_the_crowd(connection: socket.socket, path: str, deadline: float) -> None:
    """Connect, and try again until the deadline if the queue of callers is full: a unix socket then refuses at once instead of waiting."""
    while True:
        try:
            return connection.connect(path)
        except BlockingIOError:
            if monotonic() >= deadline:
                raise
            sleep(_CROWD_POLL_S)


def problem(status: int, body: bytes, version: str | None = __version__) -> HarkError:
    """Return the error for a refusal of the daemon. `version` is the daemon's version; None if the daemon does not tell it."""
    error = _read_error(status, body)
    if error.code not in ("request-invalid", "route-not-found", "method-not-allowed") or version == __version__:
        return error
    if version is not None and not is_older(version, __version__):
        who = f"the running daemon has another version ({version}) than this hark ({__version__})"
        return HarkError(error.code, f"{error.detail}; {who}", "use the same version for both")
    known = f" ({version})" if version else ""
    who = f"the running daemon{known} is older than this hark ({__version__})"
    return HarkError(
        error.code, f"{who} and did not understand: {error.detail}", "`hark daemon restart` starts the newer version"
    )


def _read_error(status: int, body: bytes) -> HarkError:
    try:
        fields = json.loads(body)
        code, detail, hint = fields["code"], fields["detail"], fields.get("hint") or ""
    except (ValueError, KeyError, TypeError):
        return HarkError("internal", f"the daemon answered with status {status}", "`hark logs` may say why")
    return HarkError(code if code in CODES else "internal", detail, hint)


def _request(method: str, path: str, body: object, headers: Mapping[str, str]) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", "Accept: application/json"]
    lines.append(f"Hark-Version: {__version__}")
    lines += [f"{name}: {value}" for name, value in (instance.door().headers | dict(headers)).items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


def _exchange(connection: socket.socket, request: bytes, answer_s: float) -> Answer:
    deadline = monotonic() + answer_s
    with _foreign_errors_translated(answer_s):
        connection.settimeout(answer_s)
        connection.sendall(request)
        answer = Answer(connection, deadline)
        if answer.status >= 400:
            version = answer.headers.get(b"hark-version")
            raise problem(answer.status, answer.body(), version.decode("latin-1") if version else None)
        return answer


def _follow(connection: socket.socket, answer: Answer) -> Iterator[bytes]:
    with connection, _foreign_errors_translated(ANSWER_S):
        yield from answer.pieces(forever=True)


@contextmanager
def _foreign_errors_translated(answer_s: float) -> Iterator[None]:
    try:
        yield
    except ConnectionError as error:
        raise ConnectionDropped from error
    except TimeoutError as error:
        detail = f"the daemon did not answer within {answer_s:g}s"
        raise HarkError("daemon-unreachable", detail, "`hark logs` may say why") from error


def _time_left_s(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left
