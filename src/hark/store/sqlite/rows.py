"""The conversion of structs to rows and back, derived from the types of the fields.

A column has the name of its field, except where the seeds gave it another name. Instants become microseconds since the
epoch, and structures become JSON. Enums and booleans are written as they are, and converted back to their type when they are read.
"""

import types
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from hark.model.answer import Answer
from hark.model.event import Event
from hark.model.message import Draft, Message, Receipt
from hark.model.question import Question
from hark.model.reminder import Reminder
from hark.model.session import Session
from hark.model.viewer import Browser, Notification

T = TypeVar("T", bound=msgspec.Struct)
Row = dict[str, Any]
Codec = Callable[[Any], Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class Table(Generic[T]):
    """The conversion between one kind of struct and the rows of its table."""

    def __init__(self, struct: type[T], **columns: str) -> None:
        """`columns` gives, by field, the names of the columns that do not have the name of their field."""
        hints = get_type_hints(struct)
        self._struct = struct
        self._fields = struct.__struct_fields__
        self._columns = [columns.get(field, field) for field in self._fields]
        codecs = [_codec(_without_none(hints[field])) for field in self._fields]
        self._encode = {field: encode for field, (encode, _) in zip(self._fields, codecs, strict=True) if encode}
        self._decode = {field: decode for field, (_, decode) in zip(self._fields, codecs, strict=True) if decode}

    @property
    def columns(self) -> str:
        return ", ".join(self._columns)

    def to_row(self, value: T) -> Row:
        row = {}
        for field, column in zip(self._fields, self._columns, strict=True):
            cell = getattr(value, field)
            encode = self._encode.get(field)
            row[column] = encode(cell) if encode and cell is not None else cell
        return row

    def from_row(self, row: Sequence[Any]) -> T:
        cells = dict(zip(self._fields, row, strict=True))
        for field, decode in self._decode.items():
            if cells[field] is not None:
                cells[field] = decode(cells[field])
        return self._struct(**cells)


def _codec(kind: Any) -> tuple[Codec | None, Codec | None]:
    if kind is datetime:
        return to_micros, from_micros
    if kind is bool or (isinstance(kind, type) and issubclass(kind, Enum)):
        return None, kind
    if (isinstance(kind, type) and issubclass(kind, msgspec.Struct)) or get_origin(kind) in (tuple, dict):
        return to_json, msgspec.json.Decoder(kind).decode
    return None, None


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    (kind,) = (part for part in get_args(hint) if part is not type(None))
    return kind


class ReceiptTable(Table[Receipt]):
    """The table of receipts. The first receipt of a message has no previous status; its row says 'new', so that it refers to a legal
    transition like the rows of all other receipts."""

    FIRST = "new"

    def to_row(self, value: Receipt) -> Row:
        return super().to_row(value) | {"previous_status": value.previous or self.FIRST}

    def from_row(self, row: Sequence[Any]) -> Receipt:
        message_id, previous, *others = row
        return super().from_row((message_id, None if previous == self.FIRST else previous, *others))


SESSIONS = Table(Session)
MESSAGES = Table(Message, session_id="target_session_id", mode="delivery_mode", notify_after_s="notify_after_seconds")
RECEIPTS = ReceiptTable(Receipt, previous="previous_status")
ANSWERS = Table(Answer)
EVENTS = Table(Event)
DRAFTS = Table(Draft)
REMINDERS = Table(Reminder)
QUESTIONS = Table(Question, end="how_ended")
BROWSERS = Table(Browser)
NOTIFICATIONS = Table(Notification)
