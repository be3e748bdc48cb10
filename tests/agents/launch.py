"""How each real agent is started for a test: no dialog, no way out of the machine, the stand-in as its model.

Every launch has a directory of its own with a home and a project in it, and a key of its own that tells the stand-in
whose request it is.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import msgspec

from tests.agents import config

PINNED = Path(__file__).parent / "pinned"
REPOSITORY = Path(__file__).parents[2]
# Nothing listens on the discard port: what does not go to the stand-in goes nowhere.
NOWHERE = "http://127.0.0.1:9"


class Launch(msgspec.Struct, frozen=True):
    kind: str
    command: list[str]
    environment: dict[str, str]
    """All of it: the agent gets nothing else, except where its pane is."""
    directory: Path
    session: str
    """What the stand-in's log calls this launch."""

    def words(self) -> list[str]:
        """The command for a pane."""
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        script = 'cd "$0" && exec env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" "$@"'
        return ["sh", "-c", script, str(self.directory), *settings, *self.command]


def launch_claude(
    root: Path, url: str, editor: str | None = None, is_vim: bool = False, mcp: str | None = None
) -> Launch:
    """`mcp` is the program of an MCP server."""
    base = prepare("claude", root, editor)
    vim = {"editorMode": "vim"} if is_vim else {}
    servers = {"mcpServers": {"hark": {"type": "stdio", "command": mcp, "args": []}}} if mcp else {}
    write_json(base.home / ".claude.json", config.claude(base.session, base.directory) | vim | servers)
    if mcp:
        write_json(base.home / ".claude/settings.json", {"permissions": {"allow": ["mcp__hark"]}})
    environment = {
        "ANTHROPIC_API_KEY": base.session,
        "ANTHROPIC_BASE_URL": url,
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return base.launch([str(installed("claude") / "node_modules/.bin/claude")], environment)


def launch_codex(
    root: Path,
    url: str,
    editor: str | None = None,
    daemon: bool = False,
    is_vim: bool = False,
    mcp: str | None = None,
) -> Launch:
    """Without `daemon` it starts no process that outlives it."""
    base = prepare("codex", root, editor)
    codex_home = base.home / ".codex"
    codex_home.mkdir()
    server = f'\n[mcp_servers.hark]\ncommand = "{mcp}"\n' if mcp else ""
    (codex_home / "config.toml").write_text(config.codex(url, base.directory, is_vim) + server)
    flags = [] if daemon else ["--disable", "daemon_auto_start"]
    environment = {"CODEX_HOME": str(codex_home), "STAND_IN_KEY": base.session}
    return base.launch([str(installed("codex") / "node_modules/.bin/codex"), *flags], environment)


def launch_gemini(
    root: Path, url: str, editor: str | None = None, is_vim: bool = False, mcp: str | None = None
) -> Launch:
    base = prepare("gemini", root, editor)
    general = config.GEMINI["general"] | {"vimMode": is_vim}
    servers = {"mcpServers": {"hark": {"command": mcp, "trust": True}}} if mcp else {}
    write_json(base.home / ".gemini/settings.json", config.GEMINI | {"general": general} | servers)
    environment = {
        "GEMINI_API_KEY": base.session,
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    return base.launch([str(installed("gemini") / "node_modules/.bin/gemini")], environment)


def launch_opencode(root: Path, url: str, editor: str | None = None, port: int | None = None) -> Launch:
    base = prepare("opencode", root, editor)
    write_json(base.home / ".config/opencode/opencode.json", config.opencode(url, base.session))
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    command = [str(installed("opencode") / "node_modules/.bin/opencode")]
    arguments = [] if port is None else ["--port", str(port)]
    return base.launch([*command, *arguments], {f"OPENCODE_DISABLE_{name}": "1" for name in off})


def with_plugin_library(launch: Launch) -> Launch:
    """As where OpenCode has fetched its own plugin library before: here it cannot, and with a plugin would try for two minutes."""
    library = {"dependencies": {"@opencode-ai/plugin": "*"}}
    directory = Path(launch.environment["HOME"]) / ".config/opencode"
    (directory / "node_modules").mkdir(parents=True)
    write_json(directory / "package.json", library)
    write_json(directory / "package-lock.json", {"packages": {"": library}})
    return launch


def launch_aider(root: Path, url: str, editor: str | None = None, is_vim: bool = False) -> Launch:
    base = prepare("aider", root, editor)
    write_json(base.home / ".aider/caches/model_prices_and_context_window.json", config.AIDER_PRICES)
    settings = base.home / ".aider.model.settings.yml"
    settings.write_text(config.AIDER_MODEL)
    service = ["--openai-api-base", f"{url}/v1", "--openai-api-key", base.session]
    vim = ["--vim"] if is_vim else []
    arguments = [*config.AIDER_FLAGS, *vim, "--model-settings-file", str(settings), *service]
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    return base.launch([str(installed("aider") / "bin/aider"), *arguments], environment)


def launch_copilot(root: Path, url: str, editor: str | None = None) -> Launch:
    base = prepare("copilot", root, editor)
    write_json(base.home / ".copilot/config.json", config.copilot(base.directory))
    environment = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": base.session,
        "COPILOT_MODEL": "stand-in",
        "COPILOT_AUTO_UPDATE": "false",
    }
    return base.launch([str(installed("copilot") / "node_modules/.bin/copilot")], environment)


def launch_qwen(root: Path, url: str, editor: str | None = None, is_vim: bool = False) -> Launch:
    base = prepare("qwen", root, editor)
    general = config.QWEN["general"] | {"vimMode": is_vim}
    write_json(base.home / ".qwen/settings.json", config.QWEN | {"general": general})
    environment = {"OPENAI_API_KEY": base.session, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "stand-in"}
    # It sends what goes to this machine through the proxy all the same.
    without = {name: value for name, value in base.environment.items() if not name.endswith("_PROXY")}
    base = msgspec.structs.replace(base, environment=without)
    return base.launch([str(installed("qwen") / "node_modules/.bin/qwen")], environment)


LAUNCHES: dict[str, Callable[..., Launch]] = {
    "claude": launch_claude,
    "codex": launch_codex,
    "gemini": launch_gemini,
    "opencode": launch_opencode,
    "aider": launch_aider,
    "copilot": launch_copilot,
    "qwen": launch_qwen,
}


class Base(msgspec.Struct, frozen=True):
    """What all launches have in common."""

    kind: str
    session: str
    home: Path
    directory: Path
    environment: dict[str, str]

    def launch(self, command: list[str], environment: dict[str, str]) -> Launch:
        return Launch(self.kind, command, {**self.environment, **environment}, self.directory, self.session)


def prepare(kind: str, root: Path, editor: str | None) -> Base:
    session = f"{kind}-{uuid4().hex}"
    home, directory = root / "home", root / "project"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Test\n\temail = test@localhost\n")
    # Agents look upwards for a repository; with one of its own, a project is never taken for part of another.
    subprocess.run(["git", "init", "--quiet", str(directory)], check=True, env={"PATH": os.environ["PATH"]})
    environment = {
        "HOME": str(home),
        "PATH": f"{node_directory()}:/usr/local/bin:/usr/bin:/bin",
        "TERM": "tmux-256color",
        "LANG": "C.UTF-8",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1,localhost",
        **({"EDITOR": editor, "VISUAL": editor} if editor else {}),
    }
    return Base(kind, session, home, directory, environment)


def installed(kind: str) -> Path:
    """Where `scripts/agents-install` puts the agent: the same name for the same locks. Installs it where it is missing, so that no
    test and no bench depends on a list of agents that somebody else keeps."""
    locks = b"".join(path.read_bytes() for path in sorted((PINNED / kind).glob("*lock*")))
    checksum = subprocess.run(["cksum"], input=locks, capture_output=True, check=True).stdout.split()[0].decode()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "hark-agents" / f"{kind}-{checksum}"
    if not (place / "installed").exists():
        _install(kind, place.parent)
    assert (place / "installed").exists(), f"scripts/agents-install has not installed {kind} into {place}"
    return place


def _install(kind: str, cache: Path) -> None:
    """Whoever comes second waits, and finds it installed."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([REPOSITORY / "scripts/agents-install", kind], check=True, stdout=sys.stderr)


def node_directory() -> Path:
    node = shutil.which("node")
    return Path(node).parent if node else installed("node") / "bin"


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(value))
