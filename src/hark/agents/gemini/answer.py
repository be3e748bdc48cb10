"""The final words of a turn in a chat file of Gemini CLI, which has one line for each message.

Gemini CLI writes a message again, under the same id, when it has called tools: the last line counts. A line of the user without a
text is the result of a tool. The chat file is whole before the hook for the end of the turn runs; what that hook itself reports as
the response is garbled when the answer came in several pieces, so hark never uses it.
"""

from collections.abc import Sequence

from hark.agents.records.words import Json
from hark.delivery.headers import find_message_ids
from hark.model.answer import Spoken
from hark.model.ids import MessageId

_OWN_PROMPT = "System: "
"""Gemini CLI prompts itself with such a line when it believes that its model loops."""


def read_answer(entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
    """Return the last words after the prompt with the message and before the next prompt. They are empty if the record has the prompt and
    no words behind it, as after a request that failed; None if the record does not have the prompt."""
    places = [place for place, entry in enumerate(entries) if message_id in find_message_ids(_prompt(entry))]
    if not places:
        return None
    said: dict[str, str] = {}
    for entry in entries[places[-1] + 1 :]:
        if entry.get("type") == "gemini":
            said[str(entry.get("id"))] = _text(entry["content"])
        elif said and _prompt(entry) and not _prompt(entry).startswith(_OWN_PROMPT):
            break
    final = next((text for text in reversed(said.values()) if text.strip()), "")
    return Spoken(final) if final else Spoken("", is_over=False)


def _prompt(entry: Json) -> str:
    return _text(entry.get("content", "")) if entry.get("type") == "user" else ""


def _text(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part.get("text", "") if isinstance(part, dict) else str(part) for part in parts)
