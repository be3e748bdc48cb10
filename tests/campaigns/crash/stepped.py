"""The ordinary daemon, except that its wall clock is ahead of the real one by as many seconds as a file says.

python stepped.py OFFSET [ARGUMENT ...]       the arguments are those of `hark serve`
"""

from __future__ import annotations

import datetime as real
import sys
from pathlib import Path

OFFSET = Path(sys.argv[1])


def offset() -> real.timedelta:
    try:
        return real.timedelta(seconds=float(OFFSET.read_text()))
    except (OSError, ValueError):
        return real.timedelta()


class Stepped(real.datetime):
    @classmethod
    def now(cls, tz: real.tzinfo | None = None) -> real.datetime:  # type: ignore[override]
        return real.datetime.now(tz) + offset()


if __name__ == "__main__":
    import hark.daemon.process.clock

    hark.daemon.process.clock.datetime = Stepped  # type: ignore[attr-defined]
    from hark.cli.main import main

    sys.argv = ["hark", "serve", *sys.argv[2:]]
    sys.exit(main())
