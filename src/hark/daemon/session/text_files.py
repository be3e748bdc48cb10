"""Long texts, in files of their own: the payload only says where."""

import errno
import os
from pathlib import Path

from hark.model.errors import HarkError
from hark.model.message import Message
from hark.model.quoting import quote_headers


def write_text(directory: Path, message: Message) -> str:
    """The path of the file that holds the message's text, with lines quoted that read as a header of ours."""
    path = directory / f"{message.id}.txt"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(quote_headers(message.text))
    except OSError as failure:
        code = "disk-full" if failure.errno in (errno.ENOSPC, errno.EDQUOT) else "state-not-writable"
        raise HarkError(code, f"{path}: {failure.strerror}", "free some space, or make it writable") from failure
    return str(path)
