"""Writes long texts to files of their own; the payload only says where the file is."""

import errno
import os
from pathlib import Path

from hark.model.errors import HarkError
from hark.model.message import Message
from hark.model.text.quoting import quote_headers


def write_text(directory: Path, message: Message) -> str:
    """Write the message's text to a file, and return the file's path. Lines that read as a header of hark's own are quoted."""
    path = directory / f"{message.id}.txt"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(quote_headers(message.text))
    except OSError as failure:
        code = "disk-full" if failure.errno in (errno.ENOSPC, errno.EDQUOT) else "state-not-writable"
        raise HarkError(code, f"{path}: {failure.strerror}", "free some space, or make it writable") from failure
    return str(path)
