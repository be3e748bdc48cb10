"""The newest bytes of a stream, by their positions. Old bytes fall out at the far end."""

from collections import deque


class Ring:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self.start = 0
        """The position of the oldest byte that is kept."""
        self.end = 0
        """The position after the newest byte."""

    def add(self, data: bytes) -> None:
        self._chunks.append(data)
        self.end += len(data)
        while self.end - self.start > self._limit and len(self._chunks) > 1:
            self.start += len(self._chunks.popleft())

    def has(self, position: int) -> bool:
        """True if everything from this position on is kept."""
        return self.start <= position <= self.end

    def read(self, position: int, most: int) -> bytes:
        """Return up to `most` bytes from the position on. The position must be one that the ring has."""
        pieces: list[bytes] = []
        at, left = self.start, most
        for chunk in self._chunks:
            following = at + len(chunk)
            if following > position:
                piece = chunk[max(0, position - at) :][:left]
                pieces.append(piece)
                left -= len(piece)
                if left <= 0:
                    break
            at = following
        return b"".join(pieces)
