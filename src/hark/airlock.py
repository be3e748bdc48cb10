"""Stands between a terminal pane and the agent. Stdlib only.

In this version it gives the pane to the agent and is gone: the agent becomes this very process, with its keys, its window
size and its exit status untouched.
"""

import os
import sys


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0] in ("-h", "--help"):
        print("usage: hark-airlock -- COMMAND [ARGUMENT…]\n\nRuns COMMAND in this terminal.", file=sys.stderr)
        sys.exit(0 if words else 2)
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        print(f"hark-airlock: {words[0]}: {failure.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(failure, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
