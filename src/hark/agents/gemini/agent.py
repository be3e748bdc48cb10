"""What Gemini CLI offers: hooks that it answers to, and a record."""

from collections.abc import Mapping

from hark.agents.answers import HookAnswer
from hark.agents.protocol import Agent, Meaning
from hark.agents.words import Json, Words, words_at
from hark.model.heard import Said
from hark.model.message import Authority
from hark.queue.handover import Boundary


def _meaning_of_notification(payload: Json) -> Said:
    return Said.PERMISSION_ASKED if payload.get("notification_type") == "ToolPermission" else Said.NOTIFIED


class GeminiCli(Agent):
    events: Mapping[str, Meaning] = {
        "SessionStart": Said.SESSION_STARTED,
        "SessionEnd": Said.SESSION_ENDED,
        "BeforeAgent": Said.PROMPT_SUBMITTED,
        "BeforeTool": Said.TOOL_STARTING,
        "AfterTool": Said.TOOL_DONE,
        "Notification": _meaning_of_notification,
        "AfterAgent": Said.STOPPED,
    }
    # Gemini CLI takes the reason of a refusal as its user's next prompt.
    answers: Mapping[Boundary, HookAnswer] = {
        Boundary.TOOL: HookAnswer(Authority.NOTICE, is_also_of_cancelled=True),
        Boundary.STOP: HookAnswer(Authority.USER, "deny", is_also_of_cancelled=True),
    }
    has_record = True

    def read_words(self, entry: Json, place: str) -> Words | None:
        if entry.get("type") != "gemini":
            return None
        content = entry["content"]
        text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        return words_at(entry.get("id") or place, text, entry.get("timestamp"))


AGENT = GeminiCli()
