"""Texts drawn at random from the whole space of what anybody may send: every letter, mark and symbol of Unicode, emoji sequences, code,
right-to-left words, what nobody sees, Markdown, the shell's own characters, links; from one byte to 64 KiB, sizes log-uniform.

The same dice give the same text.
"""

from __future__ import annotations

import math
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from random import Random

LONGEST = 64 * 1024
"""Bytes: what goes into a box whole."""
PLAIN = ("please", "review", "main", "is", "green", "I", "a", "deploy", "x=1", "don't", "e.g.", "100%", "OK", "…", "–")
SKINS = tuple(map(chr, range(0x1F3FB, 0x1F400)))
PEOPLE = ("👍", "👋", "👩", "🧑", "🤝", "🙏", "☝")
SEQUENCES = (
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🏴‍☠️",
    "👩‍💻",
    "❤️",
    "☺️",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "🎉",
    "🚀",
    "🧑‍🤝‍🧑",
)
UNSEEN = (
    "\u200b",
    "\u200c",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202c",
    "\ufe0f",
    "\u034f",
)
RIGHT_TO_LEFT = ("שלום", "עולם", "مرحبا", "بالعالم", "سلام", "ܫܠܡܐ", "߀߁߂")
CODE = (
    "def f(x):\n\tif x:\n\t\treturn [\n\t\t\t1,\n\t\t]\n",
    "for (;;) {\n\tint a[2] = {0};\t/* tab */\n}\n",
    "\tindented\n\n\n    four\n",
    "SELECT *\n  FROM t\n WHERE a = '\\'' AND b LIKE \"%\";\n",
)
MARKDOWN = (
    "# Title\n\n",
    "- **bold** `code`\n",
    "> quoted\n",
    "| a | b |\n|---|---|\n",
    "```sh\nls -la\n```\n",
    "[x](http://localhost/y) ",
)
SHELL = (
    "$(rm -rf /)",
    "`id`",
    "${HOME}",
    "a && b || c",
    "> /dev/null",
    "!!",
    "~/x",
    "#{pane_id}",
    "%1",
    ";",
    "\\n",
    "'\"'",
    "{a,b}",
    "*?[a-z]",
)
LIKE_COMMANDS = ("/help", "!ls", "#memory", "?", "@README.md", "\\", "/", "1", "y", ":q", "--", "[200~")
ENDS = (" @README", "\\", " /", " @", "!", " 1", "…", "\t")


def draw(dice: Random, longest: int = LONGEST) -> str:
    """A text of one byte to `longest` bytes. Not of blanks alone, which nobody can send, and not `-`, which means standard input."""
    size = max(1, min(longest, round(math.exp(dice.uniform(0, math.log(longest))))))
    while True:
        text = _cut(_fill(dice, size), size)
        if dice.random() < 0.15 and size > 20:
            text = _cut(text, size - 10) + dice.choice(ENDS)
        if text.strip() and text != "-" and unicodedata.normalize("NFC", text).strip():
            return text


def draw_word(dice: Random) -> str:
    """A word as a person types it, one key for each letter of it: letters of any script that stand alone, or one emoji."""
    if dice.random() < 0.3:
        return dice.choice(("🎉", "🚀", "👍", "🙂", "✨", "🐛"))
    return "".join(dice.choices(dice.choice(_alphabets()), k=dice.randint(2, 6)))


def _fill(dice: Random, size: int) -> str:
    """At least so many bytes. Most texts are of one or two kinds; that shows what an agent does to a kind."""
    kinds = dice.sample(KINDS, dice.choice((1, 2, 2, len(KINDS))))
    parts: list[str] = []
    length = 0
    while length < size:
        part = dice.choice(kinds)(dice) + dice.choice(("", " ", " ", "\n"))
        parts.append(part)
        length += len(part.encode())
    return "".join(parts)


def _cut(text: str, size: int) -> str:
    """At the end of a character; at least one is left."""
    return text.encode()[:size].decode("utf-8", "ignore") or text[:1]


def _word(dice: Random) -> str:
    return dice.choice(PLAIN)


def _letters(dice: Random) -> str:
    return "".join(dice.choices(_characters("L"), k=dice.randint(1, 12)))


def _symbols(dice: Random) -> str:
    return "".join(dice.choices(_characters("NPS"), k=dice.randint(1, 8)))


def _marked(dice: Random) -> str:
    return "".join(
        dice.choice(_characters("L")) + "".join(dice.choices(_characters("M"), k=dice.randint(1, 3))) for _ in range(4)
    )


def _emoji(dice: Random) -> str:
    flag = "".join(chr(0x1F1E6 + dice.randrange(26)) for _ in range(2))
    keycap = dice.choice("0123456789#*") + "\ufe0f\u20e3"
    return dice.choice((dice.choice(PEOPLE) + dice.choice(SKINS), flag, keycap, dice.choice(SEQUENCES)))


def _unseen(dice: Random) -> str:
    return f"{dice.choice(PLAIN)}{dice.choice(UNSEEN)}{dice.choice(PLAIN)}"


def _link(dice: Random) -> str:
    return "http://localhost/" + "/".join(dice.choices(PLAIN[:4], k=dice.randint(1, 40))) + "?q=%20&x=1#top"


def _long_line(dice: Random) -> str:
    return dice.choice("xW漢-") * dice.randint(50, 400)


def _one_of(choices: tuple[str, ...]) -> Callable[[Random], str]:
    return lambda dice: dice.choice(choices)


KINDS: tuple[Callable[[Random], str], ...] = (
    *(_word, _word, _letters, _symbols, _marked, _emoji, _unseen, _link, _long_line),
    *map(_one_of, (RIGHT_TO_LEFT, CODE, MARKDOWN, SHELL, LIKE_COMMANDS)),
)


@cache
def _characters(categories: str) -> tuple[str, ...]:
    """All that are assigned, of the categories that begin with one of these letters."""
    return tuple(one for one in map(chr, range(0x21, sys.maxunicode + 1)) if unicodedata.category(one)[0] in categories)


@cache
def _alphabets() -> tuple[tuple[str, ...], ...]:
    """Letters that are typed by one key: no marks, nothing that composes with its neighbour."""
    ranges = (
        (0xE0, 0x17F),
        (0x3B1, 0x3CA),
        (0x430, 0x460),
        (0x561, 0x587),
        (0x5D0, 0x5EB),
        (0x10D0, 0x10FB),
        (0x3042, 0x3094),
    )
    alphabets = [[one for one in map(chr, range(*bounds)) if one.isalpha()] for bounds in (*ranges, (0x4E00, 0x9000))]
    return tuple(tuple(one for one in some if unicodedata.normalize("NFC", one) == one) for some in alphabets)
