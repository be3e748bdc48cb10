"""Hooks get lost, daemons restart: whatever is lost, no message is completed before its turn has ended, and all are in the end.

The model is an agent with a queue of prompts, ours and the human's, that takes them in their order. What it says may be lost. The
daemon may restart at any moment: then only what the store holds is known.
"""

from collections import deque
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st

from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.queue.turns import Completed, Fact, Phase, Task, Turns, expect, hear, lapse, overtake, submit

START = datetime(2026, 1, 1, tzinfo=UTC)


class Act(StrEnum):
    SUBMIT = "submit"
    """hark submits a message."""
    TYPE = "type"
    """The human submits a prompt."""
    STOP = "stop"
    """The turn ends; the agent takes the next prompt from its queue at once."""
    HAND_OVER = "hand over"
    """The agent's hook is given a message in the middle of its turn."""
    REST = "rest"
    """Nothing happens for a while; if the agent is idle, its terminal is silent."""
    RESTART = "restart"
    """The daemon ends and starts again."""


class World:
    def __init__(self) -> None:
        self.now = START
        self.turns = Turns()
        self.queue: deque[MessageId | None] = deque()
        self.turn: list[MessageId | None] = []
        """What the agent works on now; None: a prompt of the human's."""
        self.status: dict[MessageId, str] = {}
        self.submitted_at: dict[MessageId, datetime] = {}
        self.ended: set[MessageId] = set()
        self.count = 0

    def act(self, act: Act, *, is_lost: bool) -> None:
        self.now += timedelta(seconds=1)
        match act:
            case Act.SUBMIT:
                message_id = self._new("submitted")
                self._give(message_id, is_lost=is_lost)
                if self.status[message_id] == "acknowledged":
                    self.turns = overtake(self.turns, message_id)
                if self.status[message_id] == "submitted":
                    self.turns = submit(self.turns, message_id, self.now, is_prompt_heard=True)
            case Act.TYPE:
                self._give(None, is_lost=is_lost)
            case Act.STOP if self.turn:
                self.ended |= {message_id for message_id in self.turn if message_id}
                self.turn = []
                self._say(Said.STOPPED, (), is_lost=is_lost)
                if self.queue:
                    self._take(self.queue.popleft(), is_lost=is_lost)
            case Act.HAND_OVER if self.turn:
                message_id = self._new("staged")
                self.turn.append(message_id)
                self._say(Said.PROMPT_SUBMITTED, (message_id,), is_lost=False)
            case Act.REST:
                self.now += timedelta(seconds=30)
                quiet_s = 0.1 if self.turn else 30.0
                self._note(*lapse(self.turns, self.now, quiet_s=quiet_s, has_box=True))
            case Act.RESTART:
                told = [(one, at) for one, at in self.submitted_at.items()]
                known = tuple(Task(one, at) for one, at in told if self.status[one] == "acknowledged")
                rest = [Task(one, at, is_heard=False) for one, at in told if self.status[one] == "submitted"]
                self.turns = expect(Turns(working_on=known), rest)

    def _new(self, status: str) -> MessageId:
        self.count += 1
        message_id = MessageId(f"{self.count:012x}")
        self.status[message_id], self.submitted_at[message_id] = status, self.now
        return message_id

    def _give(self, prompt: MessageId | None, *, is_lost: bool) -> None:
        if self.turn:
            self.queue.append(prompt)
        else:
            self._take(prompt, is_lost=is_lost)

    def _take(self, prompt: MessageId | None, *, is_lost: bool) -> None:
        self.now += timedelta(milliseconds=1)
        self.turn = [prompt]
        self._say(Said.PROMPT_SUBMITTED, (prompt,) if prompt else (), is_lost=is_lost)

    def _say(self, said: Said, ids: tuple[MessageId, ...], *, is_lost: bool) -> None:
        if not is_lost:
            self._note(*hear(self.turns, Heard(said=said, at=self.now, message_ids=ids)))

    def _note(self, turns: Turns, facts: tuple[Fact, ...]) -> None:
        self.turns = turns
        for fact in facts:
            is_end = isinstance(fact, Completed)
            assert not is_end or fact.message_id in self.ended, "completed before its turn has ended"
            self.status[fact.message_id] = "completed" if is_end else "acknowledged"


ACTS = st.lists(st.tuples(st.sampled_from(Act), st.booleans()), max_size=40)


@given(ACTS)
def test_nothing_is_completed_early_and_everything_in_the_end(acts: list[tuple[Act, bool]]) -> None:
    world = World()

    for act, is_lost in acts:
        world.act(act, is_lost=is_lost)
    while world.turn:
        world.act(Act.STOP, is_lost=True)
    for _ in range(2):
        world.act(Act.REST, is_lost=True)

    assert set(world.status.values()) <= {"completed"}
    assert world.turns.phase is Phase.IDLE


@given(ACTS)
def test_the_next_message_that_is_told_of_settles_all_before_it_with_its_stop(acts: list[tuple[Act, bool]]) -> None:
    """Also where nobody can see whether the agent rests."""
    world = World()

    for act, is_lost in acts:
        if act is not Act.REST:
            world.act(act, is_lost=is_lost)
    while world.turn:
        world.act(Act.STOP, is_lost=True)
    world.act(Act.SUBMIT, is_lost=False)
    world.act(Act.STOP, is_lost=False)

    assert set(world.status.values()) <= {"completed"}
