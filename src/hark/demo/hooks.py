"""Calls the demo agent's lifecycle hooks: `hark-hook demo EVENT`, with JSON on its standard input.

One worker calls the hooks one after another, so a later event never overtakes an earlier one whose call is slow, and the input box
never waits for a hook. A hook that fails, hangs or is missing changes nothing for the agent. The agent reads what a hook prints only
where it asks for an answer; the answer has the form that Claude Code expects.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

CALL_DEADLINE_S = 10.0
FINISH_DEADLINE_S = 2.0


def find_hook_command() -> Sequence[str]:
    """Return the words of the hook command; no words if there is no hook to call."""
    if override := os.environ.get("HARK_HOOK_COMMAND"):
        return shlex.split(override)
    beside = Path(sys.executable).with_name("hark-hook")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("hark-hook")
    return [found] if found else []


class Hooks:
    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._waiting: asyncio.Queue[tuple[str, bytes, asyncio.Future[bytes]]] = asyncio.Queue()

    def tell(self, event: str, **payload: str | bool) -> None:
        self._put(event, payload)

    async def ask(self, event: str, **payload: str | bool) -> dict[str, Any]:
        """Return the JSON object that the hook prints; an empty one if there is no hook or it prints anything else."""
        if not self._command:
            return {}
        try:
            answer = json.loads(await self._put(event, payload) or b"{}")
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    async def ask_beside(self, event: str, **payload: str | bool) -> dict[str, Any]:
        """Call a hook when the others have been told all events so far, and wait for it however long. Return the JSON object that it prints; an empty one if
        there is no hook, it fails or it prints anything else."""
        if not self._command:
            return {}
        # What was told before comes first: an earlier answer must not overtake this question.
        await self._waiting.join()
        try:
            answer = json.loads(await self._call(event, json.dumps(payload).encode()) or b"{}")
        except (OSError, ValueError):
            return {}
        return answer if isinstance(answer, dict) else {}

    async def run(self) -> None:
        while True:
            event, payload, answered = await self._waiting.get()
            output = b""
            # A hook command that is missing (OSError) or hangs (TimeoutError) must not disturb the agent.
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CALL_DEADLINE_S):
                    output = await self._call(event, payload)
            if not answered.done():
                answered.set_result(output)
            self._waiting.task_done()

    async def finish(self) -> None:
        """Wait until the hooks have been told all events so far, but not for long, because the human has quit."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISH_DEADLINE_S):
                await self._waiting.join()

    def _put(self, event: str, payload: dict[str, str | bool]) -> asyncio.Future[bytes]:
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        if self._command:
            self._waiting.put_nowait((event, json.dumps(payload).encode(), answered))
        return answered

    async def _call(self, event: str, payload: bytes) -> bytes:
        words = (*self._command, "demo", event)
        process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        try:
            output, _ = await process.communicate(payload)
            return output
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
