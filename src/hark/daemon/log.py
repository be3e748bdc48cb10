"""The daemon's log: one JSON object per line, rotated by size, private to the user."""

import json
import logging
import logging.handlers
import os
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Any

logger = logging.getLogger("hark")

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line |= {key: value for key, value in vars(record).items() if key not in _PLAIN}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        # ASCII: among what others send there are characters that some take for the end of a line, or that drive a terminal.
        return json.dumps(line, default=str)


class PrivateFile(logging.handlers.RotatingFileHandler):
    """Also the files that it begins after the first."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600))


def open_log(path: Path, level: str, max_bytes: int) -> logging.Handler:
    handler = PrivateFile(path, maxBytes=max_bytes, backupCount=3, encoding="utf-8")
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False
    return handler


def close_log(handler: logging.Handler) -> None:
    logger.removeHandler(handler)
    handler.close()
