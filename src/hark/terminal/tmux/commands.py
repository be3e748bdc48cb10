"""tmux command lines, quoted so that every byte arrives: data never becomes syntax, and never a format (`expansion.py`).

One line (`a ; b ; c`) runs atomically against a typing human, several lines do not; that is why a Line holds several
commands. Every command of a line gets one reply, unless one fails: that error is the last reply of its line.
"""

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from hark.model.errors import HarkError
from hark.terminal.tmux.expansion import Format, arguments

# These characters could act inside double quotes. We write each as \ooo, which tmux reads as the byte. UTF-8 passes raw.
_ACTIVE = re.compile(r"[\x01-\x1f\"\\$`~#;\x7f]")

FORBIDDEN_IN_PASTE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Matches every character but newline, tab and printable text: an escape sequence in a paste could end the paste and press keys."""


class Line(Struct, frozen=True):
    commands: tuple[str, ...]
    replies: int

    @property
    def text(self) -> str:
        return " ; ".join(self.commands)


def quote(value: str) -> str:
    if "\0" in value:
        raise HarkError("text-control-bytes", "a NUL byte cannot be sent to tmux", "take it out of the text")
    return '"' + _ACTIVE.sub(lambda hit: f"\\{ord(hit[0]):03o}", value) + '"'


@lru_cache(maxsize=4096, typed=True)
def question(name: str, *given: str) -> str:
    """Return the same as `command`, from a cache. It is for commands that hold nobody's data and are run over and over again."""
    return command(name, *given)


def command(name: str, *given: str) -> str:
    """Return a tmux command with its arguments quoted. Flags are given as they are (`-t`). A plain value arrives as it is; a `Format`
    is expanded. A word that starts with `-` must come after `--`."""
    placed = arguments(name, *given)
    return " ".join((name, *(argument.text if argument.is_flag else quote(argument.text) for argument in placed)))


def shell_command(tmux: Sequence[str], step: Sequence[tuple[str, ...]]) -> str:
    """Return a shell command that runs the tmux commands. `tmux` has the words by which a shell reaches the server."""
    return shlex.join([*tmux, *in_words(step)])


def in_words(step: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the commands as the words that a call of the tmux program gets. A semicolon at the end of a word is escaped, because it
    would end the command."""
    placed = ([name, *(argument.text for argument in arguments(name, *rest)), "\n"] for name, *rest in step)
    words = [re.sub(r";$", r"\\;", word) for words in placed for word in words]
    return [";" if word == "\n" else word for word in words[:-1]]


def line(*commands: str, extra_replies: int = 0) -> Line:
    return Line(commands, len(commands) + extra_replies)


def paste_if(
    pane_id: str, condition: Format, text: str, buffer: str, features: frozenset[str], also: str | None = None
) -> Line:
    """Return the line that pastes the text (bracketed) if the condition is true. The paste has a buffer of its own, which is deleted in
    any case. With `-r` newlines stay newlines."""
    if FORBIDDEN_IN_PASTE.search(text):
        raise HarkError(
            "text-control-bytes",
            "control bytes are never pasted into a terminal",
            "send printable text, newlines and tabs only",
        )
    pasted = command("paste-buffer", *paste_flags(features), "-b", buffer, "-t", pane_id)
    acted = act_if(pane_id, condition, pasted, command("delete-buffer", "-b", buffer), also)
    return line(command("set-buffer", "-b", buffer, "--", text), acted.text, extra_replies=acted.replies - 1)


def paste_flags(features: frozenset[str]) -> tuple[str, ...]:
    return ("-p", "-r", "-d", "-S") if "paste-sanitises" in features else ("-p", "-r", "-d")


def press(pane_id: str, *keys: str) -> str:
    return command("send-keys", "-t", pane_id, "--", *keys)


def act_if(pane_id: str, condition: Format, action: str, otherwise: str | None = None, also: str | None = None) -> Line:
    """Return the line that runs the action, and then `also`, only if the condition is true at that very moment: tmux decides and acts
    in one go, so nothing can happen in between. The last reply says `done` or `withheld`; both branches give the same number of
    replies."""
    nothing = command("display-message", "-p", "")
    taken = [action, *([also] if also else [])]
    refused = [otherwise or nothing, *([nothing] if also else [])]
    done, withheld = (
        " ; ".join([*commands, command("display-message", "-p", said)])
        for commands, said in ((taken, "done"), (refused, "withheld"))
    )
    acted = command("if-shell", "-F", "-t", pane_id, condition, done, withheld)
    return line(acted, extra_replies=len(taken) + 1)
