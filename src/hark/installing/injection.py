"""Hooks for one run of an agent that hark starts, without a change in anybody's files.

Each agent has its own way to take hooks, and each way adds to what the user has set, instead of replacing it:
  Claude Code   `--settings FILE`: its hooks run beside those of the user's settings;
  Codex         `-c hooks={…}`: these hooks run beside the user's too, and the same option says that exactly these are trusted, so
                that Codex asks nobody and trusts nothing else. With any `-c`, Codex runs without its shared background server;
  Gemini CLI    GEMINI_CLI_SYSTEM_DEFAULTS_PATH=FILE: these settings rank below the user's; lists of hooks are joined. Gemini CLI
                reads only a file that root owns; `preload.py` says how everybody else gets it to read theirs.
If the user's own command line or environment uses that way already, or the program is not run for a conversation, hark injects
nothing: a session without hooks is a delay, a changed command is a defect.
"""

import json
import os.path
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from hark.agents.codex import trust
from hark.agents.gemini import preload
from hark.installing import files
from hark.installing.hooks import MARK, WAITS_FROM, handler, subscribed, waiter
from hark.installing.instructions import TEXT

LAUNCHERS = frozenset({"env", "node", "bun", "deno", "npx", "bunx", "command", "nice", "nohup", "setsid"})
"""The names of programs that run the program which follows on the command line, with all its arguments."""
PROGRAMS = {
    "claude": ("claude", "@anthropic-ai/claude-code", "claude-code/cli"),
    "codex": ("codex", "@openai/codex"),
    "gemini": ("gemini", "@google/gemini-cli"),
    "qwen": ("qwen", "@qwen-code/qwen-code"),
}
GEMINI_SYSTEM = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
_NO_CONVERSATION = {
    "qwen": "auth|channel|extensions?|hooks?|mcp|review|serve|sessions?|update",
    "claude": "agents|auth|auto-mode|config|doctor|gateway|install|mcp|plugins?|project|setup-token|ultrareview|update|upgrade",
    "codex": "a|agents|app-server|apply|archive|cloud|completion|debug|delete|doctor|e|exec|exec-server|features|help|login|logout|"
    "mcp|mcp-server|migrate-nfs-db|migrate-rollouts|plugin|queue|remote-control|review|sandbox|unarchive|update",
}
"""A pattern of the subcommands that open no input box, by agent."""


class Injection(Struct, frozen=True):
    command: tuple[str, ...]
    environment: dict[str, str] = {}
    """Variables that are added to the agent's environment."""
    files: dict[Path, str] = {}
    """Files that are written before the agent starts, with their texts."""


def inject(
    kind: str,
    command: tuple[str, ...],
    hook_program: str,
    directory: Path,
    environment: Mapping[str, str] | None = None,
    *,
    has_waiter: bool = False,
) -> Injection:
    """Return the command, environment and files that give the agent our hooks. `environment` is the environment that the agent will run
    in. `directory` is the place for our files, one per agent kind. With `has_waiter`, a hook waits for messages while Claude Code is
    idle."""
    way = _WAYS.get(kind)
    place = program_place(kind, command)
    if way is None or place is None:
        return Injection(command)
    injection = way(command, place, hook_program, directory / f"{kind}-hooks.json", environment or {})
    if has_waiter and kind == "claude":
        texts = {path: _with_waiter(text, hook_program) for path, text in injection.files.items()}
        return Injection(injection.command, injection.environment, texts)
    return injection


def prepare(injection: Injection, environment: Mapping[str, str]) -> Injection:
    """Write the files of an injection, and return what to start. Sessions share the files; a file that is right is not touched. For
    Gemini CLI, return a command without hooks if it would not read our file, or if our file would hide machine-wide settings."""
    for path, text in injection.files.items():
        if files.read(path) != text:
            files.write(path, text)
    if preload.DEFAULTS not in injection.environment:
        return injection
    is_hiding = gemini_defaults(environment).exists()
    is_read = files.is_roots_own(Path("/")) and not os.path.lexists(preload.SHOWN)
    return injection if is_read and not is_hiding else Injection(injection.command)


def program_place(kind: str, command: tuple[str, ...]) -> int | None:
    """Return the position of the agent's own name in the command; None if the name is not there, or if a word before it is a program
    that may not pass arguments on."""
    program, *packages = PROGRAMS.get(kind, (None,))
    for place, word in enumerate(command):
        if os.path.basename(word) == program or any(package in word for package in packages):
            return place
        if os.path.basename(word) not in LAUNCHERS and not word.startswith("-") and "=" not in word:
            return None
    return None


def teach(kind: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command with instructions how to signal, for one run, if the agent has an option for such instructions."""
    place = program_place(kind, command)
    if kind not in ("claude", "qwen") or place is None:
        return command
    words = command[place + 1 :]
    is_taken = any(word.startswith(("--append-system-prompt", "--system-prompt")) for word in words)
    if is_taken or _is_print(words) or not _is_conversation(kind, words):
        return command
    return (*command[: place + 1], "--append-system-prompt", TEXT, *words)


def _is_print(words: tuple[str, ...]) -> bool:
    options = _options(words)
    return any(_is_option(word, "--print") or _is_option(word, "--prompt") or _is_short(word, "p") for word in options)


def _claude(command: tuple[str, ...], place: int, program: str, file: Path, _: Mapping[str, str]) -> Injection:
    words = command[place + 1 :]
    is_taken = any(_is_option(word, "--settings") for word in words)
    if is_taken or _is_print(words) or not _is_conversation("claude", words):
        return Injection(command)
    injected = (*command[: place + 1], "--settings", str(file), *words)
    return Injection(injected, {MARK: "1"}, {file: _settings("claude", program)})


def _codex(command: tuple[str, ...], place: int, program: str, _: Path, __: Mapping[str, str]) -> Injection:
    words = command[place + 1 :]
    is_remote = any(_is_option(word, "--remote") for word in words)
    if is_remote or _has_hooks_override(words) or not _is_conversation("codex", words):
        return Injection(command)
    return Injection((*command[: place + 1], "-c", f"hooks={codex_hooks(program)}", *words), {MARK: "1"})


def _gemini(
    command: tuple[str, ...], place: int, program: str, file: Path, environment: Mapping[str, str]
) -> Injection:
    if environment.get(preload.DEFAULTS) not in (None, "", preload.SHOWN):
        return Injection(command)
    added = preload.environment(file, environment)
    return Injection(command, added | {MARK: "1"}, {file: _settings("gemini", program)})


_WAYS: dict[str, Callable[[tuple[str, ...], int, str, Path, Mapping[str, str]], Injection]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
}


def gemini_defaults(environment: Mapping[str, str]) -> Path:
    """Return the path of the machine-wide settings that rank below the user's."""
    system = environment.get(GEMINI_SYSTEM) or "/etc/gemini-cli/settings.json"
    return Path(system).parent / "system-defaults.json"


def codex_hooks(program: str) -> str:
    """Return a TOML inline table with the hooks, each marked as trusted."""
    handlers = {event: handler("codex", event, program) for event in subscribed("codex")}
    table: dict[str, Any] = {event: [{"hooks": [one]}] for event, one in handlers.items()}
    table["state"] = {
        trust.key(trust.COMMAND_LINE, event): {"trusted_hash": trust.checksum(event, one)}
        for event, one in handlers.items()
    }
    return _toml(table)


def _settings(agent: str, program: str) -> str:
    hooks = {event: [{"hooks": [handler(agent, event, program)]}] for event in subscribed(agent)}
    return json.dumps({"hooks": hooks}, ensure_ascii=False, indent=2) + "\n"


def _with_waiter(text: str, program: str) -> str:
    settings = json.loads(text)
    for event in WAITS_FROM:
        settings["hooks"][event].append({"hooks": [waiter(program)]})
    return json.dumps(settings, ensure_ascii=False, indent=2) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_toml(name)}={_toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_toml(inner) for inner in value) + "]"
    # JSON's form of strings, whole numbers and booleans is TOML too, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words before `--`, which ends the options."""
    return words[: words.index("--")] if "--" in words else words


def _is_conversation(agent: str, words: tuple[str, ...]) -> bool:
    """Return True if the first word that is not an option opens a conversation. That word may be an option's value: then the agent has no
    hooks at worst."""
    first = next((word for word in words if not word.startswith("-")), "")
    return re.fullmatch(_NO_CONVERSATION[agent], first) is None


def _is_option(word: str, option: str) -> bool:
    return word == option or word.startswith(f"{option}=")


def _is_short(word: str, letter: str) -> bool:
    """Return True if the word has this short option, alone or with others: -pc"""
    return len(word) > 1 and word[0] == "-" and word[1] != "-" and word[1:].isalpha() and letter in word[1:]


def _has_hooks_override(words: tuple[str, ...]) -> bool:
    """Return True if the words override the hooks: -c hooks…, -chooks…, --config hooks…, --config=hooks…"""
    return re.search(r"^(?:-c|--config)[=\n]?\s*hooks\b", "\n".join(words), re.MULTILINE) is not None
