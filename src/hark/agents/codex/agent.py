"""What Codex offers: hooks that it answers to, a record that it keeps open, and an app-server of its own.

For one run Codex takes hooks by `-c hooks={…}`: they run beside the user's too, and the same option says that exactly these are
trusted, so that Codex asks nobody and trusts nothing else. With any `-c`, Codex runs without its shared background server.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hark.agents.answers import HookAnswer
from hark.agents.codex import trust
from hark.agents.codex.answer import read_answer
from hark.agents.codex.native import ALONE, WITH_VALUE, CodexAccess
from hark.agents.command_line import is_option, opens_conversation
from hark.agents.installation import Call, HookEntries, HookGroups, Injection, InstalledHook, Place
from hark.agents.protocol import Agent, Meaning
from hark.agents.questions import read_permission
from hark.agents.records.words import Json, Words, join_texts, words_at
from hark.agents.resuming import Resuming
from hark.kind_files import plain_commands
from hark.model.answer import Spoken
from hark.model.heard import Said
from hark.model.ids import MessageId
from hark.model.message import Authority
from hark.model.question import Asked
from hark.queue.handover import Boundary

NAME = "codex"


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
    settings = Place("CODEX_HOME", ".codex", "hooks.json")
    # Codex cuts the time of some events to 3 s, and does not trust an entry whose time was cut: it takes that for another entry.
    entries = HookEntries(timeout=3)
    install_note = "Codex asks about new hooks when it starts the next time: choose to trust them, or they do not run"
    instructions = Place("CODEX_HOME", ".codex", "AGENTS.md")
    resuming = Resuming(
        opening=("resume",),
        alone=ALONE | {"--oss"},
        with_value=WITH_VALUE | {"-p", "--profile", "--local-provider"},
        left_out=frozenset({"--last", "--all", "-i", "--image"}),
    )
    cannot_be_answered = (
        "a hook of Codex would have to answer before its dialog opens; hark answers by Codex's own API, which it has where it has "
        "started Codex and the setting `native` is on"
    )
    open_record = re.compile(r"/sessions/.*/rollout-[^/]*\.jsonl$")

    def read_question(self, event: str, payload: Json) -> Asked | None:
        return read_permission(payload)

    def read_words(self, entry: Json, place: str) -> Words | None:
        item = entry.get("payload") or {}
        if entry.get("type") != "response_item" or (item.get("type"), item.get("role")) != ("message", "assistant"):
            return None
        return words_at(place, join_texts(item["content"], "output_text"), entry.get("timestamp"))

    def read_answer(self, entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
        return read_answer(entries, message_id)

    def inject(self, call: Call, groups: HookGroups) -> Injection | None:
        words = call.arguments
        is_remote = any(is_option(word, "--remote") for word in words)
        if is_remote or _has_hooks_override(words) or not opens_conversation(words, plain_commands(NAME)):
            return None
        return Injection(call.with_options("-c", f"hooks={trust.trusted_hooks(groups)}"))

    def find_fault(self, settings: Path, installed: Sequence[InstalledHook]) -> tuple[str, str]:
        strange = trust.not_trusted(settings, installed)
        if not strange:
            return "", ""
        detail = f"Codex does not trust {', '.join(strange)} yet, and does not run what it does not trust"
        return detail, "start codex and trust the hooks that it asks about"


def _has_hooks_override(words: tuple[str, ...]) -> bool:
    """Return True if the words override the hooks: -c hooks…, -chooks…, --config hooks…, --config=hooks…"""
    return re.search(r"^(?:-c|--config)[=\n]?\s*hooks\b", "\n".join(words), re.MULTILINE) is not None


AGENT = Codex()
