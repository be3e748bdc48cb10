"""Prints answers for `ask`, `last`, `show` and `send`: the words on stdout, everything about them on stderr.

An answer is an agent's text, and so may try to drive the terminal: it leaves through the one printer, like everything else.
"""

from typing import Any

from hark.cli.text import say, show


def print_answer(answer: dict[str, Any] | None, message_id: str) -> None:
    """Print the words of an answer. If there are none, say why."""
    if answer is None or answer["source"] == "none":
        reason = answer["reason"] if answer else "the message has not completed, or completed without a turn"
        say(f"hark: there is no answer to {message_id}: {reason}")
        return
    show(answer["text"])
    if answer["reason"]:
        say(f"hark: {answer['reason']}")
    if answer["is_cut"]:
        say("hark: the answer is cut: hark keeps its first 256 KiB")
