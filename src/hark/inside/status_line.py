"""`hark status-line` without options: this program prints the daemon's words for a status line, such as "2 need you · 5 working".

A status line runs it every second, so it imports next to nothing, and asks the daemon one short question. It prints nothing if there is
nothing to say, if no daemon runs, or if the daemon does not answer in time. It never starts a daemon, and always exits 0: an error
would stand in the status line for as long as it lasts.
"""

import os
import stat
import sys

from hark.inside import hook

try:
    import _socket as socket  # This import costs a tenth of `import socket`.
except ImportError:
    import socket  # type: ignore[no-redef]

ANSWER_S = 0.5
"""How long the daemon may take for each step of the answer."""
LONGEST = 4096
"""The largest number of bytes that are read from the daemon."""


def main() -> int:
    try:
        words = segment(_ask(*door()))
    except (OSError, ValueError):
        return 0
    if words:
        sys.stdout.buffer.write(words.encode() + b"\n")
        sys.stdout.flush()
    return 0


def door() -> tuple[str, str]:
    """Return the same as `instance.door`, without importing it: the path of the daemon's socket, and the token to show there or ""."""
    token, path = os.environ.get("HARK_TOKEN", ""), os.environ.get("HARK_AGENT_SOCKET", "")
    home, runtime = os.environ.get("HARK_HOME"), os.path.dirname(hook.socket_path())
    if not token or not path.startswith("/") or (home and not path.startswith(os.path.abspath(home) + "/")):
        return os.path.join(runtime, "hark.sock"), ""
    return path if os.path.exists(path) else os.path.join(runtime, "agent.sock"), token


def segment(answer: bytes) -> str:
    """Return the words in an answer of the daemon; empty if the daemon has refused. Only printable characters come through, whatever
    program has answered."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if head.split(b" ", 2)[1:2] != [b"200"]:
        return ""
    return "".join(character for character in body.decode() if character.isprintable())


def _ask(path: str, token: str) -> bytes:
    if not _is_ours(path):
        return b""
    shown = f"Authorization: Bearer {token}\r\n" if token else ""
    request = f"GET /needs/line HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{shown}\r\n"
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(ANSWER_S)
        connection.connect(path)
        connection.sendall(request.encode())
        return _read(connection)
    finally:
        connection.close()


def _read(connection: "socket.socket") -> bytes:
    answer = b""
    while len(answer) < LONGEST and (piece := connection.recv(LONGEST - len(answer))):
        answer += piece
    return answer


def _is_ours(path: str) -> bool:
    """Return the same as `paths.socket_is_ours`, without importing it."""
    found = os.lstat(path)
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid()


if __name__ == "__main__":
    sys.exit(main())
