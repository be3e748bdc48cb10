"""Streams to try the detector on: made of the pieces that matter, cut anywhere."""

from __future__ import annotations

import random

STILL = (  # Sequences that neither move nor write: they may stand anywhere in a marker.
    b"\x1b[0m",
    b"\x1b[38;5;174m",
    b"\x1b[38:2::1:2:3m",
    b"\x1b[K",
    b"\x1b[?25l",
    b"\x1b[?2026h",
    b"\x1b[>4;1m",
    b"\x1b[!p",
    b"\x1b]0;a title\x07",
    b"\x1b]8;;http://127.0.0.1/\x1b\\",
    b"\x1bP+q544e\x1b\\",
    b"\x1b_Gi=1;AAAA\x1b\\",
    b"\x1b^private\x1b\\",
    b"\x1bXstring\x1b\\",
    b"\x1b(B",
    b"\x1b#8",
    b"\x1b=",
    b"\x1b7",
    b"\xc2\x9b1m",
    b"\xc2\x9d0;title\xc2\x9c",
    b"\xc2\x90q\xc2\x9c",
    b"\x00",
    b"\x07",
    b"\x0e\x0f",
    b"\x7f",
    b"\x1b[12\x18",
    b"\x1b]0;cut\x1a",
    b"\x1b[4h",
)
MOVING = (
    *(b"\x1b[%d%c" % (number, final) for number in (1, 3) for final in b"ABDEFGHLMSTZ`defC"),
    b"\x1b[24;80H",
    b"\x1b[?1049h",
    b"\x1b[?25;1049l",
    b"\x1b8",
    b"\x1bD",
    b"\x1bM",
    b"\x1bE",
    b"\x1bc",
    b"\xc2\x85",
    b"\r\n",
    b"\n",
    b"\r",
    b"\b",
    b"\f",
    b"\x1b[3b",
    b"\x1b[2I",
    b"\x1b[5;3r",
)
MARKERS = (
    b"--<[schmux:completed:All tests pass]>--",
    b"--<[hark:needs_input:Which one?]>--",
    b"--<[hark:working:]>--",
    "--<[hark:error:Grüße 漢字 é]>--".encode(),
    b"\xe2\x97\x8f --<[hark:needs_testing:try it]>--",
    b"--<[hark:done:no such state]>--",
    b"--<[hark:completed:not whole",
    b"quoted --<[hark:completed:x]>-- in a sentence",
)
PIECES = (
    *STILL,
    *MOVING,
    *MARKERS,
    b"```\n",
    b"```python\r\n",
    b"\n```\n",
    b"--<[",
    b"]>--",
    b"<",
    b"[",
    b"--",
    b"`",
    b"hark:completed:x",
    b"hark",
    b"ha",
    b"rk",
    b"sch",
    b"mux:error:",
    b"\n" + b" " * 4090 + b"--<[hark:completed:far to the right]>--\n",
    b"y" * 3000,
    b"\x1b[",
    b"\x1b]",
    b"\x1bP",
    b"\x1b",
    b"\xc2",
    b"\x1b[1\n2m",
    b"\x1b[1;" + b"9" * 140,
    b"\x1b]0;" + b"t" * 4100,
    b"words ",
    "Grüße ".encode(),
    b"x" * 5000,
    b" " * 100,
    b"\x80\xff",
)


WAKING = (b"<", b"`", b"\xc2", b"hark", b"mux")
"""Bytes for whose sake a line is read."""
CALM = tuple(piece for piece in PIECES if not any(one in piece for one in WAKING))


def random_stream(dice: random.Random, most: int = 40) -> bytes:
    """Half of them with next to nothing that could be part of a marker: there the byte search decides."""
    is_calm = dice.random() < 0.5
    parts = [calm_piece(dice) if is_calm else random_piece(dice) for _ in range(dice.randrange(1, most))]
    return b"".join(parts)


def calm_piece(dice: random.Random) -> bytes:
    return random_piece(dice) if dice.random() < 0.05 else dice.choice(CALM)


def random_piece(dice: random.Random) -> bytes:
    kind = dice.random()
    if kind < 0.7:
        return dice.choice(PIECES)
    if kind < 0.85:
        return b"\n" + with_sequences(dice, dice.choice(MARKERS)) + b"\n"
    return dice.randbytes(dice.randrange(12))


def with_sequences(dice: random.Random, marker: bytes) -> bytes:
    """The marker with sequences that do not matter, anywhere in it but within a character."""
    return b"".join(
        (dice.choice(STILL) if dice.random() < 0.3 else b"") + character.encode() for character in marker.decode()
    )


def cut(dice: random.Random, stream: bytes) -> list[bytes]:
    places = sorted(dice.randrange(len(stream) + 1) for _ in range(dice.randrange(6)))
    return [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]
