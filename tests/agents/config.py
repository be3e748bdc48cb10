"""The settings of each agent that keep it from asking, phoning home or updating itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def claude(key: str, directory: Path) -> dict[str, Any]:
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
        "projects": {str(directory): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }


def codex(url: str, directory: Path, is_vim: bool = False) -> str:
    """A read-only sandbox, so that a command that asks for more opens the approval dialog."""
    return f"""\
model = "gpt-5"
model_provider = "stand-in"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.stand-in]
name = "stand-in"
base_url = "{url}/v1"
env_key = "STAND_IN_KEY"
wire_api = "responses"

[projects."{directory}"]
trust_level = "trusted"

[analytics]
enabled = false

[tui]
vim_mode_default = {str(is_vim).lower()}
"""


GEMINI: dict[str, Any] = {
    "general": {
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "maxAttempts": 1,
        "topicUpdateNarration": False,
    },
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "ide": {"enabled": False, "hasSeenNudge": True},
    "ui": {
        "hideTips": True,
        "hideBanner": True,
        "showHomeDirectoryWarning": False,
        "showCompatibilityWarnings": False,
    },
    "model": {"name": "gemini-2.5-flash", "disableLoopDetection": True},
}


def opencode(url: str, key: str) -> dict[str, Any]:
    model = {"name": "stand-in", "tool_call": True, "limit": {"context": 200_000, "output": 4_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "stand-in",
        "options": {"baseURL": f"{url}/v1", "apiKey": key},
        "models": {"stand-in": model},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "model": "stand-in/stand-in",
        "small_model": "stand-in/stand-in",
        "provider": {"stand-in": provider},
        "permission": {"bash": "ask", "edit": "ask"},
    }


def copilot(directory: Path) -> dict[str, Any]:
    return {"trusted_folders": [str(directory)], "banner": "never", "auto_update": False}


QWEN: dict[str, Any] = {
    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True},
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "ide": {"enabled": False, "hasSeenNudge": True},
    "ui": {"hideTips": True, "hideBanner": True, "enableFollowupSuggestions": False},
    "tools": {"approvalMode": "default"},
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
}

# With the reminder in a message of the system's own, the user's message is what the user has submitted and nothing else.
AIDER_MODEL = """\
- name: openai/stand-in
  edit_format: diff
  reminder: sys
  examples_as_sys_msg: true
"""
# aider fetches the prices of all models if it has none.
AIDER_PRICES = {
    "openai/stand-in": {"max_input_tokens": 200_000, "max_output_tokens": 4_000, "litellm_provider": "openai"}
}
AIDER_FLAGS = (
    *("--model", "openai/stand-in"),
    *("--map-tokens", "0"),
    "--no-check-update",
    "--no-show-model-warnings",
    "--analytics-disable",
    "--no-gitignore",
    "--no-auto-commits",
    "--no-show-release-notes",
    "--no-detect-urls",
)
