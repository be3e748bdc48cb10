"""The secrets that let callers in: files that only the user can read, and the tokens of sessions that are made from one of them."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path


def kept_secret(path: Path) -> str:
    """Return the secret in a file that only the user can read; make the secret if the file is missing or empty.

    A file is empty if the disk was full when it was made. An empty secret would let everybody in."""
    with open(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600), "r+") as file:
        os.fchmod(file.fileno(), 0o600)
        words = file.read().strip()
        if not words:
            words = secrets.token_urlsafe(32)
            file.seek(0)
            file.write(words + "\n")
    return words


def agent_token(secret: str, session_id: str) -> str:
    """Return the token for the environment of a session. The token names its session, and only the daemon's secret can make one."""
    proof = hmac.new(secret.encode(), session_id.encode(), hashlib.sha256).hexdigest()
    return f"{session_id}.{proof}"
