"""What Codex offers: hooks that it answers to, a record that it keeps open, and an app-server of its own."""

import re
from collections.abc import Mapping

from hark.agents.answers import HookAnswer
from hark.agents.codex.native import CodexAccess
from hark.agents.protocol import Agent, Meaning
from hark.agents.words import Json, Words, join_texts, words_at
from hark.model.heard import Said
from hark.model.message import Authority
from hark.queue.handover import Boundary


class Codex(Agent):
    events: Mapping[str, Meaning] = {
        "SessionStart": Said.SESSION_STARTED,
        "UserPromptSubmit": Said.PROMPT_SUBMITTED,
        "PreToolUse": Said.TOOL_STARTING,
        "PermissionRequest": Said.PERMISSION_ASKED,
        "PostToolUse": Said.TOOL_DONE,
        "Stop": Said.STOPPED,
        "Interrupt": Said.INTERRUPTED,
    }
    answers: Mapping[Boundary, HookAnswer] = {
        Boundary.TOOL: HookAnswer(Authority.NOTICE),
        Boundary.STOP: HookAnswer(Authority.NOTICE, "block"),
    }
    shares_hook_process = True
    has_record = True
    native = CodexAccess()
    open_record = re.compile(r"/sessions/.*/rollout-[^/]*\.jsonl$")

    def read_words(self, entry: Json, place: str) -> Words | None:
        item = entry.get("payload") or {}
        if entry.get("type") != "response_item" or (item.get("type"), item.get("role")) != ("message", "assistant"):
            return None
        return words_at(place, join_texts(item["content"], "output_text"), entry.get("timestamp"))


AGENT = Codex()
