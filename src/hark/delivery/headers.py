"""The header above every message: how it is written, how it is found again, and why nobody else can write one.

    [Input from: NAME (SESSION) via hark send · ID]
    [Input from: NAME (SESSION, reply to ID) via hark send · ID]

hark quotes a line of a text that reads as a header with `> ` before the text goes to an agent. A line that is quoted already gets
one more `> `, so that a reader can tell the text from what was sent. A sender's name holds no brackets of any kind. So every unquoted header
line of a payload is hark's own, and hark finds only those lines.
"""

import re

from hark.model.ids import MessageId
from hark.model.message import Message
from hark.model.text.names import clean_sender
from hark.model.text.quoting import QUOTE

OURS = "via hark send · "
"""The words that stand before the message id in the header of every message."""

_ORIGIN = r"[0-9a-f]{8}|[0-9a-f]{8}, reply to [0-9a-f]{12}|reply to [0-9a-f]{12}"
_HEADER = re.compile(rf"(?m)^\[Input from: [^\[\]()\n]+(?: \((?:{_ORIGIN})\))? {OURS}([0-9a-f]{{12}})\]\r?$")


def header(message: Message) -> str:
    reply = f"reply to {message.in_reply_to}" if message.in_reply_to else None
    origin = ", ".join(part for part in (message.sender_session_id, reply) if part)
    between = f" ({origin})" if origin else ""
    return f"[Input from: {clean_sender(message.sender_name)}{between} {OURS}{message.id}]"


def find_message_ids(prompt: str) -> tuple[MessageId, ...]:
    """Return the ids in those lines of a prompt that are headers and nothing else, each id once. A quoted header does not count."""
    return tuple(dict.fromkeys(MessageId(found) for found in _HEADER.findall(prompt)))


def stands_unquoted(record: bytes, message_id: MessageId) -> bool:
    """Return whether the header of the message stands unquoted in an agent's record of its conversation, which is JSON."""
    marks = [f"{OURS}{message_id}]".encode(spelling, "backslashreplace") for spelling in ("utf-8", "ascii")]
    return any(_is_unquoted(record, mark.replace(b"\\x", b"\\u00")) for mark in marks)


def _is_unquoted(record: bytes, mark: bytes) -> bool:
    at = record.find(mark)
    while at >= 0:
        beginning = record.rfind(b"[Input from: ", max(0, at - _LONGEST_IN_JSON), at)
        if beginning >= 0 and record[max(0, beginning - len(QUOTE)) : beginning] != QUOTE.encode():
            return True
        at = record.find(mark, at + 1)
    return False


_LONGEST_IN_JSON = 1200
"""The largest number of bytes in a header before its mark: a name of 64 characters, each written as two JSON escapes, and the rest."""
