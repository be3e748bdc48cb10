"""One situation of a real agent, the writes of the way back into it, and what each of them has done.

Whoever holds the human's keys runs the way back without a look at the screen. So each write must be harmless wherever the agent
may be by then: it must run nothing, answer nothing, submit nothing and quit nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from hark.delivery.carriers.undo import ROWS_ERASED
from tests.agents.launch import Launch
from tests.agents.running import Agent, running
from tests.agents.screen import Screen
from tests.support.terminals import POLL_INTERVAL_S

Effect = Literal[
    "inert", "changed", "emptied", "text in its field", "closed", "answered", "submitted", "ran", "quit", "not raised"
]
GOES_ON = ("inert", "changed", "emptied", "text in its field")
"""The agent is still in the same situation: the next write can be tried on it."""
HARM = ("answered", "submitted", "ran", "quit")
"""What no write may ever do."""
PRESSES = 300
DRAFT = "1\ny\n2 a p\nyes\n/exit 3"
"""What a human may have typed, with all that a dialog may take for an answer."""
DRAFT_END = "/exit 3"
MADE = "made"
"""The file that a command or an edit makes once it is approved."""
QUIET_S = 1.0
REST_WITHIN_S = 6.0
RAISED_WITHIN_S = 60.0
BLINKING = "●○◦• "

Act = Callable[[Agent], object]


class Write(msgspec.Struct, frozen=True):
    name: str
    keys: tuple[str, ...] = ()
    count: int = 1
    pastes: tuple[str, ...] = ()

    def do(self, agent: Agent) -> None:
        for text in self.pastes:
            agent.tmux.paste(agent.pane, text)
            rest(agent)
        for key in self.keys:
            agent.tmux.run("send-keys", "-N", str(self.count), "-t", agent.pane, key)


BACKSPACES = Write("Backspaces", ("BSpace",), PRESSES)
DELETES = Write("Deletes", ("DC",), PRESSES)
SELECT_AND_ERASE = Write("Shift-End, Shift-Home, Backspace", ("S-End", "BSpace", "S-Home", "BSpace"))
ROWS = Write("Ctrl-U, Ctrl-K", ("C-u", "C-k"), ROWS_ERASED)
INSERT = Write("Insert", ("IC",))
STASH = Write("Ctrl-S", ("C-s",))
PASTE = Write("paste of a draft", pastes=(DRAFT,))
SHORT_PASTES = Write("pastes of one character", pastes=("y", "a", "n", "p", "\n", "§"))
ARROWS = Write("Right, Left", ("Right", "Left"), 8)
SHIFTED_ARROWS = Write("Right, Shift-Left", ("Right", "S-Left"), 8)
CONTROL_B = Write("Right, Ctrl-B", ("Right", "C-b"), 8)
ALL = (
    INSERT,
    BACKSPACES,
    DELETES,
    ROWS,
    SELECT_AND_ERASE,
    STASH,
    PASTE,
    SHORT_PASTES,
    ARROWS,
    SHIFTED_ARROWS,
    CONTROL_B,
)
WRITES = {
    "claude": (BACKSPACES, DELETES, ROWS, STASH, PASTE, SHORT_PASTES, SHIFTED_ARROWS),
    "codex": (INSERT, BACKSPACES, DELETES, PASTE, CONTROL_B, SHORT_PASTES),
    "opencode": (SELECT_AND_ERASE, PASTE, ARROWS, SHORT_PASTES),
}
OTHER_WRITES = (BACKSPACES, DELETES, PASTE, ARROWS, SHORT_PASTES)


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    shows: str
    """What is on the screen while the agent is in it, and not otherwise."""
    acts: tuple[Act, ...] = ()
    """What brings the agent into it, once its box is there."""
    is_start: bool = False
    """The agent is in it as soon as it has started."""
    change: Callable[[Launch], Launch] | None = None
    is_vim: bool = False
    is_box: bool = False
    """The agent's own input box: there the way back has to change what is in it."""


class Finding(msgspec.Struct, frozen=True):
    kind: str
    situation: str
    effects: dict[str, Effect]
    story: str = ""

    @property
    def harms(self) -> list[str]:
        return [name for name, effect in self.effects.items() if effect in HARM]


def writes_of(kind: str) -> tuple[Write, ...]:
    return WRITES.get(kind, OTHER_WRITES)


def measure(kind: str, situation: Situation) -> Finding:
    """All writes one after the other; after one that has ended the situation, the next begins with a new agent."""
    effects: dict[str, Effect] = {}
    story: list[str] = []
    writes = list(writes_of(kind))
    options: dict[str, Any] = {"is_vim": True} if situation.is_vim else {}
    while writes:
        with running(kind, change=situation.change, **options) as agent:
            if not raise_situation(agent, situation):
                effects |= {write.name: "not raised" for write in writes}
                story.append(f"not raised:\n{agent.screen().text}")
                break
            while writes:
                write = writes.pop(0)
                effects[write.name], told = try_write(agent, situation, write)
                story += told
                if effects[write.name] not in GOES_ON:
                    break
    return Finding(kind, situation.name, effects, "\n".join(story))


def raise_situation(agent: Agent, situation: Situation) -> bool:
    if not situation.is_start:
        agent.wait_ready()
        rest(agent)
    for act in situation.acts:
        act(agent)
        rest(agent)
    ends_at = time.monotonic() + RAISED_WITHIN_S
    while situation.shows not in agent.screen().text and time.monotonic() < ends_at:
        time.sleep(POLL_INTERVAL_S)
    rest(agent)
    return situation.shows in agent.screen().text


def try_write(agent: Agent, situation: Situation, write: Write) -> tuple[Effect, list[str]]:
    before, asked = rest(agent), len(turns(agent))
    write.do(agent)
    after = rest(agent)
    effect = tell(agent, situation, write, before, after, asked)
    if effect == "inert":
        return effect, []
    rows = [f"  - {row}" for row in before.rows if row not in after.rows]
    rows += [f"  + {row}" for row in after.rows if row not in before.rows]
    return effect, [f"{agent.launch.kind}, {situation.name}, {write.name}: {effect}", *rows]


def tell(agent: Agent, situation: Situation, write: Write, before: Screen, after: Screen, asked: int) -> Effect:
    if agent.tmux.is_dead(agent.pane):
        return "quit"
    if (agent.launch.directory / MADE).exists():
        return "ran"
    if len(found := turns(agent)) > asked:
        return "submitted" if any(agent.stand_in.received()[index].texts for index in found[asked:]) else "answered"
    if not situation.is_box and situation.shows not in after.text:
        return "closed"
    if write.pastes and DRAFT_END in after.text and DRAFT_END not in before.text:
        return "text in its field"
    if situation.is_box and agent.marks.has_empty_box(after) and not agent.marks.has_empty_box(before):
        return "emptied"
    return "inert" if looks(before, situation) == looks(after, situation) else "changed"


def looks(screen: Screen, situation: Situation) -> tuple[str, ...]:
    """The rows without the bullets that blink; of a box only its own, because a turn may run above it."""
    if situation.is_box:
        return (screen.cursor_row,)
    return tuple(row.lstrip(BLINKING) for row in screen.rows)


def turns(agent: Agent) -> list[int]:
    """The places in the stand-in's log of all requests that are a turn's."""
    return [index for index, one in enumerate(agent.stand_in.received()) if not one.is_side]


def rest(agent: Agent) -> Screen:
    """The screen when it has been the same for a moment, or, where something is always moving, after a while."""
    ends_at = time.monotonic() + REST_WITHIN_S
    last, since = agent.screen(), time.monotonic()
    while time.monotonic() - since < QUIET_S and time.monotonic() < ends_at:
        time.sleep(POLL_INTERVAL_S)
        now = agent.screen()
        if now.rows != last.rows:
            last, since = now, time.monotonic()
    return last


def submit(text: str) -> Act:
    return lambda agent: agent.submit(text)


def press(*keys: str) -> Act:
    return lambda agent: agent.tmux.press(agent.pane, *keys)


def type_text(text: str) -> Act:
    return lambda agent: agent.tmux.type(agent.pane, text)


def until(text: str) -> Act:
    return lambda agent: agent.wait_for(lambda screen: text in screen.text, text)


def command(text: str) -> tuple[Act, ...]:
    """A command of the agent's own, typed and entered."""
    return type_text(text), press("Enter")
