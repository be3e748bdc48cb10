"""What Claude Code offers: hooks that it answers to, a transcript, and a status file."""

from collections.abc import Mapping

from hark.agents.answers import HookAnswer
from hark.agents.claude import files
from hark.agents.protocol import Agent, Meaning
from hark.agents.words import Json, Words, join_texts, words_at
from hark.model.heard import Said
from hark.model.message import Authority
from hark.queue.handover import Boundary


def _meaning_of_notification(payload: Json) -> Said:
    kind = payload.get("notification_type")
    return Said.PERMISSION_ASKED if kind == "permission_prompt" else Said.NOTIFIED


class ClaudeCode(Agent):
    events: Mapping[str, Meaning] = {
        "SessionStart": Said.SESSION_STARTED,
        "SessionEnd": Said.SESSION_ENDED,
        "UserPromptSubmit": Said.PROMPT_SUBMITTED,
        "PreToolUse": Said.TOOL_STARTING,
        "PermissionRequest": Said.PERMISSION_ASKED,
        "PostToolUse": Said.TOOL_DONE,
        "Notification": _meaning_of_notification,
        "Stop": Said.STOPPED,
    }
    # Claude Code goes on with a text that is added at its stop, and calls a refusal an error of the hook.
    answers: Mapping[Boundary, HookAnswer] = {
        Boundary.TOOL: HookAnswer(Authority.NOTICE),
        Boundary.STOP: HookAnswer(Authority.NOTICE),
    }
    has_record = True
    own_files = files

    def read_words(self, entry: Json, place: str) -> Words | None:
        if entry.get("type") != "assistant" or entry.get("isSidechain"):
            return None
        text = join_texts(entry["message"]["content"], "text")
        return words_at(entry.get("uuid") or place, text, entry.get("timestamp"))


AGENT = ClaudeCode()
