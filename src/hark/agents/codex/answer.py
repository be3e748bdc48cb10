"""The final words of a turn of Codex: in what its app-server lists, and in the rollout file that it keeps without one."""

from collections.abc import Sequence

from hark.agents.codex.protocol import read_turn
from hark.agents.records.words import Json, join_texts
from hark.delivery.headers import find_message_ids
from hark.model.answer import Spoken
from hark.model.ids import MessageId

FINAL = "final_answer"


def find_answer(turns: Sequence[Json], message_id: MessageId) -> Spoken | None:
    """Return the final words of the listed turn that has the message: what the model calls its final answer, else its last words.
    Return None if no turn has the message."""
    turn = next((turn for turn in turns if message_id in read_turn(turn).message_ids), None)
    if turn is None:
        return None
    said = [item for item in turn["items"] if item["type"] == "agentMessage" and item["text"].strip()]
    final = [item for item in said if item.get("phase") == FINAL] or said
    return Spoken(final[-1]["text"] if final else "", turn["status"] != "inProgress")


def read_answer(entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
    """Return the final words of the turn in a rollout file that has the message; None if they are not there. A prompt that a human
    adds to the running turn does not end it."""
    places = [place for place, entry in enumerate(entries) if message_id in find_message_ids(_prompt(entry))]
    if not places:
        return None
    said, is_over = "", False
    for entry in entries[places[-1] + 1 :]:
        item = entry.get("payload") or {}
        kind = (entry.get("type"), item.get("type"))
        if kind == ("response_item", "message") and item.get("role") == "assistant":
            said = join_texts(item["content"], "output_text").strip() or said
        elif kind in (("event_msg", "task_complete"), ("event_msg", "turn_aborted")):
            said, is_over = item.get("last_agent_message") or said, True
            break
    return Spoken(said, is_over) if said or is_over else None


def _prompt(entry: Json) -> str:
    item = entry.get("payload") or {}
    if entry.get("type") == "event_msg" and item.get("type") == "user_message":
        return str(item.get("message", ""))
    if entry.get("type") == "response_item" and (item.get("type"), item.get("role")) == ("message", "user"):
        return join_texts(item["content"], "input_text")
    return ""
