"""What Claude Code offers: hooks that it answers to, a transcript, and a status file.

For one run Claude Code takes hooks by `--settings FILE`: they run beside those of the user's settings.
"""

from collections.abc import Mapping, Sequence

from hark.agents.answers import HookAnswer
from hark.agents.claude import files, question
from hark.agents.claude.answer import read_answer
from hark.agents.command_line import is_option, is_print, opens_conversation, with_system_prompt
from hark.agents.installation import Call, HookEntries, HookGroups, Injection, OffSwitch, Place, settings_text
from hark.agents.protocol import Agent, Meaning
from hark.agents.records.words import Json, Words, join_texts, words_at
from hark.agents.resuming import Resuming
from hark.kind_files import plain_commands
from hark.model.answer import Spoken
from hark.model.heard import Said
from hark.model.ids import MessageId
from hark.model.message import Authority
from hark.model.question import Asked, Reply
from hark.queue.handover import Boundary

NAME = "claude"


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
    asks_beside = True
    has_record = True
    own_files = files
    settings = Place("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
    entries = HookEntries(
        timeout=5,
        # This hook may wait for an answer while the dialog is open; the dialog stays when it ends without one.
        timeouts={question.EVENT: 86400},
        # Claude Code need not wait for these hooks: they tell it nothing, and their reports name the turn that they belong to.
        beside=frozenset({"UserPromptSubmit", "Notification"}),
        waiter={
            "asyncRewake": True,
            "timeout": 86400,
            "rewakeSummary": "a message through hark",
            "rewakeMessage": "Somebody has sent you this message:",
        },
        waits_from=("SessionStart", "UserPromptSubmit", "Stop"),
        off_switch=OffSwitch(("disableAllHooks",), True),
    )
    instructions = Place("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md")
    resuming = Resuming(
        opening=("--resume",),
        alone=frozenset(
            {"--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--verbose", "--ide"}
        )
        | {"--chrome", "--no-chrome", "--strict-mcp-config", "--disable-slash-commands", "--bare", "--brief"}
        | {"-c", "--continue", "--fork-session"},
        with_value=frozenset({"--model", "--fallback-model", "--permission-mode", "--settings", "--setting-sources"})
        | {"--append-system-prompt", "--system-prompt", "--agent", "--agents", "--effort", "--max-budget-usd"}
        | {"--debug-file", "-n", "--name", "-r", "--resume", "--session-id"},
        with_values=frozenset(
            {"--add-dir", "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools"}
        )
        | {"--tools", "--mcp-config", "--plugin-dir", "--betas"},
        left_out=frozenset({"-r", "--resume", "-c", "--continue", "--session-id", "--fork-session"}),
    )

    def read_question(self, event: str, payload: Json) -> Asked | None:
        return question.read_question(event, payload)

    def answer_question(self, event: str, payload: Json, reply: Reply) -> bytes:
        return question.answer_question(payload, reply)

    def read_words(self, entry: Json, place: str) -> Words | None:
        if entry.get("type") != "assistant" or entry.get("isSidechain"):
            return None
        text = join_texts(entry["message"]["content"], "text")
        return words_at(entry.get("uuid") or place, text, entry.get("timestamp"))

    def read_answer(self, entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
        return read_answer(entries, message_id)

    def inject(self, call: Call, groups: HookGroups) -> Injection | None:
        words = call.arguments
        is_taken = any(is_option(word, "--settings") for word in words)
        if is_taken or is_print(words) or not opens_conversation(words, plain_commands(NAME)):
            return None
        return Injection(call.with_options("--settings", str(call.file)), {}, {call.file: settings_text(groups)})

    def teach(self, arguments: tuple[str, ...], text: str) -> tuple[str, ...] | None:
        return with_system_prompt(arguments, text, plain_commands(NAME))


AGENT = ClaudeCode()
