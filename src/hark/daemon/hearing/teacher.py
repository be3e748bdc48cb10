"""Teaches an agent by a message how to signal, if the agent takes no instructions for one run and its instruction file has none of ours.

A message is the only way to reach an agent that runs already, or one that reads instructions from nowhere but its prompt. The message
costs one short turn, so it is sent only if somebody has asked for it.
"""

import asyncio
from collections.abc import Mapping, Sequence

from hark.daemon.mailbox import Mailbox, NewMessage
from hark.installing.injection import teach
from hark.installing.instructions import TEXT, is_taught
from hark.model.session import Session
from hark.queue.reports.notices import SENDER


class Teacher:
    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    async def teach(self, session: Session, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Send the instruction, once for each session. `command` is the command that hark started the agent with, if hark started it."""
        if teach(session.agent, tuple(command)) != tuple(command):
            return
        if await asyncio.to_thread(is_taught, session.agent, environment):
            return
        await self._mailbox.send(session, NewMessage(text=TEXT, own_name=SENDER, idempotency_key=f"teach {session.id}"))
