"""`hark-hook AGENT EVENT`: this program tells the daemon what an agent's hook reports (JSON on stdin), and prints the daemon's answer,
which is a message for the agent in the agent's own format.

The hook must never fail or delay the agent: whatever happens, it exits 0 (a 2 would mean "block" to agents), and without an answer
that is whole and in time it prints nothing. The hook runs at every step of every agent, so it imports next to nothing: it can be run
as a file, and neither reads nor writes JSON.

    to the daemon     hark-hook 1 HEAD-LENGTH PAYLOAD-LENGTH newline, HEAD (words between NULs), PAYLOAD as the agent gave it
    from the daemon   wait newline, if the hook shall wait for its answer however long
    from the daemon   LENGTH newline, TEXT
    to the daemon     + right before the hook prints the TEXT

If a sandbox lets the hook reach nothing but `agent.sock`, the hook reports there, and gets no answer for the agent.

The daemon asks a hook to wait if the agent has asked its human something, shows its own dialog meanwhile, and keeps the dialog if the hook
ends without an answer. If the daemon dies, the connection closes, and the hook ends without a word.

With the event `Wait` the hook stays until there is a message, however long: an agent that lets a hook run beside it (Claude Code's
`asyncRewake`) wakes up when that hook writes to stderr and exits 2.

The byte `+` makes a hand-over exact: if it does not come, the daemon knows that nothing was printed, and nothing ever will be.
"""

import os
import sys
import time

try:
    import _socket as socket  # This import costs a tenth of `import socket`.
except ImportError:
    import socket  # type: ignore[no-redef]

DEADLINE_S = 0.25
"""The number of seconds that the whole hook may take: together with the start of Python, an agent waits no longer than 300 ms."""
AGAIN_S = 0.01
LONGEST = 8_000_000
LONGEST_ANSWER = 1_000_000
WAIT = "Wait"
STAY = b"wait"
"""The daemon's word for a hook that shall wait for its answer."""
VARIABLES = ("HARK_SESSION", "TMUX", "TMUX_PANE")


def main() -> None:
    emitted_at, deadline = time.time(), time.monotonic() + DEADLINE_S
    # Nothing but the daemon's answer may reach the agent, not even our own errors.
    try:
        agent, event = sys.argv[1:3]
        payload = _read_input()
        if _is_sandboxed():
            _tell(agent, event, emitted_at, payload, deadline)
        elif event == WAIT:
            _wake(_ask(_report(agent, event, emitted_at, payload), None))
        elif answer := _ask(_report(agent, event, emitted_at, payload), deadline):
            _print(answer)
    except BaseException:  # noqa: BLE001, S110 see above
        pass
    os._exit(0)


def socket_path() -> str:
    """Return the path at which the daemon of this database listens for hooks. It is in `instance.runtime_dir`, which is computed here
    again because importing it takes too long."""
    try:
        lock = os.open(_lock_path(), os.O_RDONLY)
        try:
            runtime = os.fsdecode(os.read(lock, 65536)).partition("\n")[2].partition("\0")[0]
        finally:
            os.close(lock)
    except OSError:
        runtime = ""
    return os.path.join(runtime, "hooks.sock") if runtime.startswith("/") else _own_socket_path()


def _is_sandboxed() -> bool:
    """Return True if a session's `agent.sock` is the only socket of the daemon that can be reached."""
    return bool(os.environ.get("HARK_TOKEN")) and not os.path.exists(socket_path()) and os.path.exists(_agent_socket())


def _agent_socket() -> str:
    return os.environ.get("HARK_AGENT_SOCKET", "")


def _tell(agent: str, event: str, emitted_at: float, payload: bytes, deadline: float) -> None:
    """Report over `agent.sock`, by HTTP, with the session's token. The daemon's answer is not for the agent."""
    if event == WAIT or not (agent + event).isalnum() or not payload:
        return
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(emitted_at)) + f"{emitted_at % 1:.6f}"[1:] + "Z"
    body = f'{{"agent":"{agent}","event":"{event}","emitted_at":"{at}","payload":'.encode() + payload + b"}"
    head = f"POST /hooks HTTP/1.1\r\nHost: hark\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
    head += f"Content-Type: application/json\r\nAuthorization: Bearer {os.environ['HARK_TOKEN']}\r\n\r\n"
    daemon = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    _connect(daemon, _agent_socket(), deadline)
    daemon.settimeout(_left_s(deadline))
    daemon.sendall(head.encode() + body)
    daemon.recv(1)


def _lock_path() -> str:
    """Return the same as `paths.lock_path`, without importing it."""
    if home := os.environ.get("HARK_HOME"):
        return os.path.join(os.path.abspath(home), "state", "hark.lock")
    state = os.environ.get("XDG_STATE_HOME", "")
    base = state if state.startswith("/") else os.path.expanduser("~/.local/state")
    return os.path.join(base, "hark", "hark.lock")


def _own_socket_path() -> str:
    """Return the same as `paths.hooks_path`, without importing it."""
    if home := os.environ.get("HARK_HOME"):
        return os.path.join(os.path.abspath(home), "run", "hooks.sock")
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and os.path.isdir(runtime):
        return os.path.join(runtime, "hark", "hooks.sock")
    return f"/tmp/hark-{os.getuid()}/hooks.sock"


def _read_input() -> bytes:
    pieces, length = [], 0
    while length < LONGEST and (piece := os.read(0, min(65536, LONGEST - length))):
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces)


def _report(agent: str, event: str, emitted_at: float, payload: bytes) -> bytes:
    words = [agent, event, repr(emitted_at), *(os.environ.get(name, "") for name in VARIABLES)]
    head = "\0".join(words).encode("utf-8", "surrogateescape")
    return b"hark-hook 1 %d %d\n" % (len(head), len(payload)) + head + payload


def _wake(answer: bytes) -> None:
    if answer:
        _print(answer, 2)
        os._exit(2)


def _ask(report: bytes, deadline: "float | None") -> bytes:
    path = socket_path()
    try:
        facts = os.lstat(path)
    except OSError:
        return b""
    if facts.st_uid != os.getuid():
        return b""
    daemon = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    _connect(daemon, path, deadline)
    daemon.settimeout(_left_s(deadline))
    daemon.sendall(report)
    answer, deadline = _read_answer(daemon, deadline)
    if answer:
        daemon.settimeout(_left_s(deadline))
        daemon.sendall(b"+")
    return answer


def _connect(daemon: "socket.socket", path: str, deadline: "float | None") -> None:
    """Connect to the daemon, and try again for a moment if its queue of connections is full."""
    while True:
        try:
            daemon.settimeout(_left_s(deadline))
            daemon.connect(path)
            return
        except BlockingIOError:
            if deadline is not None and time.monotonic() + AGAIN_S >= deadline:
                raise
            time.sleep(AGAIN_S)


def _left_s(deadline: "float | None") -> "float | None":
    return None if deadline is None else max(0.001, deadline - time.monotonic())


def _read_answer(daemon: "socket.socket", deadline: "float | None") -> "tuple[bytes, float | None]":
    """Return the daemon's answer, and the deadline that counts now: none if the daemon has asked the hook to wait."""
    received = b""
    while True:
        head, newline, text = received.partition(b"\n")
        if newline and head == STAY:
            received, deadline = text, None
            continue
        if newline and len(text) >= int(head):
            return (text if 0 < len(text) == int(head) <= LONGEST_ANSWER else b""), deadline
        is_late = deadline is not None and time.monotonic() >= deadline
        if is_late or len(received) > LONGEST_ANSWER:
            return b"", deadline
        daemon.settimeout(_left_s(deadline))
        piece = daemon.recv(65536)
        if not piece:
            return b"", deadline
        received += piece


def _print(answer: bytes, descriptor: int = 1) -> None:
    while answer:
        answer = answer[os.write(descriptor, answer) :]


if __name__ == "__main__":
    main()
