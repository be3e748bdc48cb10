"""How hark reaches OpenCode by its API: OpenCode listens on a free port of the loopback that the kernel chooses, so there is no race for
the port. Every process on the machine can connect to such a port, so OpenCode also gets a password."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hark.agents.native import processes
from hark.agents.native.access import Facts, Start, is_for_terminal, keep_if, read_secret
from hark.agents.native.channel import ChannelLost, NativeChannel

if TYPE_CHECKING:
    from hark.agents.opencode.channel import Claims, OpenCodeChannel

PASSWORD_VARIABLE = "OPENCODE_SERVER_PASSWORD"
WITH_VALUE = frozenset({"-m", "--model", "-s", "--session", "--prompt", "--agent", "--log-level"})
ALONE = frozenset({"-c", "--continue", "--fork", "--pure", "--print-logs", "--auto"})


class OpenCodeAccess:
    def __init__(self) -> None:
        self._claims: Claims = {}

    def start(self, words: Sequence[str], environment: Mapping[str, str], door: Path, password: str) -> Start | None:
        """Return how to start OpenCode with a port and a password. A password that the user has set is kept: something else may rely
        on it."""
        if not is_for_terminal(words[1:], WITH_VALUE, ALONE, frozenset()):
            return None
        secret = environment.get(PASSWORD_VARIABLE) or password
        return Start((*words, "--port", "0", "--hostname", "127.0.0.1"), {PASSWORD_VARIABLE: secret}, secret)

    async def find(self, facts: Facts, *, require_certain: bool) -> NativeChannel | None:
        password = read_secret(facts.door)
        for pid in processes.tree(facts.pane_pid):
            is_ours = facts.session_id is None or processes.has_environment(pid, "HARK_SESSION", facts.session_id)
            for port in processes.loopback_ports(pid) if is_ours else ():
                if channel := await self._channel_at(port, password, facts, require_certain=require_certain):
                    return channel
        return None

    async def _channel_at(
        self, port: int, password: str, facts: Facts, *, require_certain: bool
    ) -> NativeChannel | None:
        """Return the channel of the OpenCode at this port, or None. Other programs of the agent may listen too: a program that does not
        answer as OpenCode does is not OpenCode."""
        client = await asyncio.to_thread(_load_client)
        try:
            channel = await client.open(port, password, facts.pane, self._claims)
        except ChannelLost:
            return None
        return await keep_if(channel, channel.locate) if require_certain else channel


def _load_client() -> "type[OpenCodeChannel]":
    """Return the client of the API. It is loaded when it is needed, in a thread, so that the daemon goes on meanwhile."""
    from hark.agents.opencode.channel import OpenCodeChannel

    return OpenCodeChannel
