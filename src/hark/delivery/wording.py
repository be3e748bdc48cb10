"""How hark puts a message into words for an agent: a header that names sender and message, then the text, made harmless.

The header comes first, so a payload can never begin with a command (`/`, `!`, `#`, `?`) of any agent. The header also carries the
message id, by which the agent's own records can prove that the message arrived.
"""

import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from hark.delivery.headers import header
from hark.model.errors import HarkError
from hark.model.message import Message
from hark.model.text.quoting import quote_headers, reads_as_header

# C0 except newline and tab, DEL, and C1: an escape among these characters could end the paste and press keys.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Line and paragraph separators and unpaired surrogates break terminals in other ways.
_SEPARATORS = re.compile(r"[\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# At the very end of a text these make Enter mean something else: a newline (backslash), or a completion (@word, also in the middle of a
# word, and $word in Codex).
_CATCHES_ENTER = re.compile(r"(\\|@\S*|(?:^|\s)\$\S*)\Z")


_MAY_OPEN_MENU = re.compile(r"(?:^|\s)@")


def check_text(text: str, longest: int) -> str:
    """Return the text if a sender may send it, and raise an error that says what is wrong with it otherwise. Control bytes are refused
    here, not silently dropped."""
    if not text.strip():
        raise HarkError("text-empty", "there is no text to send", "give a text, or `-` to read it from stdin")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > longest:
        raise HarkError(
            "text-too-long",
            f"the text has {size} bytes, the limit is {longest}",
            "put it into a file and send the file's path",
        )
    if hit := _CONTROL.search(text.replace("\r\n", "\n").replace("\r", "\n")) or _SURROGATE.search(text):
        raise HarkError(
            "text-control-bytes",
            f"the text has a control character (U+{ord(hit[0]):04X})",
            "send printable text, newlines and tabs only",
        )
    return text


LONGEST_INLINE = 64 * 1024
"""The largest payload that is pasted whole, in bytes; a longer text goes into a file, and the payload says where."""
LONGEST_HANDED_OVER = 8192
"""The largest text that a hook hands over, in bytes: agents cut off what a hook says beyond some ten thousand characters."""


def payload(message: Message, file: str | None = None) -> str:
    """Return what goes to the agent for this message. If a file holds the text, the payload only points to that file. A raw text has no
    header, because it may be a command."""
    if message.is_raw:
        text = body(message)
        # Gemini CLI takes a paste of one digit for the key, which answers a dialog. It does not do so with a paste that has a blank
        # behind the digit.
        return f"{text.strip()} " if len(text.strip()) == 1 else text
    above = f"{header(message)}\n{HOW_TO_REPLY}\n" if asks_for_reply(message) else f"{header(message)}\n"
    if file is None:
        return above + body(message)
    size = len(message.text.encode())
    return f"{above}The message is {size} bytes long. Read it in this file: {file} "


HOW_TO_REPLY = "(To reply to the sender, run: hark reply ID TEXT. The ID is at the end of the line above.)"
"""The line that tells an agent how to answer another agent. It does not repeat the message's id: on a screen the id marks where a
payload begins."""


def asks_for_reply(message: Message) -> bool:
    """Return whether the agent is told how to reply: if another session has sent the message, and the message is not a reply itself.
    Agents that were told with every reply would thank each other without end."""
    is_from_another = message.sender_session_id not in (None, message.session_id)
    return is_from_another and message.in_reply_to is None and not message.is_raw


def body(message: Message) -> str:
    """Return the text as an agent may read it: nothing in the result drives a terminal, and no line of it reads as a header of hark's."""
    return quote_headers(sanitise(message.text))


def restored(count: int) -> str:
    messages = "a message was" if count == 1 else f"{count} messages were"
    return f"hark: your input was preserved while {messages} delivered"


BETWEEN = "\n\n"
"""The separator between two messages in one payload."""


class InlineLimits(Struct, frozen=True):
    """The limits within which an agent takes a text whole; any other text goes into a file that the message points to."""

    longest: int = LONGEST_INLINE
    """The size of the longest text that the agent takes whole, in bytes."""
    mention: str | None = None
    """A pattern for the words that the agent looks for in its project before its turn begins; None if there are no such words."""
    most_mentions: int = 0

    def take(self, text: str) -> bool:
        if len(text.encode()) > self.longest:
            return False
        return self.mention is None or len(re.findall(self.mention, text)) <= self.most_mentions


ANY_AGENT = InlineLimits()


def join(parts: Sequence[str], limits: InlineLimits = ANY_AGENT) -> tuple[str, int]:
    """Join as many of the payloads as one paste can hold, at least the first, and return the result and the number of joined payloads."""
    count = 1
    while count < len(parts) and limits.take(BETWEEN.join(parts[: count + 1])):
        count += 1
    return BETWEEN.join(parts[:count]), count


def mark(message: Message) -> str:
    """Return the mark by which the message's payload is known on a screen: its id, or for a raw text, which has no id, its last line."""
    return message.id if not message.is_raw else payload(message).strip().rpartition("\n")[2]


def check_raw(text: str) -> str:
    """Return the raw text if it is one line that a screen can show, and raise an error otherwise: nothing proves a raw text but
    itself."""
    if "\n" in text.strip() or len(text) > LONGEST_RAW:
        raise HarkError(
            "request-invalid",
            f"a raw text must be one line of at most {LONGEST_RAW} characters",
            "send it without --raw",
        )
    if reads_as_header(text):
        raise HarkError("request-invalid", "a raw text must not look like a header of hark", "send it without --raw")
    return text


LONGEST_RAW = 500


def needs_file(message: Message, limits: InlineLimits = ANY_AGENT) -> bool:
    """Return whether the text must go into a file because the agent does not take it whole. The header does not count for that."""
    return not message.is_raw and not limits.take(message.text)


def fits(text: str, columns: int, rows: int) -> bool:
    """Return whether a box on a screen of this size surely shows the whole text. Of 30 rows Gemini CLI gives its box 10, Copilot 13 and
    Codex 16."""
    needed = sum(1 + 2 * len(line) // max(columns - 4, 1) for line in text.split("\n"))
    return needed <= max(min(rows - 8, rows // 3), 2)


def sanitise(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _SEPARATORS.sub("\n", _SURROGATE.sub("\ufffd", _CONTROL.sub("", text)))
    text = unicodedata.normalize("NFC", text).strip("\n")
    return text + " " if catches_enter(text) else text


def past_menus(text: str) -> str:
    """Return the text with so many blanks behind it that no `@word` in it stands where an agent looks for one by columns: JavaScript counts
    a text in units of UTF-16, of which every character that is not ASCII may be one or two and have no column at all."""
    if text.isascii() or not _MAY_OPEN_MENU.search(text):
        return text
    units = len(text.encode("utf-16-le")) // 2
    surely_columns = sum(character.isascii() and character.isprintable() for character in text)
    return text + " " * (units - surely_columns + 1)


def catches_enter(text: str) -> bool:
    """Return whether an Enter behind this text makes a new line or completes a word, instead of submitting the text."""
    return _CATCHES_ENTER.search(text) is not None
