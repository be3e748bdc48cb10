"""sampling.py FILE serve …: the daemon, and where its CPU time goes.

A timer that runs on the process's own CPU time looks at the stacks of its threads. A thread that waits (in the selector, for the
next hop) was not at work; whoever else was shares the sample. At the end FILE has the shares by function: alone, and with all that
it calls. A look costs little, so the daemon is nearly as fast as without.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

EVERY_S = 0.004
MOST = 150
_WAITING = {
    ("selectors.py", "select"),
    ("unix_events.py", "_do_waitpid"),
    ("writer.py", "_take"),
    ("threading.py", "wait"),
}


class Samples:
    def __init__(self) -> None:
        self._alone: Counter[str] = Counter()
        self._with_all: Counter[str] = Counter()
        self._total = 0

    def start(self) -> None:
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _look(self, number: int, frame: FrameType | None) -> None:
        frames = sys._current_frames() | ({_main_thread(): frame} if frame else {})
        for working in (one for one in frames.values() if not _is_waiting(one)):
            self._count(working)

    def _count(self, frame: FrameType) -> None:
        self._total += 1
        self._alone[_name(frame.f_code)] += 1
        names, above = set(), frame
        while above is not None:
            names.add(_name(above.f_code))
            above = above.f_back  # type: ignore[assignment]
        self._with_all.update(names)

    def told(self) -> str:
        rows = []
        for title, counts in (("alone", self._alone), ("with all that it calls", self._with_all)):
            rows.append(f"{title}, of {self._total} samples")
            rows += [f"  {count / max(1, self._total):6.1%}  {name}" for name, count in counts.most_common(MOST)]
        return "\n".join(rows) + "\n"


def _main_thread() -> int:
    return threading.main_thread().ident or 0


def _is_waiting(frame: FrameType) -> bool:
    return (Path(frame.f_code.co_filename).name, frame.f_code.co_name) in _WAITING


def _name(code: CodeType) -> str:
    return f"{'/'.join(Path(code.co_filename).parts[-2:])} {code.co_qualname}"


def main() -> int:
    from hark.cli.main import main as hark

    place, sys.argv = Path(sys.argv[1]), ["hark", *sys.argv[2:]]
    samples = Samples()
    samples.start()
    try:
        return hark()
    finally:
        samples.stop()
        place.write_text(samples.told())


if __name__ == "__main__":
    sys.exit(main())
