"""An agent's own record of its conversation, as a witness: whether a message of ours stands in it.

Its hooks say where it is. Only its end is read, and only our header counts: the mere id may stand there because the agent has
sent the message itself.
"""

import os
import stat

from hark.delivery.wording import OURS
from hark.model.ids import MessageId

LOOKED_AT = 4_000_000


def holds(path: str, message_id: MessageId) -> bool | None:
    """None when it cannot be read."""
    try:
        text = _end_of(path)
    except OSError:
        return None
    if text is None:
        return None
    plain = f"{OURS}{message_id}]"
    return plain.encode() in text or plain.encode("ascii", "backslashreplace").replace(b"\\x", b"\\u00") in text


def _end_of(path: str) -> bytes | None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None
        return os.pread(descriptor, LOOKED_AT, max(0, facts.st_size - LOOKED_AT))
    finally:
        os.close(descriptor)
