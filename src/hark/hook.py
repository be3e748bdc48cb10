"""`hark-hook AGENT EVENT`: tells the daemon what an agent's hook reports (JSON on stdin). Stdlib only.

It must never fail or delay the agent: whatever happens, it prints nothing and exits 0 (a 2 would mean "block" to agents),
and it gives up on a daemon that is away or slow after a short deadline.
"""

import contextlib
import json
import os
import socket
import sys
from datetime import UTC, datetime

from hark import paths

DEADLINE_S = 0.3
LONGEST = 1_000_000


def main() -> None:
    emitted_at = datetime.now(UTC).isoformat()
    # Nothing may reach the agent, not even our own mistakes.
    with contextlib.suppress(Exception):
        agent, event = sys.argv[1:3]
        _post(_report(agent, event, emitted_at, sys.stdin.buffer.read(LONGEST)))
    os._exit(0)


def _report(agent: str, event: str, emitted_at: str, data: bytes) -> bytes:
    payload = json.loads(data or b"{}")
    report = {
        "agent": agent,
        "event": event,
        "emitted_at": emitted_at,
        "session_id": os.environ.get("HARK_SESSION"),
        "socket": os.environ.get("TMUX", "").partition(",")[0] or None,
        "pane_id": os.environ.get("TMUX_PANE"),
        "payload": payload,
    }
    return json.dumps(report).encode()


def _post(body: bytes) -> None:
    path = paths.socket_path()
    if not paths.socket_is_ours(path):
        return
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(DEADLINE_S)
        daemon.connect(str(path))
        head = f"POST /hooks HTTP/1.1\r\nHost: hark\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        daemon.sendall(head.encode() + body)
        daemon.recv(1)


if __name__ == "__main__":
    main()
