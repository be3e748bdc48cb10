"""OpenCode's HTTP API, as much of it as we speak. Pure.

OpenCode calls its conversations sessions (`ses_…`). Its messages have ids that begin with the time and end in random letters.
OpenCode sorts messages by these ids and lets a client choose them, so ours end in our message id. A prompt that is sent again
with the same ids is the same prompt: OpenCode asks nothing twice.

OpenCode has taken up a user's message when an answer exists whose parent is that message or a later one: the model always gets
everything that came before.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from hark.agents.native.picture import Turn, message_ids
from hark.agents.records.words import Words, at_ms
from hark.model.heard import Said
from hark.model.ids import MessageId

Json = dict[str, Any]
MARK = "hk"
OWN_ID = re.compile(rf"_[0-9a-f]{{12}}{MARK}([0-9a-f]{{12}})$")
GOES_ON = (None, "tool-calls", "unknown")
"""The ways in which an answer ends when the turn is not over."""


class Asked(Struct, frozen=True, kw_only=True):
    id: str
    message_ids: tuple[MessageId, ...]


class Answered(Struct, frozen=True, kw_only=True):
    parent: str
    is_written: bool
    """True if the agent adds nothing more to the message."""
    end: Said | None


def new_id(message_id: MessageId, now_ms: int) -> str:
    """Return a new id, without its prefix. The last three digits of the time count within one millisecond; OpenCode begins this count
    with one."""
    return f"{(now_ms * 0x1000) & 0xFFFFFFFFFFFF:012x}{MARK}{message_id}"


def prompt(own: str, text: str, like: Json | None) -> Json:
    """Return the body of a prompt. `like` is the human's last message: the agent and the model that were chosen for it stay chosen."""
    body: Json = {"messageID": f"msg_{own}", "parts": [{"id": f"prt_{own}", "type": "text", "text": text}]}
    chosen = like or {}
    if chosen.get("agent"):
        body["agent"] = chosen["agent"]
    if model := chosen.get("model"):
        body["model"] = {"providerID": model["providerID"], "modelID": model["modelID"]}
        if variant := model.get("variant") or chosen.get("variant"):
            body["variant"] = variant
    return body


def own_id(agents_id: str) -> MessageId | None:
    found = OWN_ID.search(agents_id)
    return MessageId(found[1]) if found else None


def last_asked(messages: Sequence[Json]) -> Json | None:
    return next((one["info"] for one in reversed(messages) if one["info"]["role"] == "user"), None)


def find(messages: Sequence[Json], message_id: MessageId) -> str | None:
    """Return the agent's own id of hark's message, without its prefix."""
    ids = (one["info"]["id"] for one in messages if one["info"]["role"] == "user")
    return next((found.partition("_")[2] for found in ids if own_id(found) == message_id), None)


def text_of(message: Json) -> str:
    return "\n".join(part["text"] for part in message["parts"] if part["type"] == "text")


def read_words(messages: Sequence[Json]) -> list[Words]:
    """Return the words that the agent has finished; what it is still saying is not on record yet."""
    parts = [part for one in messages if one["info"]["role"] == "assistant" for part in one["parts"]]
    said = [part for part in parts if part["type"] == "text" and (part.get("time") or {}).get("end")]
    return [Words(name=part["id"], text=part["text"], at=at_ms(part["time"]["end"])) for part in said]


def is_idle(session: str, statuses: Json) -> bool:
    """Return whether the conversation is idle: the API lists only conversations that are not."""
    return bool(statuses.get(session, {}).get("type", "idle") == "idle")


def is_asked(session: str, questions: Sequence[Json]) -> bool:
    """Return whether the conversation waits for the human: to permit something, or to choose."""
    return any(one["sessionID"] == session for one in questions)


def read_messages(messages: Sequence[Json], *, has_stopped: bool) -> tuple[tuple[Turn, ...], tuple[MessageId, ...]]:
    """Return the turns, and hark's messages that the agent has not begun to work on."""
    ordered = sorted((one for one in messages), key=lambda one: str(one["info"]["id"]))
    asked = [_asked(one) for one in ordered if one["info"]["role"] == "user"]
    answered = [_answered(one["info"]) for one in ordered if one["info"]["role"] == "assistant"]
    newest_parent = max((one.parent for one in answered), default="")
    turns: list[Turn] = []
    for one in reversed([one for one in asked if one.id <= newest_parent]):
        later = turns[-1].end if turns else None
        turns.append(
            Turn(id=one.id, message_ids=one.message_ids, end=_end(one, answered, later, has_stopped=has_stopped))
        )
    waiting = tuple(own for one in asked if one.id > newest_parent for own in one.message_ids)
    return tuple(reversed(turns)), waiting


def _end(asked: Asked, answered: list[Answered], later: Said | None, *, has_stopped: bool) -> Said | None:
    """Return how the work on a message has ended, or None if it has not: by the end of its own answer, or by that of the later message
    with which it was worked on. A message that ends in no answer was interrupted."""
    own = [one for one in answered if one.parent == asked.id]
    if own and own[-1].end:
        return own[-1].end
    is_left = has_stopped and all(one.is_written for one in own)
    return later or (Said.INTERRUPTED if is_left else None)


def _asked(message: Json) -> Asked:
    info = message["info"]
    return Asked(id=info["id"], message_ids=message_ids(text_of(message), own_id(info["id"])))


def _answered(info: Json) -> Answered:
    is_written = info["time"].get("completed") is not None
    is_over = is_written and info.get("finish") not in GOES_ON
    end = Said.STOPPED if is_over else None
    if error := info.get("error"):
        end = Said.INTERRUPTED if "Aborted" in error.get("name", "") else Said.STOPPED
    return Answered(parent=info["parentID"], is_written=is_written, end=end)


def begun_since(sessions: Sequence[Json], since: datetime) -> list[str]:
    """Return the conversations that the human has begun since then, without those of subagents."""
    own = (one for one in sessions if one.get("parentID") is None)
    return [one["id"] for one in own if at_ms(one["time"]["created"]) >= since]


def newest(sessions: Sequence[Json], most: int) -> list[str]:
    """Return the conversations in which something has happened last."""
    ordered = sorted(sessions, key=lambda one: float(one["time"]["updated"]), reverse=True)
    return [one["id"] for one in ordered[:most]]
