"""Waits for an agent that resumes a conversation. Some agents draw their input box first, take it away when they load the conversation,
and draw it again; keys that come in between are lost. Such an agent has resumed when its terminal shows the conversation."""

import asyncio

from hark.agents.kinds import AgentKind
from hark.daemon.panes import Panes
from hark.daemon.session.live import LiveSessions, Part
from hark.model.session import Session

LONGEST_S = 30.0
"""How long to wait for the conversation. An agent that has not shown it by then may show it in another way."""
ROWS = 2000
"""How many rows of the terminal to look at: the end of a conversation may be a long answer."""


class Resumption(Part):
    """An agent that was started to resume a conversation, and has not shown it yet."""

    def __init__(self) -> None:
        self.is_over = False
        self.begun_at_s = asyncio.get_running_loop().time()


def begin_resumption(live: LiveSessions, session: Session) -> None:
    """Remember that the session's agent was just started to resume a conversation."""
    live.of(session.id).part(Resumption)


async def is_resuming(live: LiveSessions, panes: Panes, session: Session, kind: AgentKind) -> bool:
    """Return True if the agent has not shown the conversation yet that it resumes, as far as such an agent must be waited for."""
    resumption = live.find(session.id, Resumption)
    if resumption is None or resumption.is_over or kind.conversation is None:
        return False
    rows = await panes.of(session.pane).history(session.pane.pane_id, ROWS)
    age_s = asyncio.get_running_loop().time() - resumption.begun_at_s
    resumption.is_over = kind.shows_conversation(rows) or age_s >= LONGEST_S
    return not resumption.is_over
