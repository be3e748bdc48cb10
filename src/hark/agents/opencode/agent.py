"""What OpenCode offers: hark's plugin for it reports events, and keeps a record of its words, and it has an HTTP API."""

from collections.abc import Mapping
from pathlib import Path

from hark.agents.installation import Place
from hark.agents.opencode.native import ALONE, WITH_VALUE, OpenCodeAccess
from hark.agents.protocol import Agent, Meaning
from hark.agents.questions import name_command, text_of
from hark.agents.records.words import Json, Words, words_at
from hark.agents.resuming import Resuming
from hark.model.heard import Said
from hark.model.question import Asked, QuestionKind


def _meaning_of_error(payload: Json) -> Said:
    """Translate an error: only an aborted turn is interrupted. A turn that fails in another way says so and stops."""
    return Said.INTERRUPTED if payload.get("error") == "MessageAbortedError" else Said.NOTIFIED


class OpenCode(Agent):
    events: Mapping[str, Meaning] = {
        "chat.message": Said.PROMPT_SUBMITTED,
        "tool.execute.before": Said.TOOL_STARTING,
        "tool.execute.after": Said.TOOL_DONE,
        "permission.asked": Said.PERMISSION_ASKED,
        "permission.replied": Said.PERMISSION_ANSWERED,
        "question.asked": Said.PERMISSION_ASKED,
        "question.replied": Said.PERMISSION_ANSWERED,
        "question.rejected": Said.PERMISSION_ANSWERED,
        "session.error": _meaning_of_error,
        "session.idle": Said.STOPPED,
    }
    has_record = True
    native = OpenCodeAccess()
    # OPENCODE_CONFIG_DIR does not count here: OpenCode reads that directory beside this one.
    settings = Place("XDG_CONFIG_HOME", ".config", "opencode/plugin/hark.js", levels=2)
    plugin = Path(__file__).with_name("plugin.js")
    instructions = Place("XDG_CONFIG_HOME", ".config", "opencode/AGENTS.md")
    resuming = Resuming(
        opening=("-s",),
        alone=ALONE | {"--mdns"},
        with_value=WITH_VALUE | {"--port", "--hostname", "--mdns-domain"},
        with_values=frozenset({"--cors"}),
        left_out=frozenset({"-s", "--session", "-c", "--continue", "--fork", "--prompt"}),
        keeps_others=True,
    )

    cannot_be_answered = "hark answers OpenCode by its own API, which it has where it has started OpenCode and the setting `native` is on"

    def read_question(self, event: str, payload: Json) -> Asked | None:
        """Return what hark's plugin tells of a question: the command of a permission, and nothing of a choice."""
        command, tool = text_of(payload, "command"), text_of(payload, "tool_name")
        return Asked(
            kind=QuestionKind.PERMISSION if event.startswith("permission") else QuestionKind.CHOICE,
            text=command or tool,
            agents_id=name_command(command) if command else "",
            tool=tool,
            is_command=tool == "bash" and bool(command),
        )

    def read_words(self, entry: Json, place: str) -> Words | None:
        """Read the record that hark's plugin for OpenCode writes."""
        if entry.get("type") != "words":
            return None
        return words_at(entry.get("id") or place, entry["text"], entry.get("timestamp"))


AGENT = OpenCode()
