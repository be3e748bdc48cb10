"""What agents that hark started call as $EDITOR. Stdlib only.

It asks the daemon what to do. While a delivery is under way it hands over the draft and takes the replacement; at any other
time (or with the daemon away, or slow) it becomes the human's own editor, arguments intact, so that a human's "edit in
$EDITOR" works as ever. HARK_VISUAL and HARK_EDITOR hold what VISUAL and EDITOR were before hark took their place.

A daemon that dies after it has opened this editor must not leave the human in one: then it ends as an editor that failed, and the
agent keeps its draft as it is. Of one that succeeds some take the text anew, without the blanks at its end (Codex).
"""

import contextlib
import json
import os
import shlex
import socket
import sys
from collections.abc import Mapping
from typing import Any

from hark import instance, paths
from hark.inside import ticket_file as tickets

CONNECT_S = 0.3
ANSWER_S = 5.0
FAIL = {"action": "fail"}
OK, FAILURE = 0, 1


def choose_editor(environment: Mapping[str, str]) -> list[str]:
    """The human's own editor, as the words of a command."""
    for name in ("HARK_VISUAL", "HARK_EDITOR", "VISUAL", "EDITOR"):
        value = environment.get(name, "")
        try:
            words = shlex.split(value)
        except ValueError:  # A quote that nothing closes is part of a name.
            words = value.split()
        if words and os.path.basename(words[0]) != "hark-editor":
            return words
    return ["vi"]


def ask_daemon(session: str, text: str) -> dict[str, Any] | None:
    """The daemon's answer; None when there is none to be had."""
    door = instance.door()
    if not paths.socket_is_ours(door.path):
        return None
    body = json.dumps({"session_id": session, "text": text, "pid": os.getpid()}).encode()
    head = f"POST /editor HTTP/1.1\r\nHost: hark\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in door.headers.items()) + "\r\n"
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(CONNECT_S)
        daemon.connect(str(door.path))
        daemon.sendall(head.encode() + body)
        daemon.settimeout(ANSWER_S)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while chunk := daemon.recv(65536):
                answer += chunk
    return understand(answer)


def understand(answer: bytes) -> dict[str, Any] | None:
    """A daemon that died over the question was in a delivery: nothing else takes it longer than a moment to answer."""
    head, _, content = answer.partition(b"\r\n\r\n")
    if answer and not head.startswith(b"HTTP/1.1 200"):
        return None
    try:
        decoded: dict[str, Any] = json.loads(content)
    except ValueError:
        return FAIL
    return decoded


def delivery_status(arguments: list[str]) -> int | None:
    """What to end with if the daemon wanted something of this editor; then it is done. None if it did not."""
    session = os.environ.get("HARK_SESSION")
    if not session or not arguments:
        return None
    try:
        with open(arguments[-1], encoding="utf-8", newline="") as file:
            text = file.read()
        answer = ask_daemon(session, text)
        if answer and answer.get("action") == "human":
            return None
        if answer is None or answer.get("action") == "exec":
            return FAILURE if claim(session) else None
        if answer.get("action") == "fail":
            return FAILURE
        if answer.get("action") == "replace":
            with open(arguments[-1], "w", encoding="utf-8", newline="") as file:
                file.write(answer["text"])
    except (OSError, ValueError, KeyError):
        return FAILURE if claim(session) else None
    return OK


def claim(session: str) -> bool:
    """Whether hark has pressed the key for this editor. One that a tool of the agent's opens mostly has no terminal to read from."""
    return os.isatty(0) and tickets.claim(session)


def main() -> None:
    arguments = sys.argv[1:]
    status = delivery_status(arguments)
    if status is not None:
        os._exit(status)
    words = [*choose_editor(dict(os.environ)), *arguments]
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        print(f"hark-editor: {words[0]}: {failure.strerror}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
