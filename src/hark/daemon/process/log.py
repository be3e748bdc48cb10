"""The daemon's log: one JSON object per line, rotated by size, private to the user.

A daemon that a command has started has no stderr. So everything goes into this log: what hark logs, what libraries log, and
exceptions that nobody has caught, in whatever thread.
"""

import json
import logging
import logging.handlers
import os
import sys
import threading
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
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
        if record.name != logger.name:
            line["logger"] = record.name
        line |= {key: value for key, value in vars(record).items() if key not in _PLAIN}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        # ASCII only: what others send may have characters that some programs take for the end of a line, or that control a terminal.
        return json.dumps(line, default=str)


class PrivateFile(logging.handlers.RotatingFileHandler):
    """A rotating log file that only its user can read, also after a rotation."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600))


def open_log(path: Path, level: str, max_bytes: int) -> logging.Handler:
    """Open the log. Messages of libraries below a warning are of little interest; they are logged only with `debug`."""
    handler = PrivateFile(path, maxBytes=max_bytes, backupCount=3, encoding="utf-8")
    handler.setFormatter(JsonLines())
    handler.addFilter(_is_worth_a_line)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG if level == "debug" else max(logging.WARNING, logging.getLevelName(level.upper())))
    logger.setLevel(level.upper())
    sys.excepthook, threading.excepthook, sys.unraisablehook = _log_uncaught, _log_in_thread, _log_unraisable
    return handler


def close_log(handler: logging.Handler) -> None:
    sys.excepthook, threading.excepthook, sys.unraisablehook = _USUAL_HOOKS
    logging.getLogger().removeHandler(handler)
    handler.close()


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    """Return False for what libraries log about callers that have hung up, because every caller may do that at any time."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or kind.__name__ != "ClientDisconnect"


_USUAL_HOOKS = (sys.__excepthook__, threading.__excepthook__, sys.__unraisablehook__)


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logger.critical("uncaught exception", exc_info=(kind, error, trace))


def _log_in_thread(args: threading.ExceptHookArgs) -> None:
    name = args.thread.name if args.thread else None
    error = args.exc_value or args.exc_type()
    logger.critical(
        "uncaught exception in a thread", extra={"in_thread": name}, exc_info=(args.exc_type, error, args.exc_traceback)
    )


def _log_unraisable(args: "sys.UnraisableHookArgs") -> None:
    error = args.exc_value or args.exc_type()
    detail = f"{args.err_msg or 'ignored'}: {args.object!r}"
    logger.error(
        "exception that could not be raised",
        extra={"detail": detail},
        exc_info=(args.exc_type, error, args.exc_traceback),
    )
