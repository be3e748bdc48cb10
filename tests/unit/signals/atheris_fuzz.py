"""python -m tests.unit.signals.atheris_fuzz [MILLIONS [SEED]]: streams that are found by looking at which branches of the reader they
reach. Every chunk must give what the reference gives. Needs atheris, which `scripts/fuzz-install` puts into an environment of its
own.

What atheris finds are not the bytes of a stream, which would hardly ever make a marker, but the dice by which a stream is put
together and cut. It begins with some that were thrown at random. Only the reader is watched: with the reference watched too, it
takes six times as long.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports():
    from hark.signals.detector import SignalDetector

from tests.unit.signals.reference import Reference
from tests.unit.signals.streams import cut, random_stream

LONGEST = 4096
BEGIN_WITH = 200
CRASHES = "build/fuzz/"
CORPUS = Path("build/fuzz/corpus")


class FoundDice(random.Random):
    """Falls as the bytes say; when there are no more, always the same way."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data, self._at = data, 0

    @property
    def are_used_up(self) -> bool:
        return self._at >= len(self._data)

    def random(self) -> float:
        return self.getrandbits(16) / 2**16

    def getrandbits(self, count: int, /) -> int:
        size = (count + 7) // 8
        drawn = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(drawn, "little") & ((1 << count) - 1)


def compare(data: bytes) -> int:
    """How many bytes the streams had: one after the other, until the dice are used up."""
    dice, size = FoundDice(data), 0
    detector, reference = SignalDetector(), Reference()
    while not dice.are_used_up:
        for chunk in cut(dice, random_stream(dice)):
            assert detector.feed(chunk) == reference.feed(chunk), chunk
            assert len(detector._tail) + len(detector._line) < 40_000
            size += len(chunk)
    return size


def main(millions: float, seed: int) -> None:
    print(f"seed {seed}", flush=True)
    size = 0

    def one(data: bytes) -> None:
        nonlocal size
        size += compare(data)
        if size > millions * 1_000_000:
            print(f"{size:,} bytes, no difference", flush=True)
            os._exit(0)

    throw(random.Random(seed))
    bounds = (f"-max_len={LONGEST}", "-len_control=0", "-rss_limit_mb=2048", f"-artifact_prefix={CRASHES}")
    atheris.Setup([sys.argv[0], *bounds, f"-seed={seed}", "-print_final_stats=0", "-verbosity=0", str(CORPUS)], one)
    atheris.Fuzz()


def throw(dice: random.Random) -> None:
    """What it begins with; what it finds goes there too."""
    shutil.rmtree(CORPUS, ignore_errors=True)
    CORPUS.mkdir(parents=True)
    for number in range(BEGIN_WITH):
        (CORPUS / str(number)).write_bytes(dice.randbytes(LONGEST))


if __name__ == "__main__":
    words = [*sys.argv[1:], *("100", str(time.time_ns() % 1_000_000 + 1))[len(sys.argv) - 1 :]]
    main(float(words[0]), int(words[1]))
