"""python -m tests.signals.atheris_fuzz [MILLIONS]: inputs that are found by looking at which branches they reach. Every chunk must
give what the reference gives. Needs atheris, which `scripts/fuzz-signals` puts into an environment of its own."""

from __future__ import annotations

import os
import sys

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports():
    from hark.signals.detector import SignalDetector
    from tests.signals.reference import Reference
    from tests.signals.streams import PIECES

LONGEST = 4096
_size = 0


def compare(data: bytes) -> None:
    """The first bytes say where to cut, and which pieces to put in: random bytes alone hardly ever make a sequence."""
    global _size
    provider = atheris.FuzzedDataProvider(data)
    detector, reference = SignalDetector(), Reference()
    while provider.remaining_bytes():
        if provider.ConsumeBool():
            chunk = PIECES[provider.ConsumeIntInRange(0, len(PIECES) - 1)]
        else:
            chunk = provider.ConsumeBytes(provider.ConsumeIntInRange(1, 64))
        _size += len(chunk)
        assert detector.feed(chunk) == reference.feed(chunk), chunk
        assert len(detector._tail) + len(detector._line) < 40_000


def main(millions: float) -> None:
    def one(data: bytes) -> None:
        compare(data)
        if _size > millions * 1_000_000:
            print(f"{_size:,} bytes, no difference", flush=True)
            os._exit(0)

    atheris.Setup(
        [sys.argv[0], f"-max_len={LONGEST}", "-rss_limit_mb=2048", "-print_final_stats=0", "-verbosity=0"], one
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 100.0)
