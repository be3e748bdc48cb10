"""What Gemini CLI offers: hooks that it answers to, and a record.

For one run Gemini CLI takes hooks by GEMINI_CLI_SYSTEM_DEFAULTS_PATH=FILE: these settings rank below the user's; lists of hooks are
joined. Gemini CLI reads only a file that root owns; `preload.py` says how everybody else gets it to read theirs.
"""

import json
from collections.abc import Mapping, Sequence

from hark.agents.answers import HookAnswer
from hark.agents.gemini import preload
from hark.agents.gemini.answer import read_answer
from hark.agents.installation import Call, HookEntries, HookGroups, Injection, OffSwitch, Place, settings_text
from hark.agents.protocol import Agent, Meaning
from hark.agents.questions import DENIED, describe, name_command, read_permission, text_of
from hark.agents.records.words import Json, Words, words_at
from hark.agents.resuming import Resuming
from hark.model.answer import Spoken
from hark.model.heard import Said
from hark.model.ids import MessageId
from hark.model.message import Authority
from hark.model.question import Asked, QuestionKind
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
    cannot_be_answered = (
        "an open dialog of Gemini CLI takes no answer from a hook: its hooks run before the dialog opens, and Gemini CLI runs the tool "
        "if such a hook fails"
    )
    has_record = True
    settings = Place("GEMINI_CLI_HOME", "", ".gemini/settings.json")
    entries = HookEntries(
        timeout=5000,
        fields={"name": "hark"},
        # Gemini CLI draws its input box before it runs this hook, and a prompt that is submitted before the hook has run stays in the box.
        left_out=frozenset({"SessionStart"}),
        off_switch=OffSwitch(("hooksConfig", "enabled"), False),
    )
    instructions = Place("GEMINI_CLI_HOME", "", ".gemini/GEMINI.md")
    resuming = Resuming(
        opening=("--resume",),
        alone=frozenset({"-d", "--debug", "-s", "--sandbox", "-y", "--yolo", "--screen-reader", "--skip-trust"}),
        with_value=frozenset({"-m", "--model", "--approval-mode", "-i", "--prompt-interactive", "-r", "--resume"})
        | {"--session-id", "-o", "--output-format", "-w", "--worktree"},
        with_values=frozenset({"--policy", "--admin-policy", "-e", "--extensions", "--include-directories"})
        | {"--allowed-mcp-server-names", "--allowed-tools"},
        left_out=frozenset({"-i", "--prompt-interactive", "-r", "--resume", "--session-id"}),
    )

    def read_question(self, event: str, payload: Json) -> Asked | None:
        details = payload.get("details")
        if not isinstance(details, dict) or not details:
            return None
        command, kind = text_of(details, "command"), text_of(details, "type")
        is_command = kind == "exec" and bool(command)
        rest = {name: value for name, value in details.items() if name != "type"}
        return Asked(
            kind=QuestionKind.CHOICE if kind == "ask_user" else QuestionKind.PERMISSION,
            text=command if is_command else describe(kind, rest),
            agents_id=name_command(command) if is_command else "",
            tool=kind,
            is_command=is_command,
            detail=text_of(details, "title"),
            directory=text_of(payload, "cwd"),
        )

    def read_tool(self, event: str, payload: Json) -> Asked | None:
        return read_permission(payload) if event == "BeforeTool" else None

    def deny_tool(self, event: str, message: str) -> bytes:
        words = {"decision": "deny", "reason": message or DENIED}
        return json.dumps(words, ensure_ascii=False).encode("utf-8", "replace")

    def read_words(self, entry: Json, place: str) -> Words | None:
        if entry.get("type") != "gemini":
            return None
        content = entry["content"]
        text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        return words_at(entry.get("id") or place, text, entry.get("timestamp"))

    def read_answer(self, entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
        return read_answer(entries, message_id)

    def inject(self, call: Call, groups: HookGroups) -> Injection | None:
        if call.environment.get(preload.DEFAULTS) not in (None, "", preload.SHOWN):
            return None
        added = preload.environment(call.file, call.environment)
        return Injection(call.command, added, {call.file: settings_text(groups)})

    def reads_injection(self, environment: Mapping[str, str]) -> bool:
        return preload.is_read() and not preload.hides_settings(environment)


AGENT = GeminiCli()
