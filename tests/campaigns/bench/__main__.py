import signal
import sys

from tests.campaigns.bench import (
    airlock,
    ask,
    capture,
    enqueue,
    escape,
    flood,
    hooks,
    latency,
    mcp,
    send,
    sentinel,
    sessions,
    signals,
    status_line,
)

BENCHES = {
    "send": send.run,
    "ask": ask.run,
    "enqueue": enqueue.run,
    "capture": capture.run,
    "sessions": sessions.run,
    "airlock": airlock.run,
    "escape": escape.run,
    "latency": latency.run,
    "sentinel": sentinel.run,
    "mcp": mcp.run,
    "hooks": hooks.run,
    "signals": signals.run,
    "flood": flood.run,
    "status-line": status_line.run,
}

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    for name in sys.argv[1:] or BENCHES:
        BENCHES[name]()
