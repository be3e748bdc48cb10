"""Records what the demo agent saw and did, as JSON lines. Tests compare the record with what was sent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path


class Record:
    """Appends one line for each event and flushes it at once; without a file it records nothing."""

    def __init__(self, file: Path | None) -> None:
        self.path = str(file or "")
        self._stream = file.open("a", encoding="ascii") if file else None

    def write(self, event: str, **fields: str | bool) -> None:
        if self._stream is None:
            return
        # JSON in ASCII with escapes also records bytes that are not UTF-8 (surrogates in Python).
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        self._stream.write(json.dumps({"at": at, "event": event, **fields}) + "\n")
        self._stream.flush()

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
