"""This program runs the undo of a hold by tmux, if nobody ended the hold. It is one file, uses only the stdlib, and runs without the
package.

The timer of the tmux server starts this program and gives it, in base64, a JSON list of steps. Each step has a tmux command, perhaps with
a text for its stdin, or a pause. After a step that writes to the agent, this program waits until the agent has read what was written: an
agent takes keys that it reads in one go with many others for a paste.
"""

import base64
import contextlib
import fcntl
import json
import os
import select
import subprocess
import sys
import termios
import time
from typing import Any

READ_POLL_S = 0.001
LONGEST_READS_S = 1.2  # the longest time that all waits for the agent may take together: the human waits too


def main() -> None:
    order = json.loads(base64.b64decode(sys.stdin.buffer.read()))
    tmux: list[str] = order["tmux"]
    line = _answer([*tmux, *order["line"]])
    left_s = LONGEST_READS_S
    for step in order["steps"]:
        _run(tmux, step)
        if step.get("is_written"):
            left_s -= _wait_read(line, left_s)
        time.sleep(step.get("wait_s", 0.0))


def _run(tmux: list[str], step: dict[str, Any]) -> None:
    words = step.get("words")
    if words:
        stamp = [words.pop() + str(int(time.time()))] if step.get("is_stamped") else []
        given = step.get("stdin", "").encode()
        subprocess.run([*tmux, *words, *stamp], input=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _answer(words: list[str]) -> str:
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()


def _wait_read(line: str, longest_s: float) -> float:
    """Wait until the program at that terminal line has read its input, for at most `longest_s`; return how long it took."""
    began = now = time.monotonic()
    with contextlib.suppress(OSError):
        descriptor = os.open(line, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            while now - began < longest_s and _unread(descriptor):
                time.sleep(READ_POLL_S)
                now = time.monotonic()
        finally:
            os.close(descriptor)
    return now - began


def _unread(descriptor: int) -> int:
    # A worker of the kernel moves what was written to the reader's side; only a poll waits for that worker.
    select.select([descriptor], [], [], 0)
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)


if __name__ == "__main__":
    main()
