"""The final words of a turn in the messages of an OpenCode conversation.

Each step of the model is one message of the assistant. Several prompts that come while OpenCode works get one answer, whose parent is
the newest of them. So the answer to a prompt is the first finished message whose parent is that prompt or a later one.
"""

from collections.abc import Sequence

from hark.agents.native.picture import message_ids
from hark.agents.opencode.protocol import GOES_ON, Json, own_id, text_of
from hark.model.answer import Spoken
from hark.model.ids import MessageId


def find_answer(messages: Sequence[Json], message_id: MessageId) -> Spoken | None:
    """Return the final words of the turn that has the message; None if no prompt has it. The words of an unfinished turn are those that
    the agent has said so far."""
    ordered = sorted(messages, key=lambda one: str(one["info"]["id"]))
    asked = [one for one in ordered if one["info"]["role"] == "user" and message_id in _ids(one)]
    if not asked:
        return None
    said, is_over = "", False
    for one in ordered:
        info = one["info"]
        if info["role"] == "assistant" and info["parentID"] >= asked[0]["info"]["id"]:
            text = "".join(part["text"] for part in one["parts"] if part["type"] == "text")
            said = text if text.strip() else said
            if is_over := _is_final(info):
                break
    return Spoken(said, is_over)


def _ids(message: Json) -> tuple[MessageId, ...]:
    return message_ids(text_of(message), own_id(message["info"]["id"]))


def _is_final(info: Json) -> bool:
    is_written = info["time"].get("completed") is not None
    return is_written and (bool(info.get("error")) or info.get("finish") not in GOES_ON)
