"""`hark-editor`: the program that agents which hark started call as $EDITOR. Stdlib only.

The editor asks the daemon what to do. While a delivery is under way it hands over the draft and takes the replacement; at any other
time (or with the daemon away, or slow) it becomes the human's own editor, arguments intact, so that a human's "edit in
$EDITOR" works as ever. HARK_VISUAL and HARK_EDITOR hold the values that VISUAL and EDITOR had before hark replaced them.

A daemon that dies after it has opened this editor must not leave the human in an editor. So this program then ends as an editor that
failed, and the agent keeps its draft as it is. If the editor succeeded, some agents (Codex) would read the text anew, without the
blanks at its end.
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
    """Return the human's own editor, as the words of a command."""
    for name in ("HARK_VISUAL", "HARK_EDITOR", "VISUAL", "EDITOR"):
        value = environment.get(name, "")
        try:
            words = shlex.split(value)
        except ValueError:  # A quote that is never closed is part of a name.
            words = value.split()
        if words and os.path.basename(words[0]) != "hark-editor":
            return words
    return ["vi"]


def ask_daemon(session: str, text: str) -> dict[str, Any] | None:
    """Return the daemon's answer; None if the daemon's socket is not ours, or the daemon answered with an error."""
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
    """Return the content of the daemon's answer; None if the answer is an error. An answer that is cut off counts as FAIL: the daemon
    died in the middle of a delivery, because nothing else takes it longer than a moment to answer."""
    head, _, content = answer.partition(b"\r\n\r\n")
    if answer and not head.startswith(b"HTTP/1.1 200"):
        return None
    try:
        decoded: dict[str, Any] = json.loads(content)
    except ValueError:
        return FAIL
    return decoded


def delivery_status(arguments: list[str]) -> int | None:
    """Do what the daemon wants of this editor, and return the exit status. Return None if the daemon wants nothing, so that the human's
    own editor must open."""
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
    """Return True if hark has pressed the key for this editor. An editor that a tool of the agent's opens is not hark's: it mostly has
    no terminal to read from."""
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
