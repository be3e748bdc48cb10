"""python -m tests.unit.signals.fuzz [MILLIONS [SEED]]: the detector against the reference, on random streams in random pieces.

Every chunk must give the same findings. Says how often the byte search alone has decided, so that nobody is content with a
comparison of the slow way with itself.
"""

from __future__ import annotations

import random
import sys
import time

import msgspec

from hark.signals.detector import SignalDetector
from hark.signals.marker import Found, Marker
from tests.unit.signals.reference import Reference
from tests.unit.signals.streams import cut, random_stream


class Fuzz(msgspec.Struct):
    size: int = 0
    markers: int = 0
    skipped: int = 0
    """Bytes of which the byte search has said that there is nothing in them."""
    read: int = 0


class Counted(SignalDetector):
    skipped = read = 0

    def _skip(self, size: int) -> None:
        self.skipped += size
        super()._skip(size)

    def _read(self, data: bytes, found: list[Found]) -> None:
        self.read += len(data)
        super()._read(data, found)


def compare(dice: random.Random, size: int) -> Fuzz:
    fuzz, detector, reference = Fuzz(), Counted(), Reference()
    while fuzz.size < size:
        stream = random_stream(dice)
        for chunk in cut(dice, stream):
            found = detector.feed(chunk)
            assert found == reference.feed(chunk), (found, reference.found, chunk)
            fuzz.markers += sum(isinstance(one, Marker) for one in found)
        fuzz.size += len(stream)
    fuzz.skipped, fuzz.read = detector.skipped, detector.read
    return fuzz


def main(millions: float, seed: int) -> None:
    print(f"seed {seed}", flush=True)
    dice, done = random.Random(seed), Fuzz()
    while done.size < millions * 1_000_000:
        one = compare(dice, 1_000_000)
        for name in ("size", "markers", "skipped", "read"):
            setattr(done, name, getattr(done, name) + getattr(one, name))
        print(
            f"{done.size:,} bytes, {done.markers:,} markers, {done.skipped:,} skipped, {done.read:,} read",
            flush=True,
        )


if __name__ == "__main__":
    words = [*sys.argv[1:], *("100", str(time.time_ns() % 1_000_000))[len(sys.argv) - 1 :]]
    main(float(words[0]), int(words[1]))
