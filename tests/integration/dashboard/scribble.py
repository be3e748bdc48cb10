"""A program that scribbles on its terminal: everything that real programs do, in a random order that a seed decides. It waits for a line of
input before each part, and says in its title when the part is done.

It leaves out what tmux tells nobody, so that no picture can have it: the saved cursor (ESC 7), tab stops, and character sets other than
those that tmux itself prints. It also does not set the scroll region in origin mode: tmux then puts the cursor where no terminal would."""

from __future__ import annotations

import os
import random
import sys
import time

WORDS = [
    "hello",
    "wide 漢字 cells",
    "e\u0301 combining",
    "emoji 🙂🚀",
    "─┼─ frame",
    "x" * 130,
    "tab\there",
    "ünïcödé",
    " ",
    "$#{x}`~",
]
SGR = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "9",
    "31",
    "42",
    "38;5;208",
    "48;5;17",
    "38;2;1;2;3",
    "48;2;200;100;0",
    "39",
    "49",
    "22",
    "24",
    "27",
]


def scribble(dice: random.Random, columns: int, rows: int) -> bytes:
    y, x = dice.randint(1, rows), dice.randint(1, columns)
    top = dice.randint(1, rows - 3)
    bottom = dice.randint(top + 1, rows)
    small = dice.randint(1, 5)
    choices = [
        dice.choice(WORDS),
        dice.choice(WORDS) + "\r\n",
        f"\x1b[{dice.choice(SGR)}m",
        f"\x1b[{dice.choice(SGR)};{dice.choice(SGR)}m",
        f"\x1b[{y};{x}H",
        f"\x1b[{small}{dice.choice('ABCDEFGILMPSTX@d')}",
        f"\x1b[{dice.randint(0, 2)}{dice.choice('JK')}",
        f"\x1b[?6l\x1b[{top};{bottom}r",
        "\x1b[?6l\x1b[r",
        f"\x1b[4{dice.choice('hl')}",
        f"\x1b[?7{dice.choice('hl')}",
        f"\x1b[?6{dice.choice('hl')}",
        f"\x1b[?25{dice.choice('hl')}",
        f"\x1b[?1049{dice.choice('hl')}",
        f"\x1b[?{dice.choice(['1000', '1002', '1006', '1', '2004'])}{dice.choice('hl')}",
        dice.choice(["\x1bM", "\x1bD", "\x1bE", "\r", "\b", "\n", "\x1b=", "\x1b>"]),
        "line {}\r\n".format("y" * dice.randint(0, 200)),
    ]
    return dice.choice(choices).encode()


def main(seed: int, parts: int) -> None:
    dice = random.Random(seed)
    os.set_blocking(1, True)
    for part in range(parts):
        sys.stdin.readline()
        columns, rows = os.get_terminal_size()
        text = b"".join(scribble(dice, columns, rows) for _ in range(dice.randint(20_000, 40_000)))
        while text:
            size = dice.choice([1, 3, 40, 200, 1000, 4000])
            os.write(1, text[:size])
            text = text[size:]
            if dice.random() < 0.01:
                time.sleep(0.001)
        os.write(1, b"\x1b]2;done %d\x07" % part)
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
