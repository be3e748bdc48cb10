"""A program that draws on its terminal at random, with what tmux and xterm.js understand alike, so that both must show the same.

It leaves out where the page and tmux were seen to differ; whether the two emulators or the stream cause that is not known: colours of the background that reach into erased cells, the mode without wrapping, the origin
and insert modes, tab stops, editing right after the last column, and whatever cuts a wide character in two. With seed 2 they differ all the same, for an unknown reason. It waits for a line of input before each part, and says in its title when the part is done."""

from __future__ import annotations

import os
import random
import sys

WIDE = ["漢字 wide", "🙂🚀"]
WORDS = ["hello", "e\u0301 combining", "─┼─", "x" * 130, "ünïcödé", "$#{x}`~", "a  b"]
COLOURS = ["1", "2", "3", "4", "7", "9", "31", "42", "38;5;208", "48;5;17", "38;2;1;2;3", "1;48;2;200;100;0"]


class Screens:
    """Switches to the alternate screen and back, each only from the other one."""

    def __init__(self) -> None:
        self._is_alternate = False

    def switch(self, word: str) -> str:
        self._is_alternate = not self._is_alternate
        return f"\x1b[?1049h\x1b[2J\x1b[H{word}" if self._is_alternate else "\x1b[?1049l"


def stroke(dice: random.Random, columns: int, rows: int) -> str | None:
    """Return something to draw; None to switch the screen."""
    y, x, few = dice.randint(1, rows), dice.randint(12, columns // 2), dice.randint(1, 5)
    top = dice.randint(1, rows - 3)
    bottom = dice.randint(top + 2, rows)
    return dice.choice(
        [
            f"\x1b[{dice.choice(COLOURS)}m{dice.choice(WORDS)}\x1b[0m",
            f"\x1b[{dice.choice(COLOURS)}m{dice.choice(WORDS)}\x1b[0m\r\n",
            f"\x1b[{y};1H\x1b[2K{dice.choice(WIDE)}\r\n",
            f"\x1b[{y};{x}H",
            f"\x1b[{y};{x}H\x1b[{few}{dice.choice('ABLMF')}",
            f"\x1b[{y};{x}H\x1b[{dice.randint(0, 2)}{dice.choice('JK')}",
            f"\x1b[{top};{bottom}r\x1b[{top};1Hscrolled\r\n\n\n\x1bM\x1b[r",
            None,
            f"\x1b[{y};1H{'y' * dice.randint(0, 2 * columns)}\r\n",
            f"\x1b[?25{dice.choice('hl')}",
        ]
    )


def main(seed: int, parts: int) -> None:
    dice, screens = random.Random(seed), Screens()
    for part in range(parts):
        sys.stdin.readline()
        columns, rows = os.get_terminal_size()
        strokes = [stroke(dice, columns, rows) or screens.switch("other") for _ in range(dice.randint(100, 400))]
        drawn = "".join(strokes).encode()
        while drawn:
            size = dice.choice([1, 3, 40, 1000])
            os.write(1, drawn[:size])
            drawn = drawn[size:]
        os.write(1, b"\x1b]2;done %d\x07" % part)
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
