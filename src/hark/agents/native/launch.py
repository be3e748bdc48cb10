"""How an agent is started so that its native channel is there: with more words and more environment. Pure.

hark adds words only to a command line whose words are all known to be harmless, and only where the agent starts its terminal
program: everything else starts as it was typed.

Codex gets an app-server of its own (`hark.inside.codex_server`). OpenCode listens on a free port of the loopback that the kernel
chooses, so there is no race for the port. Every process on the machine can connect to such a port, so OpenCode also gets a
password.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from hark.inside import codex_server

SOCKET = "codex.sock"
PASSWORD_VARIABLE = "OPENCODE_SERVER_PASSWORD"


SECRET = "secret"


KINDS = frozenset({"codex", "opencode"})


class Start(Struct, frozen=True):
    words: tuple[str, ...]
    environment: dict[str, str]
    """Variables that are added to the agent's environment."""
    secret: str = ""
    """The secret that a client has to send; it is kept where only the user can read it."""


CODEX_WITH_VALUE = frozenset(
    {"-m", "--model", "-s", "--sandbox", "-a", "--ask-for-approval", "-C", "--cd", "--add-dir"}
    | {"-c", "--config", "--enable", "--disable", "-i", "--image"}
)
CODEX_ALONE = frozenset(
    {"--search", "--no-alt-screen", "--approve-for-me", "--last", "--all"}
    | {"--yolo", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"}
)
CODEX_COMMANDS = frozenset({"resume", "fork"})
COMMAND = re.compile("[a-z][a-z-]*")
OPENCODE_WITH_VALUE = frozenset({"-m", "--model", "-s", "--session", "--prompt", "--agent", "--log-level"})
OPENCODE_ALONE = frozenset({"-c", "--continue", "--fork", "--pure", "--print-logs", "--auto"})


def start(kind: str, words: Sequence[str], environment: Mapping[str, str], door: Path, password: str) -> Start:
    """Return how to start the agent. `door` is a directory of this session's own that only the user can enter."""
    plain = Start(tuple(words), {})
    if kind == "codex" and is_for_terminal(words[1:], CODEX_WITH_VALUE, CODEX_ALONE, CODEX_COMMANDS):
        return _codex(words, door)
    if kind == "opencode" and is_for_terminal(words[1:], OPENCODE_WITH_VALUE, OPENCODE_ALONE, frozenset()):
        return _opencode(words, environment, password)
    return plain


def _codex(words: Sequence[str], door: Path) -> Start:
    keeper = (sys.executable, "-ISE", codex_server.__file__, "--socket", str(door / SOCKET), "--")
    return Start((*keeper, *words), {})


def _opencode(words: Sequence[str], environment: Mapping[str, str], password: str) -> Start:
    """Return how to start OpenCode with a port and a password. A password that the user has set is kept: something else may rely
    on it."""
    secret = environment.get(PASSWORD_VARIABLE) or password
    return Start((*words, "--port", "0", "--hostname", "127.0.0.1"), {PASSWORD_VARIABLE: secret}, secret)


def is_for_terminal(
    words: Sequence[str], with_value: frozenset[str], alone: frozenset[str], commands: frozenset[str]
) -> bool:
    """Return whether every word is one that we know, and none of them is a command that does something else. A word that might be a
    command of a newer version counts as one; a prompt or a path is not a single plain word, or comes after a command."""
    waiting, seen_command = list(words), False
    while waiting:
        word = waiting.pop(0)
        name, has_value, _ = word.partition("=")
        if word in alone or (has_value and name in with_value):
            continue
        if word in with_value and waiting:
            waiting.pop(0)
        elif word in commands:
            seen_command = True
        elif word.startswith("-") or (COMMAND.fullmatch(word) and not seen_command):
            return False
    return True
