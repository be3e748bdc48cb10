"""What a screen shows since a prompt: the rows between the message's header and the input box, without the message's own text.

This is the last resort for an answer. The rows may hold more than the answer (tools, banners), and an agent wraps and decorates
what it says; so whoever shows such an answer says where it comes from.
"""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w")


def since_prompt(rows: Sequence[str], message_id: str, text: str, end: int | None = None) -> str | None:
    """Return the text below the last header of the message and above the row `end`; None if the header is out of sight or nothing
    stands below it. `text` is the text of the message, as it was typed."""
    shown = list(rows[:end])
    header = next((y for y in range(len(shown) - 1, -1, -1) if _ends_header(shown, y, message_id)), None)
    if header is None:
        return None
    below = _without_message(shown[header + 1 :], text)
    while below and not _WORD.search(below[-1]):
        below.pop()
    return "\n".join(row.rstrip() for row in below).strip("\n") or None


def _ends_header(rows: Sequence[str], y: int, message_id: str) -> bool:
    """Return whether the header of the message ends in this row. A narrow pane may wrap the id over two rows."""
    above = rows[y - 1].strip() if y else ""
    row = rows[y].strip()
    return f"{message_id}]" in row or (f"{message_id}]" in above + row and f"{message_id}]" not in above)


def _without_message(rows: list[str], text: str) -> list[str]:
    """Drop the rows in which the agent repeats the message below its header, however they are wrapped and indented."""
    rest = _squeezed(text)
    for y, row in enumerate(rows):
        words = _squeezed(row)
        if not _WORD.search(words):
            continue
        if not rest or not rest.startswith(words):
            return rows[y:]
        rest = rest[len(words) :]
    return []


def _squeezed(text: str) -> str:
    return re.sub(r"\W", "", text)
