import sys

from tests.bench import airlock, capture, enqueue, hooks, latency, mcp, send, sessions

BENCHES = {
    "send": send.run,
    "enqueue": enqueue.run,
    "capture": capture.run,
    "sessions": sessions.run,
    "airlock": airlock.run,
    "latency": latency.run,
    "mcp": mcp.run,
    "hooks": hooks.run,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHES:
        BENCHES[name]()
