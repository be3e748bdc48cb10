"""Looks at one session for its courier: makes the view that `next_step` decides on, and finds out the facts that it asks for."""

import asyncio

from msgspec.structs import replace

from hark.agents.native.channel import ChannelLost
from hark.daemon.delivering.carriers import Carriers
from hark.daemon.delivering.equipment import Equipment
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.session.observation import is_stopped, observe_pane
from hark.daemon.session.resumption import is_resuming
from hark.delivery.gate import PaneState
from hark.delivery.next_step import API_AWAY
from hark.delivery.session_view import AgentTraits, Conversation, Fact, Facts, Limits, Memory, SessionView
from hark.model.ids import SessionId
from hark.model.message import Message
from hark.model.session import Session, SessionState
from hark.model.settings.config import Config
from hark.queue.ordering import delivery_order


class FactFinding:
    def __init__(self, session_id: SessionId, equipment: Equipment, ledger: Ledger, carriers: Carriers) -> None:
        self._session_id = session_id
        self._equipment = equipment
        self._ledger = ledger
        self._carriers = carriers

    async def look(self, memory: Memory) -> SessionView:
        """Return the view of the session without the facts that cost something to find out."""
        session, store = self._equipment.sessions.get(self._session_id), self._equipment.store
        limits = limits_of(self._equipment.config)
        if session.state is SessionState.GONE:
            waiting = tuple(delivery_order(await store.pending(session.id)))
            return SessionView(now=self._equipment.clock(), is_gone=True, waiting=waiting, limits=limits)
        message, draft = await store.first_pending(session.id), await self._ledger.draft()
        if message is None and draft is None:
            return SessionView(now=self._equipment.clock(), limits=limits)
        kind = self._equipment.kinds.get(session.agent)
        return SessionView(
            now=self._equipment.clock(),
            elapsed_s=asyncio.get_running_loop().time(),
            do_not_disturb=session.do_not_disturb_since is not None,
            waiting=(message,) if message else (),
            draft=draft,
            memory=memory,
            agent=AgentTraits(is_typed_when_idle=kind.idle_only, loses_first_keys=kind.unbegun is not None),
            hooks=self._equipment.handovers.view(session),
            limits=limits,
        )

    async def find(self, fact: Fact, view: SessionView) -> SessionView:
        """Return the view with this fact, and with the time and the turn as they are now."""
        session = self._equipment.sessions.get(self._session_id)
        facts = await self._find(fact, session, view)
        hooks = self._equipment.handovers.view(session)
        # A hook that could not take the message in this round is not asked again.
        hooks = replace(hooks, has_waiter=hooks.has_waiter and view.hooks.has_waiter)
        now, elapsed_s = self._equipment.clock(), asyncio.get_running_loop().time()
        return replace(view, now=now, elapsed_s=elapsed_s, hooks=hooks, facts=facts)

    async def _find(self, fact: Fact, session: Session, view: SessionView) -> Facts:
        message, facts = view.message, view.facts
        match fact:
            case Fact.BATCH:
                return replace(facts, batch=await self._batch(message))
            case Fact.IN_ORDER:
                in_order = await self._equipment.store.next_pending(session.id, view.limits.most_in_batch)
                return replace(facts, in_order=tuple(in_order))
            case Fact.SUSPENDED:
                return replace(facts, is_suspended=await is_stopped(session))
            case Fact.CHANNEL:
                return replace(facts, has_channel=await self._equipment.natives.of(session) is not None)
            case Fact.CONVERSATION:
                return replace(facts, conversation=await self._conversation(session))
            case Fact.TRANSCRIPT:
                is_there = await self._equipment.handovers.is_in_transcript(session, message) if message else None
                return replace(facts, is_in_transcript=is_there)
            case Fact.PANE:
                return replace(facts, pane=await self._pane(session))
            case Fact.UNBEGUN:
                return replace(facts, is_unbegun=await self._is_unbegun(session))
            case Fact.PROMPT_UNDER_WAY:
                return replace(facts, has_prompt_under_way=await self._has_prompt_under_way(session))

    async def _batch(self, message: Message | None) -> tuple[Message, ...]:
        if message is None or message.batch_id is None:
            return ()
        return tuple(await self._equipment.store.batch(message.batch_id))

    async def _conversation(self, session: Session) -> Conversation:
        channel = await self._equipment.natives.of(session)
        if channel is None:
            return Conversation(away=API_AWAY)
        try:
            return Conversation(is_beginning=await channel.begins_conversation())
        except ChannelLost as lost:
            return Conversation(away=str(lost))

    async def _pane(self, session: Session) -> PaneState:
        kind = self._equipment.kinds.get(session.agent)
        state = await observe_pane(self._equipment.panes, session, kind, self._carriers)
        if not state.is_there:
            return state
        return replace(
            state,
            is_waiting=await self._equipment.turns.is_waiting(session),
            is_resuming=await is_resuming(self._equipment.live, self._equipment.panes, session, kind),
        )

    async def _is_unbegun(self, session: Session) -> bool:
        screen = await self._equipment.panes.of(session.pane).screen(session.pane)
        return self._equipment.kinds.get(session.agent).loses_keys(screen)

    async def _has_prompt_under_way(self, session: Session) -> bool:
        """Return True if the agent may not have begun with a prompt. Raw commands do not count, because a raw command may begin no turn."""
        given = self._equipment.turns.beginning(session.id)
        return any([not (await self._equipment.store.message(message_id)).is_raw for message_id in given])


def limits_of(config: Config) -> Limits:
    return Limits(
        human_pause_s=config.human_pause,
        most_in_batch=config.max_batch_size,
        most_attempts=config.max_attempts,
        poll_s=config.input_poll_interval,
    )
