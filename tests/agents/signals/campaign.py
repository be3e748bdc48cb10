"""A real agent that announces much and is disturbed all the time: its window changes its size, is drawn anew, is attached to
and left; the daemon is restarted and killed, also while the agent speaks; its human begins a new conversation; markers stand in prompts, in messages and in drafts."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import msgspec

from hark.cli.agents.install import hook_program
from hark.installing.change import apply, installation
from tests.agents.delivering import Delivering, delivering
from tests.agents.launch import Launch, with_plugin_library
from tests.agents.running import COLUMNS, DEADLINE_S, ROWS
from tests.agents.signals.script import Spoken, write_turns
from tests.support.terminals import wait_until

HEARD_S = 20.0
SIZES = ((COLUMNS, ROWS), (70, 24), (120, 40), (100, 16), (140, 50))
QUIET_LOOKS = 4
DELIVERED_S = 15.0
PENDING = ("queued", "held", "staged")
CLEAR = {"claude": "/clear", "codex": "/clear", "gemini": "/clear", "opencode": "/new"}
OWN = ("record", "terminal")
Signal = tuple[str, str]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    way: str
    expected: int
    heard: int
    """Exactly once, or as often as they were announced."""
    missed: list[Signal]
    doubled: list[Signal]
    false: list[Signal]
    in_order: bool
    sources: dict[str, int]
    restarts: int
    resizes: int
    clears: int
    seconds: float

    @property
    def is_clean(self) -> bool:
        return not (self.missed or self.doubled or self.false)


class Campaign:
    def __init__(self, kind: str, way: str, seed: int, markers: int, turns: int) -> None:
        self._kind = kind
        self._way = way
        self._dice = random.Random(f"{kind} {way} {seed}")
        self._turns = write_turns(self._dice, markers, turns)
        self._restarts = self._resizes = self._clears = 0

    def run(self) -> Outcome:
        began = time.monotonic()
        change = None if self._way == "bare" else with_hooks
        with delivering(self._kind, is_native=True, is_adopted=self._way != "started", change=change) as agent:
            for number, spoken in enumerate(self._turns):
                self._play(agent, number, spoken)
                print(f"  {self._kind} {self._way}: turn {number + 1}, {len(heard(agent))} heard", flush=True)
            expected = [one for spoken in self._turns for one in spoken.markers]
            self._wait_heard(agent, len(expected))
            return self._judge(agent, expected, time.monotonic() - began)

    def _play(self, agent: Delivering, number: int, spoken: Spoken) -> None:
        said = agent.launch.directory.parent / f"said-{number}"
        last = f"This was part {number}."
        said.write_text(f"{spoken.reply}\n\n{last}")
        is_down = number % 4 == 2
        if is_down:
            self._stop(agent)
        self._ask(agent, number, spoken, said, is_down=is_down)
        if number % 4 == 1:
            self._resize(agent)
        wait_until(
            lambda: last in shown(agent),
            DEADLINE_S,
            f"the end of turn {number}",
            lambda: shown(agent) + agent.hark.ok("queue", "a"),
        )
        if is_down:
            agent.hark.ok("daemon", "start")
        self._disturb(agent, number)

    def _ask(self, agent: Delivering, number: int, spoken: Spoken, said: Path, *, is_down: bool) -> None:
        prompt = f"prompt {number}, an example:\n{spoken.decoy}\nand go [[read={said}]]"
        agent.tmux.run("resize-window", "-t", agent.pane, "-x", str(COLUMNS), "-y", str(ROWS))
        settle(agent)
        if not is_down and number % 2 and self._deliver(agent, prompt):
            return
        agent.tmux.paste(agent.pane, prompt)
        # Some agents show a paste as a placeholder.
        wait_until(
            lambda: f"said-{number}" in shown(agent) or "[Pasted" in shown(agent),
            DEADLINE_S,
            "the prompt in the box",
            lambda: shown(agent),
        )
        settle(agent)
        agent.tmux.press(agent.pane, "Enter")
        agent.stand_in.wait_received(lambda one: any(f"prompt {number}," in text for text in one.texts), 3 * DEADLINE_S)

    def _deliver(self, agent: Delivering, prompt: str) -> bool:
        """By hark. A box that it does not know after a change of size is none of this campaign's matters: then by hand."""
        message_id = agent.send(prompt)
        try:
            wait_until(lambda: status(agent, message_id) not in PENDING, DELIVERED_S, "the message to be submitted")
            return True
        except AssertionError:
            # It may have been submitted at this very moment.
            return agent.hark.run("cancel", message_id).returncode != 0

    def _disturb(self, agent: Delivering, number: int) -> None:
        settle(agent)
        self._resize(agent)
        if number % 3 == 0:
            self._draft(agent, number)
        if number % 3 == 1:
            with agent.human():
                settle(agent)
        if number % 4 == 3:
            self._kill(agent)
        if number % 5 == 2:
            self._clear(agent)

    def _resize(self, agent: Delivering) -> None:
        columns, rows = self._dice.choice(SIZES)
        agent.tmux.run("resize-window", "-t", agent.pane, "-x", str(columns), "-y", str(rows))
        self._resizes += 1
        settle(agent)

    def _draft(self, agent: Delivering, number: int) -> None:
        """A human begins a prompt with a marker in it, and takes it back."""
        draft = f"a draft\n--<[hark:completed:decoy of draft {number}]>--"
        agent.tmux.paste(agent.pane, draft)
        settle(agent)
        for _ in range(len(draft)):
            agent.tmux.press(agent.pane, "BSpace")
        settle(agent)

    def _clear(self, agent: Delivering) -> None:
        """The human begins a new conversation."""
        agent.tmux.run("send-keys", "-t", agent.pane, "-l", CLEAR[self._kind])
        settle(agent)
        agent.tmux.press(agent.pane, "Enter")
        settle(agent)
        self._clears += 1

    def _stop(self, agent: Delivering) -> None:
        agent.hark.ok("daemon", "stop")
        self._restarts += 1

    def _kill(self, agent: Delivering) -> None:
        pid = agent.hark.daemon_pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: agent.hark.daemon_pid() is None, DEADLINE_S, "the daemon to be dead")
        agent.hark.ok("daemon", "start")
        self._restarts += 1

    def _wait_heard(self, agent: Delivering, count: int) -> None:
        """Until all are there, and then until a late one would have come too."""
        ends_at = time.monotonic() + HEARD_S
        while len(heard(agent)) < count and time.monotonic() < ends_at:
            time.sleep(0.2)
        for size in SIZES:
            agent.tmux.run("resize-window", "-t", agent.pane, "-x", str(size[0]), "-y", str(size[1]))
            settle(agent)

    def _judge(self, agent: Delivering, expected: list[Signal], seconds: float) -> Outcome:
        events = own_events(agent)
        got = [squeezed(event["data"]["state"], event["data"]["text"]) for event in events]
        wanted = [squeezed(*one) for one in expected]
        missing, extra = Counter(wanted) - Counter(got), Counter(got) - Counter(wanted)
        return Outcome(
            kind=self._kind,
            way=self._way,
            expected=len(wanted),
            heard=len(wanted) - missing.total(),
            missed=sorted(missing.elements()),
            doubled=sorted(one for one in extra.elements() if one in set(wanted)),
            false=sorted(one for one in extra.elements() if one not in set(wanted)),
            in_order=got == wanted,
            sources=dict(Counter(event["data"]["source"] for event in events)),
            restarts=self._restarts,
            resizes=self._resizes + len(SIZES),
            clears=self._clears,
            seconds=seconds,
        )


def with_hooks(launch: Launch) -> Launch:
    """As `hark install` puts them in."""
    if launch.kind in ("claude", "gemini", "opencode"):
        apply(installation(launch.kind, launch.environment, hook_program()))
    return with_plugin_library(launch) if launch.kind == "opencode" else launch


def status(agent: Delivering, message_id: str) -> str:
    found: str = agent.hark.json("show", message_id)["status"]
    return found


def squeezed(state: str, text: str) -> Signal:
    """Where a row was wrapped within a word, a screen does not tell."""
    return state, "".join(text.split())


def own_events(agent: Delivering) -> list[dict[str, dict[str, str]]]:
    events = agent.hark.json("signals", "-n", "1000", "a")["events"]
    return [event for event in events if event["data"]["source"] in OWN]


def heard(agent: Delivering) -> list[Signal]:
    if agent.hark.daemon_pid() is None:
        return []
    return [(event["data"]["state"], event["data"]["text"]) for event in own_events(agent)]


def shown(agent: Delivering) -> str:
    return agent.tmux.run("capture-pane", "-p", "-J", "-S", "-50", "-t", agent.pane)


def settle(agent: Delivering) -> None:
    """Until the screen has been the same for a few looks."""
    looks = [shown(agent)]

    def is_quiet() -> bool:
        looks.append(shown(agent))
        time.sleep(0.1)
        return len(looks) > QUIET_LOOKS and len(set(looks[-QUIET_LOOKS:])) == 1

    wait_until(is_quiet, DEADLINE_S, "a quiet screen", lambda: looks[-1])
