"""The dialogs, menus and modes of each real agent, and what brings it into them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.agents.launch import Launch
from tests.agents.way_back.trial import MADE, Act, Situation, command, press, submit, type_text, until

SHELL = submit(f"[[tool=touch {MADE}]]")
MCP_SERVER = str(Path(__file__).with_name("mcp_server.py"))
RED_OR_BLUE = [{"label": "Red", "description": "r"}, {"label": "Blue", "description": "b"}]
WHICH_COLOR = {"question": "Which color?", "header": "Color", "options": RED_OR_BLUE}


def use(tool: str, **arguments: object) -> Act:
    """A prompt that makes the agent call a tool of its own."""
    return submit(f"[[use={tool} {msgspec.json.encode(arguments).decode()}]]")


def with_arguments(*arguments: str) -> Callable[[Launch], Launch]:
    return lambda launch: msgspec.structs.replace(launch, command=[*launch.command, *arguments])


def with_settings(path: str, change: Callable[[dict[str, object]], None]) -> Callable[[Launch], Launch]:
    def changed(launch: Launch) -> Launch:
        file = Path(launch.environment["HOME"]) / path
        settings = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
        change(settings)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(msgspec.json.encode(settings))
        return launch

    return changed


def with_text(path: str, old: str, new: str) -> Callable[[Launch], Launch]:
    def changed(launch: Launch) -> Launch:
        file = Path(launch.environment["HOME"]) / path
        file.write_text(file.read_text().replace(old, new))
        return launch

    return changed


def without(*names: str) -> Callable[[dict[str, object]], None]:
    def change(settings: dict[str, object]) -> None:
        for name in names:
            settings.pop(name, None)

    return change


def with_mcp(settings: dict[str, object]) -> None:
    settings["mcpServers"] = {"tests": {"type": "stdio", "command": sys.executable, "args": [MCP_SERVER]}}


def gemini_mcp(settings: dict[str, object]) -> None:
    settings["mcpServers"] = {"tests": {"command": sys.executable, "args": [MCP_SERVER]}}


def gemini_trust(settings: dict[str, object]) -> None:
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": True}}


def gemini_auth(settings: dict[str, object]) -> None:
    settings["security"] = {"folderTrust": {"enabled": False}}


CLAUDE = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Do you want to proceed?"),
    Situation(
        name="permission for a command, amended",
        acts=(SHELL, until("Do you want to proceed?"), press("Tab"), type_text("and quickly")),
        shows="Do you want to proceed?",
    ),
    Situation(
        name="permission for an edit",
        acts=(use("Write", file_path=MADE, content="x"),),
        shows="Do you want to create",
    ),
    Situation(
        name="permission for an MCP tool",
        change=with_settings(".claude.json", with_mcp),
        acts=(submit("warm up"), until("I have read it."), submit("[[call=make {}]]")),
        shows="Do you want to proceed?",
    ),
    Situation(
        name="a question",
        acts=(use("AskUserQuestion", questions=[WHICH_COLOR | {"multiSelect": False}]),),
        shows="Which color?",
    ),
    Situation(
        name="a question, own answer",
        acts=(
            use("AskUserQuestion", questions=[WHICH_COLOR | {"multiSelect": False}]),
            until("Which color?"),
            press("Down", "Down"),
            type_text("Green"),
        ),
        shows="Which color?",
    ),
    Situation(
        name="plan approval",
        change=with_arguments("--permission-mode", "plan"),
        acts=(use("ExitPlanMode", plan="Do it."),),
        shows="Exit plan mode?",
    ),
    Situation(
        name="trust of the folder",
        change=with_settings(".claude.json", without("projects")),
        is_start=True,
        shows="Yes, I trust this folder",
    ),
    Situation(
        name="use of an API key",
        change=with_settings(".claude.json", without("customApiKeyResponses")),
        is_start=True,
        shows="Do you want to use this API key?",
    ),
    Situation(
        name="first start, theme",
        change=with_settings(".claude.json", without("hasCompletedOnboarding", "theme")),
        is_start=True,
        shows="Choose the text style",
    ),
    Situation(name="/model", acts=command("/model"), shows="Select model"),
    Situation(name="/config", acts=command("/config"), shows="Auto-compact"),
    Situation(name="/permissions", acts=command("/permissions"), shows="Recently denied"),
    Situation(name="/login", acts=command("/login"), shows="Select login method"),
    Situation(name="/resume", acts=(submit("hello"), until("I have read it."), *command("/resume")), shows="Resume"),
    Situation(name="/memory", acts=command("/memory"), shows="Memory"),
    Situation(name="/theme", acts=command("/theme"), shows="Theme"),
    Situation(name="/agents", acts=command("/agents"), shows="Agents"),
    Situation(name="/mcp", acts=command("/mcp"), shows="MCP"),
    Situation(name="/hooks", acts=command("/hooks"), shows="Hooks"),
    Situation(name="/help", acts=command("/help"), shows="Shortcuts"),
    Situation(
        name="rewind (Escape twice)",
        acts=(submit("hello"), until("I have read it."), press("Escape", "Escape")),
        shows="Rewind",
    ),
    Situation(
        name="transcript view (Ctrl-O)",
        acts=(submit("hello"), until("I have read it."), press("C-o")),
        shows="detailed transcript",
    ),
    Situation(
        name="history search (Ctrl-R)", acts=(submit("hello"), until("I have read it."), press("C-r")), shows="search"
    ),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="/model", is_box=True),
    Situation(name="completion of @", acts=(type_text("see @"),), shows="see @", is_box=True),
    Situation(name="shell mode (!)", acts=(type_text("!"), type_text("echo")), shows="! for shell mode", is_box=True),
    Situation(name="draft with #", acts=(type_text("#keep"),), shows="#keep", is_box=True),
    Situation(name="vim, insert", is_vim=True, acts=(type_text("abc"),), shows="-- INSERT --", is_box=True),
    Situation(name="vim, normal", is_vim=True, acts=(type_text("abc"), press("Escape")), shows="abc", is_box=True),
    Situation(name="a running turn", acts=(submit("[[busy=40]]"),), shows="part", is_box=True),
)

CODEX = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Would you like to run the following command?"),
    Situation(
        name="permission for an edit",
        acts=(submit(f"[[tool=apply_patch <<'E'\n*** Begin Patch\n*** Add File: {MADE}\n+x\n*** End Patch\nE\n]]"),),
        shows="Would you like to",
    ),
    Situation(
        name="a question",
        acts=(
            *command("/plan"),
            use("request_user_input", questions=[WHICH_COLOR | {"id": "color"}]),
        ),
        shows="Which color?",
    ),
    Situation(
        name="trust of the folder",
        change=with_text(".codex/config.toml", 'trust_level = "trusted"', ""),
        is_start=True,
        shows="Trust this folder?",
    ),
    Situation(
        name="log in",
        change=with_text(".codex/config.toml", 'env_key = "STAND_IN_KEY"', "requires_openai_auth = true"),
        is_start=True,
        shows="Sign in with",
    ),
    Situation(name="/model", acts=command("/model"), shows="Select"),
    Situation(name="/permissions", acts=command("/permissions"), shows="Update Model Permissions"),
    Situation(name="/resume", acts=(submit("hello"), until("I have read it."), *command("/resume")), shows="Resume"),
    Situation(name="/review", acts=command("/review"), shows="review"),
    Situation(
        name="transcript view (Ctrl-T)",
        acts=(submit("hello"), until("Worked for"), press("C-t")),
        shows="T R A N S C R I P T",
    ),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="/model", is_box=True),
    Situation(name="completion of @", acts=(type_text("see @"),), shows="see @", is_box=True),
    Situation(name="shell mode (!)", acts=(type_text("!echo"),), shows="echo", is_box=True),
    Situation(name="shortcuts (?)", acts=(type_text("?"),), shows="shortcuts", is_box=True),
    Situation(name="vim, insert", is_vim=True, acts=(type_text("abc"),), shows="Vim", is_box=True),
    Situation(
        name="vim, normal",
        is_vim=True,
        acts=(type_text("abc"), press("Escape")),
        shows="Vim: Normal",
        is_box=True,
    ),
    Situation(name="a running turn", acts=(submit("[[busy=40]]"),), shows="part", is_box=True),
)

GEMINI = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Allow execution of"),
    Situation(
        name="permission for an edit",
        acts=(use("write_file", file_path=MADE, content="x"),),
        shows="Apply this change?",
    ),
    Situation(
        name="permission for an MCP tool",
        change=with_settings(".gemini/settings.json", gemini_mcp),
        acts=(submit("warm up"), until("I have read it."), submit("[[call=make {}]]")),
        shows="Allow execution of MCP tool",
    ),
    Situation(
        name="a question",
        acts=(use("ask_user", questions=[WHICH_COLOR | {"type": "choice"}]),),
        shows="Which color?",
    ),
    Situation(
        name="a question, text",
        acts=(use("ask_user", questions=[{"question": "What name?", "header": "Name", "type": "text"}]),),
        shows="What name?",
    ),
    Situation(
        name="a question, yes or no",
        acts=(use("ask_user", questions=[{"question": "Go on?", "header": "Go", "type": "yesno"}]),),
        shows="Go on?",
    ),
    Situation(
        name="trust of the folder",
        change=with_settings(".gemini/settings.json", gemini_trust),
        is_start=True,
        shows="Do you trust",
    ),
    Situation(
        name="choice of a log-in",
        change=with_settings(".gemini/settings.json", gemini_auth),
        is_start=True,
        shows="How would you like to authenticate",
    ),
    Situation(name="/model", acts=command("/model"), shows="Select Model"),
    Situation(name="/theme", acts=command("/theme"), shows="Select Theme"),
    Situation(name="/settings", acts=command("/settings"), shows="Settings"),
    Situation(name="/auth", acts=command("/auth"), shows="authenticate"),
    Situation(name="/editor", acts=command("/editor"), shows="Select Editor"),
    Situation(name="/resume", acts=(submit("hello"), until("I have read it."), *command("/resume")), shows="Sessions"),
    Situation(
        name="history search (Ctrl-R)",
        acts=(submit("hello"), until("I have read it."), press("C-r")),
        shows="(r:)",
        is_box=True,
    ),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="model", is_box=True),
    Situation(name="completion of @", acts=(type_text("see @"),), shows="see @", is_box=True),
    Situation(name="shell mode (!)", acts=(type_text("!"), type_text("echo")), shows="echo", is_box=True),
    Situation(name="vim, insert", is_vim=True, acts=(type_text("abc"),), shows="[INSERT]", is_box=True),
    Situation(
        name="vim, normal",
        is_vim=True,
        acts=(type_text("abc"), press("Escape")),
        shows="[NORMAL]",
        is_box=True,
    ),
    Situation(name="a running turn", acts=(submit("[[busy=40]]"),), shows="part", is_box=True),
)

OPENCODE = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Permission required"),
    Situation(
        name="permission for an edit",
        acts=(use("write", filePath=MADE, content="x"),),
        shows="Permission required",
    ),
    Situation(
        name="a question",
        acts=(use("question", questions=[WHICH_COLOR]),),
        shows="Which color?",
    ),
    Situation(
        name="a question, own answer",
        acts=(
            use("question", questions=[WHICH_COLOR]),
            until("Which color?"),
            press("Down", "Down", "Enter"),
            type_text("Green"),
        ),
        shows="Which color?",
    ),
    Situation(name="/models", acts=command("/models"), shows="Select model"),
    Situation(
        name="/sessions", acts=(submit("hello"), until("I have read it."), *command("/sessions")), shows="Sessions"
    ),
    Situation(name="commands (Ctrl-P)", acts=(press("C-p"),), shows="Commands"),
    Situation(name="/help", acts=command("/help"), shows="Help"),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="/models", is_box=True),
    Situation(name="completion of @", acts=(type_text("see @"),), shows="see @", is_box=True),
    Situation(name="shell mode (!)", acts=(type_text("!"), type_text("echo")), shows="Shell", is_box=True),
    Situation(name="a running turn", acts=(submit("[[busy=40]]"),), shows="part", is_box=True),
)

AIDER = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Run shell command?"),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="/mo", is_box=True),
    Situation(
        name="vim, normal",
        is_vim=True,
        acts=(type_text("abc"), press("Escape")),
        shows="abc",
        is_box=True,
    ),
)

COPILOT = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Do you want to run this command?"),
    Situation(name="/model", acts=command("/model"), shows="Select"),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="/model", is_box=True),
)

QWEN = (
    Situation(name="permission for a command", acts=(SHELL,), shows="Allow execution of"),
    Situation(
        name="permission for an edit",
        acts=(use("write_file", file_path=MADE, content="x"),),
        shows="Apply this change?",
    ),
    Situation(name="/model", acts=command("/model"), shows="Select Model"),
    Situation(name="completion of /", acts=(type_text("/mo"),), shows="model", is_box=True),
    Situation(
        name="vim, normal",
        is_vim=True,
        acts=(type_text("abc"), press("Escape")),
        shows="NORMAL",
        is_box=True,
    ),
)

SITUATIONS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "opencode": OPENCODE,
    "aider": AIDER,
    "copilot": COPILOT,
    "qwen": QWEN,
}
