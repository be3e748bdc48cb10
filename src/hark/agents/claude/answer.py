"""The final words of a turn in a transcript of Claude Code, which has one line for each block of content.

Lines of the same model message share a `message.id`. Prompts that were queued during a stream are adjacent `user` lines of one turn;
a prompt that was queued during a tool, and a text that a hook has added, is an attachment in the middle of the turn. The lines
`stop_hook_summary` and `turn_duration` come when the turn is over.
"""

from collections.abc import Iterator, Sequence

from hark.agents.records.words import Json
from hark.delivery.headers import find_message_ids
from hark.model.answer import Spoken
from hark.model.ids import MessageId

_INTERRUPTED = "[Request interrupted by user"
_ENDS = ("stop_hook_summary", "turn_duration")
_TAKEN = ("queued_command", "hook_additional_context")


def read_answer(entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
    """Return the final words of the turn that the message belongs to: the text blocks of the last model message that has any. Return
    None if the message or its answer is not there."""
    own = [entry for entry in entries if not entry.get("isSidechain")]
    places = [place for place, entry in enumerate(own) if message_id in _message_ids(entry)]
    if not places:
        return None
    said: dict[str, str] = {}
    is_over = has_begun = False
    for entry in own[places[-1] + 1 :]:
        if entry.get("type") == "assistant":
            has_begun = True
            _collect(entry, said)
        elif _ends_turn(entry, has_begun=has_begun):
            is_over = True
            break
    final = next((text for text in reversed(said.values()) if text.strip()), "")
    return Spoken(final.strip(), is_over) if final or is_over else None


def _collect(entry: Json, said: dict[str, str]) -> None:
    message = entry["message"]
    if message.get("model") == "<synthetic>" and not entry.get("isApiErrorMessage"):
        return
    texts = [part["text"] for part in message["content"] if part.get("type") == "text"]
    name = str(message.get("id"))
    said[name] = said.get(name, "") + "".join(texts)


def _ends_turn(entry: Json, *, has_begun: bool) -> bool:
    """Return whether this line shows that the turn is over. Before the agent has said anything, a prompt belongs to the same turn."""
    if entry.get("type") == "system":
        return has_begun and entry.get("subtype") in _ENDS
    if entry.get("type") != "user" or entry.get("isMeta"):
        return False
    texts = list(_texts(entry))
    return any(text.startswith(_INTERRUPTED) for text in texts) or (has_begun and bool(texts))


def _message_ids(entry: Json) -> tuple[MessageId, ...]:
    return tuple(found for text in _texts(entry) for found in find_message_ids(text))


def _texts(entry: Json) -> Iterator[str]:
    """Yield the texts that the agent was given in this line: a prompt, or what it took from its queue or from a hook."""
    attachment = entry.get("attachment")
    if entry.get("type") == "user":
        content = entry["message"]["content"]
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        yield from (part["text"] for part in parts if part.get("type") == "text")
    elif isinstance(attachment, dict) and attachment.get("type") in _TAKEN:
        for value in attachment.values():
            yield from (text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str))
