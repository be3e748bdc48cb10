"""How hark reaches Codex by its API: Codex is started with an app-server of its own (`server.py`), whose socket is in the session's
directory."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hark.agents.native import processes
from hark.agents.native.access import Facts, Start, is_for_terminal, keep_if
from hark.agents.native.channel import NativeChannel

if TYPE_CHECKING:
    from hark.agents.codex.channel import CodexChannel

SOCKET = "codex.sock"
SERVER = Path(__file__).with_name("server.py")
WITH_VALUE = frozenset(
    {"-m", "--model", "-s", "--sandbox", "-a", "--ask-for-approval", "-C", "--cd", "--add-dir"}
    | {"-c", "--config", "--enable", "--disable", "-i", "--image"}
)
ALONE = frozenset(
    {"--search", "--no-alt-screen", "--approve-for-me", "--last", "--all"}
    | {"--yolo", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"}
)
COMMANDS = frozenset({"resume", "fork"})


class CodexAccess:
    def start(self, words: Sequence[str], environment: Mapping[str, str], door: Path, password: str) -> Start | None:
        if not is_for_terminal(words[1:], WITH_VALUE, ALONE, COMMANDS):
            return None
        return Start((sys.executable, "-ISE", str(SERVER), "--socket", str(door / SOCKET), "--", *words), {})

    async def find(self, facts: Facts, *, require_certain: bool) -> NativeChannel | None:
        """Find the channel of Codex, but not before its TUI is there: in everything that it sends, Codex calls itself by its first
        client's name."""
        if not processes.has_client(facts.door / SOCKET):
            return None
        client = await asyncio.to_thread(_load_client)
        channel = await client.open(facts.door / SOCKET)
        return await keep_if(channel, channel.is_certain) if require_certain else channel


def _load_client() -> "type[CodexChannel]":
    """Return the client of the app-server. Its libraries take a tenth of a second to load, so they are loaded when they are needed, in a
    thread."""
    from hark.agents.codex.channel import CodexChannel

    return CodexChannel
