"""How fast a stream is read for signals: hark's detector against what others do, on output of three kinds in chunks of 4 KB.

Only the first two are exact; `tests/unit/signals` proves that they find the same. How fast tmux feeds a pane says how much is needed.
"""

import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyte

from hark.signals.detector import SignalDetector
from hark.signals.marker import Marker
from tests.unit.signals.reference import Reference

CHUNK = 4096
SIZE = 8_000_000
SLOW_SIZE = 400_000
"""For those that would take minutes."""
ROUNDS = 3
REPOSITORY = Path(__file__).parents[3]
MARKER = b"\n--<[hark:completed:done]>--\n"
MARKERS_EVERY = 200_000
FED_MB = 20
# What schmux had before it had a state machine.
PATTERNS = (
    re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]"),
    re.compile(rb"\x1b\][^\x07]*\x07"),
    re.compile(rb"\x1b[()][AB012]"),
    re.compile(rb"\x1b[=>78]"),
)
SIGNAL = re.compile(rb"--<\[(?:schmux|hark):(\w+):(.*?)\]>--")

Reader = Callable[[Sequence[bytes]], int]


def run() -> None:
    print(
        "reading streams for signals, in chunks of 4 KB, per second of processor time (aim: at least 500 MB/s, exact)"
    )
    for name, data in samples().items():
        _compare(name, data)
    print(f"  tmux feeds a pane with                     {_fed_by_tmux():8.1f} MB/s\n")


def samples() -> dict[str, bytes]:
    ours = _text()
    text = ours.replace(b"hark", b"lark").replace(b"schmux", b"schnux")
    return {
        "plain text": _with_markers(text),
        "plain text with a namespace in every third line": _with_markers(ours),
        "colour-heavy output": _with_markers(_coloured(text)),
        "redraw-heavy output": _with_markers(_redrawn(text)),
    }


def _compare(name: str, data: bytes) -> None:
    chunks = _chunks(data)
    few = _chunks(data[:SLOW_SIZE])
    ours, found = _speed(_by_detector, chunks)
    print(f"  {name}: {data.count(MARKER)} markers, of which the detector found {found}")
    plain, _ = _speed(_by_detector_with_mentions, chunks)
    print(f"    the detector                           {ours:8.1f} MB/s", flush=True)
    print(
        f"    the same for a program that only prints lines, where every mention of a namespace counts {plain:.1f} MB/s"
    )
    others: tuple[tuple[str, Reader, Sequence[bytes]], ...] = (
        ("a byte-by-byte state machine, exact", _by_reference, few),
        ("four patterns, chunk by chunk", _by_patterns, chunks),
        ("pyte, a screen of 120x40", _by_pyte, few),
    )
    for other, reader, given in others:
        speed, found = _speed(reader, given)
        expected = sum(chunk.count(b"]>--") for chunk in given)
        told = f"{ours / speed:9.1f} times slower, {found} of about {expected} found"
        print(f"    {other:<38} {speed:8.1f} MB/s {told}", flush=True)


def _speed(reader: Reader, chunks: Sequence[bytes]) -> tuple[float, int]:
    best, found = float("inf"), 0
    for _ in range(ROUNDS):
        started = time.process_time()
        found = reader(chunks)
        best = min(best, time.process_time() - started)
    return sum(map(len, chunks)) / best / 1e6, found


def _by_detector(chunks: Sequence[bytes]) -> int:
    detector = SignalDetector(has_mentions=False)
    return sum(isinstance(one, Marker) for chunk in chunks for one in detector.feed(chunk))


def _by_detector_with_mentions(chunks: Sequence[bytes]) -> int:
    detector = SignalDetector()
    return sum(isinstance(one, Marker) for chunk in chunks for one in detector.feed(chunk))


def _by_reference(chunks: Sequence[bytes]) -> int:
    reference = Reference()
    return sum(isinstance(one, Marker) for chunk in chunks for one in reference.feed(chunk))


def _by_patterns(chunks: Sequence[bytes]) -> int:
    found = 0
    for chunk in chunks:
        for pattern in PATTERNS:
            chunk = pattern.sub(b"", chunk)
        found += len(SIGNAL.findall(chunk))
    return found


def _by_pyte(chunks: Sequence[bytes]) -> int:
    """A screen that is looked at after every chunk; what has scrolled away by then is lost."""
    screen = pyte.Screen(120, 40)
    stream = pyte.ByteStream(screen)
    found, last = 0, 0
    for chunk in chunks:
        stream.feed(chunk)
        seen = sum("--<[hark:" in row for row in screen.display)
        found, last = found + max(0, seen - last), seen
    return found


def _chunks(data: bytes) -> list[bytes]:
    return [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]


def _text() -> bytes:
    """What agents show most: sources. Hark's own, but for those that are about markers. Our name stands in many of their lines,
    and every such line is a near miss: only an agent that works on hark itself shows so many."""
    files = sorted(REPOSITORY.glob("src/hark/**/*.py"))
    texts = (path.read_bytes() for path in files)
    text = b"".join(text for text in texts if b"<[" not in text)
    return (text * (SIZE // len(text) + 1))[:SIZE]


def _coloured(text: bytes) -> bytes:
    """As a highlighter does it: names, strings and signs each in their colour."""

    def paint(found: re.Match[bytes]) -> bytes:
        return b"\x1b[38;5;%dm%s\x1b[0m" % (len(found[0]) % 200 + 20, found[0])

    return re.sub(rb"\b(?:def|class|return|if|for|import|from|self|str|int|None)\b|\"[^\"\n]*\"", paint, text)[:SIZE]


def _redrawn(text: bytes) -> bytes:
    """As a terminal program does it: frames of rows that are put where they belong, between synchronised updates."""
    rows = [row[:100] for row in text.split(b"\n")]
    frames = []
    for start in range(0, len(rows) - 20, 20):
        drawn = [
            b"\x1b[%d;3H\x1b[2K\x1b[38;5;246m%s\x1b[39m" % (1 + n, row)
            for n, row in enumerate(rows[start : start + 20])
        ]
        frames.append(b"\x1b[?2026h\x1b[?25l" + b"".join(drawn) + b"\x1b[22;1H\x1b[?25h\x1b[?2026l\r\n")
    return b"".join(frames)[:SIZE]


def _with_markers(data: bytes) -> bytes:
    """At the beginnings of lines: within a sequence they would be none."""
    pieces, place = [], 0
    for wanted in range(MARKERS_EVERY, len(data), MARKERS_EVERY):
        end = data.find(b"\n", wanted) + 1 or len(data)
        pieces += [data[place:end], MARKER]
        place = end
    return b"".join([*pieces, data[place:]])


def _fed_by_tmux() -> float:
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as directory:
        socket, done = f"{directory}/s", Path(directory) / "done"
        tmux = ["tmux", "-S", socket, "-f", "/dev/null"]
        (Path(directory) / "text").write_bytes(_text())
        shell = f"for i in {' '.join(map(str, range(FED_MB * 1_000_000 // SIZE)))}; do cat {directory}/text; done; touch {done}; exec sleep 60"
        started = time.perf_counter()
        subprocess.run([*tmux, "new-session", "-d", "-x", "120", "-y", "40", "sh", "-c", shell], check=True)
        try:
            while not done.exists() and time.perf_counter() - started < 60:
                time.sleep(0.01)
            return FED_MB * 1_000_000 // SIZE * SIZE / (time.perf_counter() - started) / 1e6
        finally:
            subprocess.run([*tmux, "kill-server"], check=False)
