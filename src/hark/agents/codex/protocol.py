"""Codex's app-server protocol, as much of it as we speak: JSON-RPC without the version field. Pure.

Threads are Codex's conversations. A connection that has not resumed a thread hears only when threads start and when their status
changes. That is enough for hark until Codex asks something: Codex asks those who have resumed the thread (`approvals.py`).
"""

from typing import Any

import msgspec
from msgspec import Struct

from hark.agents.native.channel import ChannelLost, State
from hark.agents.native.picture import Turn, message_ids
from hark.agents.records.words import Words, at_ms
from hark.model.heard import Said
from hark.model.ids import MessageId

NAME = "hark"
PREFIX = "hark-"
"""The prefix of hark's message id in the name of a message; other clients name their messages differently."""

Json = dict[str, Any]
ENDS = {"completed": Said.STOPPED, "failed": Said.STOPPED, "interrupted": Said.INTERRUPTED}


class Answer(Struct, frozen=True):
    request_id: int
    result: Json
    error: str = ""


class Notice(Struct, frozen=True):
    method: str
    params: Json


class Request(Struct, frozen=True):
    """Something that the app-server asks its clients."""

    request_id: int | str
    method: str
    params: Json


class Thread(Struct, frozen=True, kw_only=True):
    id: str
    is_humans: bool
    """True if the thread is the human's, and not one of Codex's own, such as a subagent's."""


def request(request_id: int, method: str, params: Json) -> str:
    return msgspec.json.encode({"id": request_id, "method": method, "params": params}).decode()


def result(request_id: int | str, value: Json) -> str:
    return msgspec.json.encode({"id": request_id, "result": value}).decode()


def initialize(version: str) -> Json:
    capabilities = {"experimentalApi": True, "requestAttestation": False}
    return {"clientInfo": {"name": NAME, "title": None, "version": version}, "capabilities": capabilities}


INITIALIZED = '{"method":"initialized"}'


def read_frame(frame: str | bytes) -> Answer | Notice | Request | None:
    """Read one frame from the app-server. Return None for a frame of another form."""
    try:
        read = msgspec.json.decode(frame, type=Json)
    except msgspec.MsgspecError as wrong:
        raise ChannelLost(f"not a frame of the app-server: {wrong}") from wrong
    method, request_id = read.get("method"), read.get("id")
    if isinstance(method, str):
        params = read.get("params")
        known: Json = params if isinstance(params, dict) else {}
        if request_id is None:
            return Notice(method, known)
        return Request(request_id, method, known) if isinstance(request_id, int | str) else None
    if not isinstance(request_id, int):
        return None
    error = read.get("error")
    return Answer(
        request_id, read.get("result") or {}, str((error or {}).get("message", "")) or ("error" if error else "")
    )


def read_thread(thread: Json) -> Thread:
    is_own = thread["ephemeral"] or thread.get("parentThreadId") is not None
    return Thread(id=thread["id"], is_humans=not is_own and thread.get("threadSource") in (None, "user"))


def read_status(status: Json) -> State:
    match status.get("type"):
        case "idle" | "systemError":
            return State.IDLE
        case "active":
            return State.WAITING if status.get("activeFlags") else State.BUSY
        case _:
            return State.UNKNOWN


def read_turns(newest_first: list[Json]) -> tuple[Turn, ...]:
    return tuple(read_turn(turn) for turn in reversed(newest_first))


def read_turn(turn: Json) -> Turn:
    asked = [item for item in turn["items"] if item["type"] == "userMessage"]
    ids = [one for item in asked for one in message_ids(text_of(item["content"]), own_id(item.get("clientId")))]
    return Turn(id=turn["id"], message_ids=tuple(dict.fromkeys(ids)), end=ENDS.get(turn["status"]))


def read_words(newest_first: list[Json]) -> list[Words]:
    """Return the words that the agent has finished; what it is still saying is not on record yet."""
    said = [
        (turn["id"], item)
        for turn in reversed(newest_first)
        for item in turn["items"]
        if item["type"] == "agentMessage" and item.get("completedAtMs")
    ]
    return [
        Words(name=f"{turn}:{item['id']}", text=item["text"], at=at_ms(item["completedAtMs"])) for turn, item in said
    ]


def asked(turns: list[Json]) -> set[str]:
    """Return the ids of the turns that already show their prompt."""
    return {turn["id"] for turn in turns if any(item["type"] == "userMessage" for item in turn["items"])}


def read_queue(queue: list[Json]) -> dict[MessageId, str]:
    """Return the queue's own names for hark's messages in it, in order."""
    named = [(own_id(item["clientUserMessageId"]), item["id"]) for item in queue]
    return {message_id: queued_id for message_id, queued_id in named if message_id}


def client_id(message_id: MessageId) -> str:
    return PREFIX + message_id


def own_id(client: str | None) -> MessageId | None:
    return MessageId(client.removeprefix(PREFIX)) if client and client.startswith(PREFIX) else None


def text_of(content: list[Json]) -> str:
    return "\n".join(part["text"] for part in content if part.get("type") == "text")
