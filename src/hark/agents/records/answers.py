"""Finds the answer to a message in the record that an agent keeps of its conversation: lines of JSON, which the agent's own folder
understands. The end of the record is read first; only if the message does not stand there, more of it is read."""

from collections.abc import Iterator

import msgspec

from hark.agents.records.files import read_part
from hark.agents.records.words import Json
from hark.agents.registry import find_agent
from hark.model.answer import Spoken
from hark.model.ids import MessageId

LOOKS = (2_000_000, 32_000_000)
"""How many bytes of the end of a record are read, one after the other."""


def read_recorded_answer(kind: str, path: str, message_id: MessageId) -> Spoken | None:
    """Return the final words of the turn that has the message; None if the record has no such turn. Raise an OSError if the record
    cannot be read."""
    mark = message_id.encode()
    for back in LOOKS:
        part = read_part(path, None, back, back=back)
        first = part.data.find(mark)
        if first >= 0:
            return _read(kind, part.data[part.data.rfind(b"\n", 0, first) + 1 :], message_id)
        if part.start == 0:
            break
    return None


def _read(kind: str, data: bytes, message_id: MessageId) -> Spoken | None:
    try:
        return find_agent(kind).read_answer(list(_entries(data)), message_id)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        # This record has another shape than those that hark knows.
        return None


def _entries(data: bytes) -> Iterator[Json]:
    """Yield the whole lines. The last line may be half written, and is no JSON then."""
    for line in data.splitlines():
        try:
            entry = msgspec.json.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry
